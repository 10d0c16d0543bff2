// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <vector>

#include "core/llm/torch/attention_plan.h"

namespace candor::kernels {

// Grouped-query attention on the CPU, fp32. Query rows hold `heads` heads of `dim` values, key and value rows
// `kvHeads`; query head h reads key head h / (heads / kvHeads). Queries are scaled already.
struct AttentionHeads {
    std::int64_t heads = 0, kvHeads = 0, dim = 0;
    std::int64_t groups() const { return heads / kvHeads; }
};

// One item and key head; `probabilities` has heads * plan.probabilities values and is kept for the gradient.
void attend(const AttentionHeads& shape, const AttentionPlan& plan, const AttentionItem& item, std::int64_t keyHead,
            const float* q, const float* k, const float* v, float* probabilities, float* out);

// Gradients: dq is written, dk and dv are added to (one pair for each thread).
void attendBackward(const AttentionHeads& shape, const AttentionPlan& plan, const AttentionItem& item,
                    std::int64_t keyHead, const float* q, const float* k, const float* v, const float* probabilities,
                    const float* dOut, float* dq, float* dk, float* dv);

// Splits items x key heads into `parts` runs of about equal work: indices item * kvHeads + keyHead.
std::vector<std::int64_t> splitWork(const AttentionHeads& shape, const AttentionPlan& plan, std::int64_t parts);

}  // namespace candor::kernels
