// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace candor {

// One named block of a flat parameter vector. Matrices decay, biases do not.
struct ParameterBlock {
    std::string name;  // as PEFT or torch spell it, e.g. "base_model.model.layers.0.self_attn.q_proj.lora_A.weight"
    std::size_t offset = 0;
    std::vector<std::int64_t> shape;
    bool decays = false;
};

// A trainable confidence estimator over a fixed list of questions, seen by the trainer as a flat fp32 vector.
// Rows index that list. Not thread safe: one thread at a time.
class Objective {
  public:
    virtual ~Objective() = default;

    virtual std::size_t rows() const = 0;
    virtual const std::vector<ParameterBlock>& blocks() const = 0;
    virtual std::span<float> parameters() = 0;  // written by the optimiser; call parametersChanged() after writing
    virtual void parametersChanged() {}

    // Adds scale * d/dparam sum_i (sigmoid(z_i) - target_i)^2 to `gradient` (same layout as parameters()).
    // Returns the plain sum of squared errors. What is computed together must not change a row's value.
    virtual double accumulate(std::span<const std::int64_t> rows, std::span<const float> targets, double scale,
                              std::span<float> gradient) = 0;

    // Confidences sigmoid(z) in evaluation mode, one a row, in the order asked for.
    virtual std::vector<double> confidences(std::span<const std::int64_t> rows) = 0;
};

}  // namespace candor
