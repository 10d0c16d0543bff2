// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <charconv>
#include <cmath>

#include "core/metrics/metrics.h"
#include "core/metrics/row_error.h"

namespace candor {
namespace {

using Values = std::span<const double>;

template <class Bad>
std::size_t firstBad(Values values, Bad bad) {
    return static_cast<std::size_t>(std::find_if(values.begin(), values.end(), bad) - values.begin());
}

// As a reader would write it: 2, not 2.000000.
std::string shortest(double value) {
    char text[32];
    return {text, std::to_chars(text, text + sizeof text, value).ptr};
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
        throw RowError("non_finite_conf", "a confidence must be a finite number", row, rows.confidence[row]);
}

void checkRange(const Scored& rows) {
    const auto outside = [](double value) { return value < 0 || value > 1; };
    const auto row = firstBad(rows.confidence, outside);
    if (row == rows.confidence.size()) return;
    const bool percent = std::all_of(rows.confidence.begin(), rows.confidence.end(),
                                     [](double value) { return value >= 0 && value <= 100; });
    throw RowError("conf_out_of_range", "a confidence must lie in [0, 1]", row, rows.confidence[row],
                   percent ? "are these percentages? divide them by 100 for the 0..1 scale"
                           : "scores that are no probabilities have ranking metrics only");
}

void checkLabels(const Scored& rows) {
    const auto row = firstBad(rows.correct, [](double value) { return value != 0 && value != 1; });
    if (row < rows.correct.size()) throw RowError("bad_label", "correct must be 0 or 1", row, rows.correct[row]);
}

void checkWeights(const Scored& rows) {
    if (rows.weights.empty()) return;
    const auto row = firstBad(rows.weights, [](double value) { return !std::isfinite(value) || value < 0; });
    if (row < rows.weights.size())
        throw RowError("bad_weight", "a weight must be a finite number, 0 or more", row, rows.weights[row]);
    if (std::none_of(rows.weights.begin(), rows.weights.end(), [](double value) { return value > 0; }))
        throw InputError("zero_weight_sum", "all weights are 0: at least one row must count");
}

}  // namespace

RowError::RowError(const std::string& code, const std::string& rule, std::size_t row, double value,
                   const std::string& advice)
    : InputError(code, rule + " in row " + std::to_string(row + 1) + ": got " + shortest(value) +
                           (advice.empty() ? "" : "; " + advice)),
      row_(row),
      value_(value),
      rule_(rule),
      advice_(advice) {}

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
