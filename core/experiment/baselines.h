// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include "core/experiment/data.h"
#include "core/experiment/methods.h"
#include "core/train/linear_head.h"

namespace candor {

// Confidences or scores of a method that trains no adapter, on all evaluation rows (NaN: the question has none) and,
// with labels, on the budget itself.
struct BaselineResult {
    std::vector<double> eval;
    std::vector<double> budget;  // out of fold (five folds) for methods that learn from labels; empty without labels
};

// `rows` are the pool rows of the budget. `states` (probe) hold the pool's needed rows and the evaluation rows, at
// `poolState[row]` and `evalState[i]`. `wantBudget`: fill `budget`, for a calibrator. Throws InputError, Error.
struct BaselineInput {
    const ExperimentData& data;
    const ExperimentSpec& spec;
    const Method& method;
    std::vector<std::int64_t> rows;
    int seed = 0;
    bool wantBudget = false;
    const StateMatrix* states = nullptr;
    const std::vector<std::int64_t>* poolState = nullptr;
    const std::vector<std::int64_t>* evalState = nullptr;
};
BaselineResult runBaseline(const BaselineInput& input);

}  // namespace candor
