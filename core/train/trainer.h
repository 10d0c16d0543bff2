// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "core/train/checkpoint.h"
#include "core/train/objective.h"
#include "core/train/options.h"
#include "core/train/records.h"

namespace candor {

// Rows of an objective and what their confidence is trained towards, in [0, 1].
struct TrainSet {
    std::vector<std::int64_t> rows;
    std::vector<float> targets;
};

struct TrainOptions {
    std::string stage = "stage2";
    OptimiserOptions optimiser;
    int epochs = 1;
    int horizon = 0;                // epochs that the schedule is laid out for; 0: `epochs`
    std::uint64_t seed = 0;         // of the order of rows, reshuffled each epoch
    bool keepBest = false;          // end with the parameters of the lowest held-out error, the first of equals
    int patience = 0;               // with keepBest: epochs without a strictly lower one before it ends; 0: never
    std::string identity;           // of the rows, where their numbers may change between a stop and its resume
    double checkpointSeconds = 30;  // least time between checkpoints; 0: every step
};

// Called on the training thread. Unset ones are not called.
struct TrainCallbacks {
    std::function<void(const StepRecord&)> step;
    // `heldOut` are the confidences of the held-out rows in their order; the record may be completed here.
    // `replayed`: made before this call, from the checkpoint.
    std::function<void(EpochRecord&, std::span<const double> heldOut, bool replayed)> epoch;
    std::function<void(std::int64_t step)> checkpoint;
    std::function<void(const std::string&)> message;
};

struct TrainResult {
    std::int64_t epochs = 0, steps = 0;
    std::int64_t bestEpoch = 0;  // 1-based; 0: nothing held out
    std::vector<EpochRecord> history;
};

// Optimiser steps of `epochs` epochs over `rows` rows.
std::int64_t stepsOf(std::int64_t rows, int batch, int epochs);

// Trains from the objective's present parameters and leaves the result in it. With a checkpoint path, what is there is
// continued (or, if finished, taken over) and progress is kept there; a damaged or foreign file is reported and
// replaced. Throws Stopped at the next step after a stop, with the checkpoint written; Error if the loss or gradient is
// not finite, saying what led to it. The numbers do not depend on where it was stopped.
TrainResult train(Objective& objective, const TrainSet& training, const TrainSet& heldOut, const TrainOptions& options,
                  const TrainCallbacks& callbacks = {}, const std::filesystem::path& checkpoint = {},
                  std::stop_token stop = {});

}  // namespace candor
