// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <memory>
#include <stop_token>
#include <vector>

#include "core/experiment/backbone.h"
#include "core/experiment/spec.h"
#include "core/experiment/store.h"
#include "core/job.h"

namespace candor {

// The runs of a spec over a training pool of `pool` questions, budgets larger than the pool left out but "all" kept.
// Training-free methods have no budget and no seed (one run). Pure.
std::vector<PlannedRun> planRuns(const ExperimentSpec& spec, std::int64_t pool);

// Opens the language model when first needed (cached states may make it unnecessary). Throws Error if it cannot.
using BackboneSource = std::function<std::shared_ptr<Backbone>(const ExperimentSpec&)>;

struct ExperimentResult {
    std::int64_t experiment = 0;
    int planned = 0, alreadyDone = 0, finished = 0, failed = 0;
};

// Plans and executes what is missing; runs share stage 1 of their seed and the cached states. A failed run does not
// end the others. Resumes runs that stopped at a checkpoint to the same numbers. Throws Stopped when asked to stop,
// after the running attempt is stored as stopped; InputError for a spec the project cannot serve.
ExperimentResult runExperiment(const ExperimentSpec& spec, ExperimentStore& store, const BackboneSource& backbone,
                               const EventSink& events, std::stop_token stop);

}  // namespace candor
