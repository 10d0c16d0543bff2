// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/metrics/comparison.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/error.h"
#include "core/metrics/sum.h"

namespace candor {
namespace {

// P(X <= k) of X ~ Binomial(n, 1/2), k < n/2. Terms fall from k downwards; each is the one before times a ratio.
double lowerTailOfHalf(std::int64_t k, std::int64_t n) {
    const auto trials = static_cast<double>(n);
    // Small numbers exactly: C(n, k) 2^-n by products that stay in range.
    double term = 1;
    if (n <= 1000)
        for (std::int64_t i = 0; i < k; ++i) term *= (trials - static_cast<double>(i)) / static_cast<double>(i + 1);
    else
        term = std::exp(std::lgamma(trials + 1) - std::lgamma(static_cast<double>(k) + 1) -
                        std::lgamma(static_cast<double>(n - k) + 1) - trials * std::log(2.0));
    Sum sum;
    for (std::int64_t i = k; i >= 0 && term > 0; --i) {
        sum.add(term);
        term *= static_cast<double>(i) / static_cast<double>(n - i + 1);
    }
    return n <= 1000 ? std::ldexp(sum.value(), -static_cast<int>(n)) : sum.value();
}

}  // namespace

double mcnemarExact(std::int64_t onlyFirst, std::int64_t onlySecond) {
    if (onlyFirst < 0 || onlySecond < 0)
        throw InputError("bad_count", "counts of discordant pairs cannot be negative, got " +
                                          std::to_string(onlyFirst) + " and " + std::to_string(onlySecond));
    if (onlyFirst == onlySecond) return 1;
    return std::min(1.0, 2 * lowerTailOfHalf(std::min(onlyFirst, onlySecond), onlyFirst + onlySecond));
}

McNemar mcnemar(std::span<const double> first, std::span<const double> second) {
    if (first.size() != second.size())
        throw InputError("length_mismatch", "both lists must answer the same questions, got " +
                                                std::to_string(first.size()) + " and " + std::to_string(second.size()));
    McNemar result;
    for (std::size_t i = 0; i < first.size(); ++i) {
        for (const double value : {first[i], second[i]})
            if (value != 0 && value != 1)
                throw InputError("bad_label", "right must be 0 or 1 in row " + std::to_string(i + 1) + ": got " +
                                                  std::to_string(value));
        result.onlyFirst += first[i] > second[i];
        result.onlySecond += first[i] < second[i];
    }
    result.p = mcnemarExact(result.onlyFirst, result.onlySecond);
    return result;
}

std::vector<double> holm(std::span<const double> p) {
    for (const double value : p)
        if (!(value >= 0 && value <= 1))
            throw InputError("bad_p", "a p-value lies between 0 and 1, got " + std::to_string(value));
    std::vector<std::size_t> order(p.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return p[a] < p[b]; });
    std::vector<double> result(p.size());
    double largest = 0;
    for (std::size_t i = 0; i < order.size(); ++i) {
        largest = std::max(largest, std::min(1.0, static_cast<double>(order.size() - i) * p[order[i]]));
        result[order[i]] = largest;
    }
    return result;
}

std::int64_t HolmFamily::size() const {
    return std::count_if(comparisons.begin(), comparisons.end(), [](const auto& one) { return one.p.has_value(); });
}

HolmFamily adjusted(HolmFamily family) {
    std::vector<double> p;
    for (const Comparison& comparison : family.comparisons)
        if (comparison.p) p.push_back(*comparison.p);
    const std::vector<double> corrected = holm(p);
    std::size_t next = 0;
    for (Comparison& comparison : family.comparisons) {
        comparison.adjusted.reset();
        if (comparison.p) comparison.adjusted = corrected[next++];
    }
    return family;
}

}  // namespace candor
