// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/train/mlp_head.h"

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "core/train/random.h"

namespace candor {

MlpHead::MlpHead(std::shared_ptr<const StateMatrix> states, std::uint64_t seed) : states_(std::move(states)) {
    const std::size_t width = states_->width;
    if (width < 4 || states_->values.size() != states_->rows * width)
        throw Error("mlp head: " + std::to_string(states_->values.size()) + " values are not " +
                    std::to_string(states_->rows) + " states of width " + std::to_string(width) + ", at least 4");
    const std::array<std::size_t, 4> sizes = {width, width / 2, width / 4, 1};
    for (std::size_t l = 0; l < layers_.size(); ++l) {
        const std::size_t in = sizes[l], out = sizes[l + 1], at = parameters_.size();
        layers_[l] = {in, out, at, at + in * out};
        const std::string name = std::to_string(2 * l);
        blocks_.push_back(
            {name + ".weight", at, {static_cast<std::int64_t>(out), static_cast<std::int64_t>(in)}, true});
        blocks_.push_back({name + ".bias", at + in * out, {static_cast<std::int64_t>(out)}, false});
        const auto drawn =
            uniformInit(in * out + out, 1 / std::sqrt(static_cast<double>(in)), mixSeed(seed, "layer", l));
        parameters_.insert(parameters_.end(), drawn.begin(), drawn.end());
    }
    for (std::size_t l = 0; l < 2; ++l) {
        hidden_[l].resize(sizes[l + 1]);
        slopes_[l].resize(sizes[l + 1]);
    }
}

double MlpHead::forward(std::int64_t row) {
    const float* input = states_->row(row);
    for (std::size_t l = 0; l < 2; ++l) {
        const Layer& layer = layers_[l];
        for (std::size_t o = 0; o < layer.out; ++o) {
            const double z = dot(input, parameters_.data() + layer.weight + o * layer.in, layer.in) +
                             static_cast<double>(parameters_[layer.bias + o]);
            hidden_[l][o] = static_cast<float>(std::max(0.0, z));
        }
        input = hidden_[l].data();
    }
    const Layer& last = layers_[2];
    const double z =
        dot(input, parameters_.data() + last.weight, last.in) + static_cast<double>(parameters_[last.bias]);
    return 1 / (1 + std::exp(-z));
}

// `slope` is the derivative by the logit; forward() of the same row came before.
void MlpHead::backward(std::int64_t row, double slope, std::span<float> gradient) {
    const float top = static_cast<float>(slope);
    const float* above = &top;
    for (std::size_t l = 3; l-- > 0;) {
        const Layer& layer = layers_[l];
        const float* input = l == 0 ? states_->row(row) : hidden_[l - 1].data();
        if (l > 0) std::ranges::fill(slopes_[l - 1], 0.0F);
        for (std::size_t o = 0; o < layer.out; ++o) {
            if (above[o] == 0) continue;
            gradient[layer.bias + o] += above[o];
            float* weightGradient = gradient.data() + layer.weight + o * layer.in;
            for (std::size_t j = 0; j < layer.in; ++j) weightGradient[j] += above[o] * input[j];
            if (l == 0) continue;
            const float* weight = parameters_.data() + layer.weight + o * layer.in;
            for (std::size_t j = 0; j < layer.in; ++j) slopes_[l - 1][j] += above[o] * weight[j];
        }
        if (l == 0) break;
        for (std::size_t j = 0; j < layer.in; ++j)
            if (input[j] <= 0) slopes_[l - 1][j] = 0;
        above = slopes_[l - 1].data();
    }
}

double MlpHead::accumulate(std::span<const std::int64_t> rows, std::span<const float> targets, double scale,
                           std::span<float> gradient) {
    double squares = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const double p = forward(rows[i]), error = p - static_cast<double>(targets[i]);
        squares += error * error;
        backward(rows[i], scale * 2 * error * p * (1 - p), gradient);
    }
    return squares;
}

std::vector<double> MlpHead::confidences(std::span<const std::int64_t> rows) {
    std::vector<double> result;
    result.reserve(rows.size());
    for (const std::int64_t row : rows) result.push_back(forward(row));
    return result;
}

std::unique_ptr<Objective> makeHead(const std::string& kind, std::shared_ptr<const StateMatrix> states,
                                    std::uint64_t seed) {
    if (kind == "linear") return std::make_unique<LinearHead>(std::move(states), seed);
    if (kind == "mlp") return std::make_unique<MlpHead>(std::move(states), seed);
    throw Error("unknown head \"" + kind + "\": expected \"linear\" or \"mlp\"");
}

}  // namespace candor
