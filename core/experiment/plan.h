// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/experiment/data.h"
#include "core/experiment/methods.h"
#include "core/experiment/runner.h"

namespace candor {

// A planned run and what it takes to execute it.
struct Planned {
    PlannedRun run;
    Method method;
    std::size_t variant = 0;       // into expandAxes(spec)
    std::string trainingIdentity;  // of the base method's training alone: equal for "elical" and "elical+isotonic"
    std::string stage1Identity;    // empty: no stage 1
};

// Plans over the data of each variant (one a combination of axes). Identities cover the questions, labels and scores
// that a run reads. Without data (`variants` empty) they cover the spec alone and `pool` gives the size.
std::vector<Planned> planWithData(const ExperimentSpec& spec, const std::vector<ExperimentData>& variants,
                                  std::int64_t pool = 0);

// Pool rows in the order that budgets of this seed take them; the first b are the budget of b.
std::vector<std::int64_t> budgetOrder(std::int64_t pool, int seed);
// The seed that stage 1 of a run with `seed` uses, and its questions (pool rows).
int stage1SeedOf(const ExperimentSpec& spec, int seed);
std::vector<std::int64_t> stage1Rows(const ExperimentSpec& spec, std::int64_t pool, int seed);

}  // namespace candor
