// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/train/linear_head.h"

namespace candor {

// Three linear layers with ReLU between (width -> width/2 -> width/4 -> 1) and a sigmoid on cached states; parameters
// are named as torch's nn.Sequential names them: 0.weight, 0.bias, 2.weight, ... A row's value depends on that row
// alone.
class MlpHead final : public Objective {
  public:
    // Each layer starts from U(+-1/sqrt(its inputs)). Throws Error for a width below 4 or a matrix that does not fit.
    MlpHead(std::shared_ptr<const StateMatrix> states, std::uint64_t seed);

    std::size_t rows() const override { return states_->rows; }
    const std::vector<ParameterBlock>& blocks() const override { return blocks_; }
    std::span<float> parameters() override { return parameters_; }
    double accumulate(std::span<const std::int64_t> rows, std::span<const float> targets, double scale,
                      std::span<float> gradient) override;
    std::vector<double> confidences(std::span<const std::int64_t> rows) override;

  private:
    struct Layer {
        std::size_t in, out, weight, bias;  // offsets
    };
    double forward(std::int64_t row);
    void backward(std::int64_t row, double slope, std::span<float> gradient);

    std::shared_ptr<const StateMatrix> states_;
    std::array<Layer, 3> layers_;
    std::vector<ParameterBlock> blocks_;
    std::vector<float> parameters_;
    std::array<std::vector<float>, 2> hidden_, slopes_;  // after ReLU, of the row in work
};

// The head that "adapter.head" names: "linear" or "mlp". Throws Error for another name.
std::unique_ptr<Objective> makeHead(const std::string& kind, std::shared_ptr<const StateMatrix> states,
                                    std::uint64_t seed);

}  // namespace candor
