// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace candor {

// McNemar's exact test: two-sided binomial on the pairs in which exactly one of two is right. No such pair: 1.
// Throws InputError (bad_count) for negative counts.
double mcnemarExact(std::int64_t onlyFirst, std::int64_t onlySecond);

struct McNemar {
    std::int64_t onlyFirst = 0, onlySecond = 0;
    double p = 1;
};
// Of two lists of 0 and 1 of the same questions. Throws InputError (length_mismatch, bad_label).
McNemar mcnemar(std::span<const double> first, std::span<const double> second);

// Holm's step-down adjustment, in the order given. Throws InputError (bad_p) for what is no probability.
std::vector<double> holm(std::span<const double> p);

// A named family of tests that are adjusted together: a figure that shows adjusted p says which family it means.
struct Comparison {
    std::string label;
    std::optional<double> p;  // none: the test is undefined; it is left out and does not count in the family
    std::optional<double> adjusted;
};
struct HolmFamily {
    std::string name;
    std::vector<Comparison> comparisons;
    std::int64_t size() const;  // tests that count
};
HolmFamily adjusted(HolmFamily family);

}  // namespace candor
