// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/train/objective.h"

namespace candor {

// Hidden states of a frozen backbone, row-major rows x width.
struct StateMatrix {
    std::size_t rows = 0, width = 0;
    std::vector<float> values;
    const float* row(std::int64_t i) const { return values.data() + static_cast<std::size_t>(i) * width; }
};

// sigmoid(w x + b) on cached states: weight (1 x width, decays), bias (1). A row's value depends on that row alone.
class LinearHead final : public Objective {
  public:
    // Starts from U(+-1/sqrt(width)), as torch's nn.Linear does. Throws Error for a matrix that does not fit its sizes.
    LinearHead(std::shared_ptr<const StateMatrix> states, std::uint64_t seed);

    std::size_t rows() const override { return states_->rows; }
    const std::vector<ParameterBlock>& blocks() const override { return blocks_; }
    std::span<float> parameters() override { return parameters_; }
    double accumulate(std::span<const std::int64_t> rows, std::span<const float> targets, double scale,
                      std::span<float> gradient) override;
    std::vector<double> confidences(std::span<const std::int64_t> rows) override;

  private:
    double logit(std::int64_t row) const;

    std::shared_ptr<const StateMatrix> states_;
    std::vector<ParameterBlock> blocks_;
    std::vector<float> parameters_;  // width weights, then the bias
    std::vector<double> scratch_;
};

// Draws U(+-bound) for `count` values, in order, from mt19937_64(seed).
std::vector<float> uniformInit(std::size_t count, double bound, std::uint64_t seed);

// Sum of products, accumulated in double over eight lanes in a fixed order.
double dot(const float* a, const float* b, std::size_t n);

}  // namespace candor
