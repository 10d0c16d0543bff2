// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/train/linear_head.h"

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "core/train/random.h"

namespace candor {

std::vector<float> uniformInit(std::size_t count, double bound, std::uint64_t seed) {
    std::mt19937_64 generator(seed);
    std::vector<float> values(count);
    for (float& value : values) value = static_cast<float>((2 * uniform(generator) - 1) * bound);
    return values;
}

double dot(const float* a, const float* b, std::size_t n) {
    double lanes[8] = {};
    std::size_t i = 0;
    for (; i + 8 <= n; i += 8)
        for (std::size_t j = 0; j < 8; ++j) lanes[j] += static_cast<double>(a[i + j]) * static_cast<double>(b[i + j]);
    for (std::size_t j = 0; i < n; ++i, ++j) lanes[j] += static_cast<double>(a[i]) * static_cast<double>(b[i]);
    return ((lanes[0] + lanes[1]) + (lanes[2] + lanes[3])) + ((lanes[4] + lanes[5]) + (lanes[6] + lanes[7]));
}

LinearHead::LinearHead(std::shared_ptr<const StateMatrix> states, std::uint64_t seed) : states_(std::move(states)) {
    const std::size_t width = states_->width;
    if (width == 0 || states_->values.size() != states_->rows * width)
        throw Error("head: " + std::to_string(states_->values.size()) + " values are not " +
                    std::to_string(states_->rows) + " states of width " + std::to_string(width));
    blocks_ = {{"weight", 0, {1, static_cast<std::int64_t>(width)}, true}, {"bias", width, {1}, false}};
    parameters_ = uniformInit(width + 1, 1 / std::sqrt(static_cast<double>(width)), seed);
    scratch_.resize(width);
}

double LinearHead::logit(std::int64_t row) const {
    return dot(states_->row(row), parameters_.data(), states_->width) + static_cast<double>(parameters_.back());
}

double LinearHead::accumulate(std::span<const std::int64_t> rows, std::span<const float> targets, double scale,
                              std::span<float> gradient) {
    const std::size_t width = states_->width;
    std::ranges::fill(scratch_, 0.0);
    double squares = 0, bias = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const double p = 1 / (1 + std::exp(-logit(rows[i])));
        const double error = p - static_cast<double>(targets[i]);
        squares += error * error;
        const double slope = scale * 2 * error * p * (1 - p);
        const float* x = states_->row(rows[i]);
        for (std::size_t j = 0; j < width; ++j) scratch_[j] += slope * static_cast<double>(x[j]);
        bias += slope;
    }
    for (std::size_t j = 0; j < width; ++j) gradient[j] += static_cast<float>(scratch_[j]);
    gradient[width] += static_cast<float>(bias);
    return squares;
}

std::vector<double> LinearHead::confidences(std::span<const std::int64_t> rows) {
    std::vector<double> result;
    result.reserve(rows.size());
    for (const std::int64_t row : rows) result.push_back(1 / (1 + std::exp(-logit(row))));
    return result;
}

}  // namespace candor
