// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <filesystem>
#include <functional>
#include <memory>
#include <stop_token>

#include "core/experiment/spec.h"
#include "core/job.h"
#include "db/project.h"

namespace candor::ui {

// What the window needs of the engine. The application injects it, so that ui links no torch.
struct Services {
    // Plans and executes an experiment; called on a worker thread. Throws Stopped when asked to stop.
    std::function<void(const ExperimentSpec&, db::Project&, const EventSink&, std::stop_token)> runExperiment;
    // Opens the embedded example's project at a path and makes what is missing of it; called on a worker thread.
    std::function<std::unique_ptr<db::Project>(const std::filesystem::path&)> openExample;
    // The experiment that belongs to the example, to start the form with.
    std::function<ExperimentSpec()> exampleSpec;
    // Device and threads, as shown in the status line: "CPU, 2 threads".
    QString machine;
};

}  // namespace candor::ui
