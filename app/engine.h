// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <stop_token>
#include <string>

#include "core/experiment/runner.h"
#include "db/project.h"

namespace candor::app {

// How the language model is run; what is empty or zero is the engine's own choice.
struct EngineChoice {
    std::filesystem::path modelFolder;  // empty: where the project last saw the spec's model
    std::string device = "auto";
    std::string dtype;  // empty: the spec's
    int threads = 0;
};

// The spec with the project's name of its model where it gives a folder: by path, else by name, else the only model
// that has answers. Throws InputError ("no_model").
ExperimentSpec withModelName(const db::Project& project, const ExperimentSpec& spec);

// Runs an experiment in a project: the one way that the window and the command line share. A spec may name its model by
// a folder (withModelName). Remembers the folder in the project. Throws as runExperiment.
ExperimentResult runInProject(db::Project& project, const ExperimentSpec& spec, const EngineChoice& choice,
                              const EventSink& events, std::stop_token stop);

// "CPU, 2 threads, OpenBLAS 0.3.21": for a status line. Measures the machine the first time.
std::string machineText();

}  // namespace candor::app
