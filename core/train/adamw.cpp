// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/train/adamw.h"

#include <algorithm>
#include <cmath>

#include "core/error.h"

namespace candor {
namespace {

constexpr double kBeta1 = 0.9, kBeta2 = 0.999, kEps = 1e-8;

std::size_t countOf(const ParameterBlock& block) {
    std::size_t n = 1;
    for (const std::int64_t d : block.shape) n *= static_cast<std::size_t>(d);
    return n;
}

}  // namespace

AdamW::AdamW(std::vector<ParameterBlock> blocks, std::size_t size) : first_(size), second_(size) {
    for (const ParameterBlock& block : blocks) {
        if (block.offset + countOf(block) > size)
            throw Error("AdamW: block " + block.name + " ends at " + std::to_string(block.offset + countOf(block)) +
                        ", beyond the " + std::to_string(size) + " parameters");
        if (block.decays) decaying_.emplace_back(block.offset, countOf(block));
    }
}

void AdamW::step(std::span<float> parameters, std::span<const float> gradient, double lr, double weightDecay) {
    if (parameters.size() != first_.size() || gradient.size() != first_.size())
        throw Error("AdamW: expected " + std::to_string(first_.size()) + " parameters and gradients, got " +
                    std::to_string(parameters.size()) + " and " + std::to_string(gradient.size()));
    ++steps_;
    const auto keep = static_cast<float>(1 - lr * weightDecay);
    for (const auto& [offset, count] : decaying_)
        for (std::size_t i = offset; i < offset + count; ++i) parameters[i] *= keep;

    const double correction1 = 1 - std::pow(kBeta1, static_cast<double>(steps_));
    const double correction2 = 1 - std::pow(kBeta2, static_cast<double>(steps_));
    const auto stepSize = static_cast<float>(lr / correction1);
    const auto root2 = static_cast<float>(std::sqrt(correction2));
    const auto eps = static_cast<float>(kEps);
    const auto beta2 = static_cast<float>(kBeta2), new1 = static_cast<float>(1 - kBeta1),
               new2 = static_cast<float>(1 - kBeta2);
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        const float g = gradient[i];
        first_[i] += new1 * (g - first_[i]);
        second_[i] = second_[i] * beta2 + new2 * g * g;
        parameters[i] -= stepSize * first_[i] / (std::sqrt(second_[i]) / root2 + eps);
    }
}

void AdamW::restore(std::int64_t steps, std::vector<float> first, std::vector<float> second) {
    if (first.size() != first_.size() || second.size() != second_.size())
        throw Error("AdamW: the checkpoint holds moments of " + std::to_string(first.size()) +
                    " parameters, the model has " + std::to_string(first_.size()));
    steps_ = steps;
    first_ = std::move(first);
    second_ = std::move(second);
}

double scheduledRate(double peak, std::int64_t step, std::int64_t total, double warmupShare) {
    const auto warmup = static_cast<std::int64_t>(std::ceil(warmupShare * static_cast<double>(total)));
    if (step < warmup)
        return peak * (static_cast<double>(step) / static_cast<double>(std::max<std::int64_t>(1, warmup)));
    const auto left = static_cast<double>(total - step);
    return peak * std::max(0.0, left / static_cast<double>(std::max<std::int64_t>(1, total - warmup)));
}

double clipGradient(std::span<float> gradient, double clip) {
    double sum = 0;
    for (const float g : gradient) sum += static_cast<double>(g) * g;
    const double norm = std::sqrt(sum);
    if (clip > 0 && std::isfinite(norm)) {
        const auto scale = static_cast<float>(std::min(1.0, clip / (norm + 1e-6)));
        if (scale < 1) {
            for (float& g : gradient) g *= scale;
        }
    }
    return norm;
}

}  // namespace candor
