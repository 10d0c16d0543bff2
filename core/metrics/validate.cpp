// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "core/metrics/metrics.h"

namespace candor {
namespace {

using Values = std::span<const double>;

template <class Bad>
std::size_t firstBad(Values values, Bad bad) {
    return static_cast<std::size_t>(std::find_if(values.begin(), values.end(), bad) - values.begin());
}

std::string at(Values values, std::size_t row) {
    return " in row " + std::to_string(row + 1) + ": got " + std::to_string(values[row]);
}

void checkSizes(const Scored& rows) {
    const std::size_t n = rows.confidence.size();
    if (rows.correct.size() != n || (!rows.weights.empty() && rows.weights.size() != n))
        throw InputError("length_mismatch", "confidence, correct and weights must have one length, got " +
                                                std::to_string(n) + ", " + std::to_string(rows.correct.size()) +
                                                " and " + std::to_string(rows.weights.size()));
    if (n == 0) throw InputError("empty", "there are no rows: metrics need at least one");
}

void checkFinite(const Scored& rows) {
    const auto row = firstBad(rows.confidence, [](double value) { return !std::isfinite(value); });
    if (row < rows.confidence.size())
        throw InputError("non_finite_conf", "a confidence must be a finite number" + at(rows.confidence, row));
}

void checkRange(const Scored& rows) {
    const auto outside = [](double value) { return value < 0 || value > 1; };
    const auto row = firstBad(rows.confidence, outside);
    if (row == rows.confidence.size()) return;
    const bool percent = std::all_of(rows.confidence.begin(), rows.confidence.end(),
                                     [](double value) { return value >= 0 && value <= 100; });
    throw InputError("conf_out_of_range",
                     "a confidence must lie in [0, 1]" + at(rows.confidence, row) +
                         (percent ? "; are these percentages? divide them by 100 for the 0..1 scale"
                                  : "; scores that are no probabilities have ranking metrics only"));
}

void checkLabels(const Scored& rows) {
    const auto row = firstBad(rows.correct, [](double value) { return value != 0 && value != 1; });
    if (row < rows.correct.size()) throw InputError("bad_label", "correct must be 0 or 1" + at(rows.correct, row));
}

void checkWeights(const Scored& rows) {
    if (rows.weights.empty()) return;
    const auto row = firstBad(rows.weights, [](double value) { return !std::isfinite(value) || value < 0; });
    if (row < rows.weights.size())
        throw InputError("bad_weight", "a weight must be a finite number, 0 or more" + at(rows.weights, row));
    if (std::none_of(rows.weights.begin(), rows.weights.end(), [](double value) { return value > 0; }))
        throw InputError("zero_weight_sum", "all weights are 0: at least one row must count");
}

}  // namespace

void validate(const Scored& rows) {
    checkSizes(rows);
    checkFinite(rows);
    checkRange(rows);
    checkLabels(rows);
    checkWeights(rows);
}

void validateScores(const Scored& rows) {
    checkSizes(rows);
    checkFinite(rows);
    checkLabels(rows);
    checkWeights(rows);
}

}  // namespace candor
