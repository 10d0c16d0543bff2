// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/logprob.h"

#include <algorithm>
#include <cmath>

namespace candor {
namespace {

// Stored log-probabilities are rounded; one may stand a hair above 0.
constexpr double kRounding = 1e-6;

std::optional<double> sum(std::span<const double> logprobs) {
    if (logprobs.empty()) return std::nullopt;
    double total = 0;
    for (const double value : logprobs) {
        if (std::isnan(value) || value > kRounding) return std::nullopt;
        total += value;
    }
    return std::min(total, 0.0);
}

}  // namespace

std::optional<double> nProb(std::span<const double> logprobs) {
    const auto total = sum(logprobs);
    return total ? std::optional(std::exp(*total / static_cast<double>(logprobs.size()))) : std::nullopt;
}

std::optional<double> prob(std::span<const double> logprobs) {
    const auto total = sum(logprobs);
    return total ? std::optional(std::exp(*total)) : std::nullopt;
}

std::optional<double> logProb(std::span<const double> logprobs) {
    const auto total = sum(logprobs);
    return total && std::isfinite(*total) ? total : std::nullopt;
}

std::optional<double> elicalNProb(double cumulative, long tokens) {
    if (tokens <= 0 || std::isnan(cumulative) || cumulative > kRounding) return std::nullopt;
    return std::exp(std::min(cumulative, 0.0) / static_cast<double>(tokens));
}

}  // namespace candor
