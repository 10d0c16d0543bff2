// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/services.h"

#include "app/engine.h"
#include "app/example.h"

namespace candor::app {

ui::Services services() {
    ui::Services services;
    services.runExperiment = [](const ExperimentSpec& spec, db::Project& project, const EventSink& events,
                                std::stop_token stop) { runInProject(project, spec, {}, events, stop); };
    services.openExample = [](const std::filesystem::path& file) {
        auto project = db::Project::openOrCreate(file);
        installExample(*project, {}, {});
        return project;
    };
    services.exampleSpec = exampleSpec;
    services.machine = QString::fromStdString(machineText());
    return services;
}

}  // namespace candor::app
