// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <stop_token>
#include <string>
#include <vector>

#include "core/experiment/spec.h"
#include "core/job.h"
#include "db/project.h"

namespace candor::app {

// The embedded example: questions of our own wording, SmolLM2's answers, labels and hidden states (resources/example).
struct ExampleSet {
    std::string dataset;
    std::string split;  // "train" or "eval"
    bool inDomain = true;
    std::string resource;  // ":/example/train_people.jsonl.zst"
};
const std::vector<ExampleSet>& exampleSets();

ExperimentSpec exampleSpec();

// Imports the example into a project and installs its hidden states; what is there already stays. Throws Error.
void installExample(db::Project& project, const EventSink& events, std::stop_token stop);

// Every question of the example, in the order of the sets: what `candor-cli example` computes states of.
std::vector<std::string> exampleQuestions();

}  // namespace candor::app
