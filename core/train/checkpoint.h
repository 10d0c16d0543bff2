// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include "core/train/records.h"

namespace candor {

// Everything that a training needs to go on to the same numbers. The order of an epoch follows from the seed and the
// epoch's number, so no generator state is kept beside them.
struct TrainState {
    std::string fingerprint;  // of options, rows, targets and layout: another training's state is not continued
    bool finished = false;
    std::int64_t epoch = 0;  // epochs done
    std::int64_t batch = 0;  // batches done of the current epoch
    std::int64_t steps = 0;  // optimiser steps done
    double epochLoss = 0;    // sum of squared errors of the current epoch so far
    std::int64_t epochRows = 0;
    double bestLoss = std::numeric_limits<double>::infinity();
    std::int64_t bestEpoch = 0, sinceBest = 0;  // 1-based; 0: none yet
    std::vector<double> recentLosses;           // of the last steps, oldest first
    std::vector<EpochRecord> history;
    std::vector<float> parameters, firstMoment, secondMoment;
    std::vector<float> best;  // parameters at bestEpoch; empty: none
};

// One file with a checksum, written atomically. Throws Error.
void saveState(const std::filesystem::path& file, const TrainState& state);
// Throws Error naming the file if it cannot be read, is cut short or damaged.
TrainState loadState(const std::filesystem::path& file);

}  // namespace candor
