// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/train/objective.h"

namespace candor {

// AdamW (Loshchilov & Hutter 2019) with betas 0.9 and 0.999 and eps 1e-8, in fp32 and in the order of operations of
// PyTorch's single-tensor form. Decay is decoupled and touches only blocks that decay.
class AdamW {
  public:
    AdamW(std::vector<ParameterBlock> blocks, std::size_t size);

    // One step; all spans have the size given. `lr` may be 0: the moments move, the parameters do not.
    void step(std::span<float> parameters, std::span<const float> gradient, double lr, double weightDecay);

    std::int64_t steps() const { return steps_; }
    const std::vector<float>& firstMoment() const { return first_; }
    const std::vector<float>& secondMoment() const { return second_; }
    // Continues from a checkpoint. Throws Error if the sizes differ.
    void restore(std::int64_t steps, std::vector<float> first, std::vector<float> second);

  private:
    std::vector<std::pair<std::size_t, std::size_t>> decaying_;  // offset, count
    std::vector<float> first_, second_;
    std::int64_t steps_ = 0;
};

// Learning rate of step `step` (0-based) of `total`: linear warm-up over ceil(share * total) steps from 0, then linear
// to 0. The first step of a warm-up has rate 0.
double scheduledRate(double peak, std::int64_t step, std::int64_t total, double warmupShare);

// Scales the gradient so that its Euclidean norm is at most `clip`: by clip / (norm + 1e-6), never up. Returns the norm
// before. clip <= 0: only the norm.
double clipGradient(std::span<float> gradient, double clip);

}  // namespace candor
