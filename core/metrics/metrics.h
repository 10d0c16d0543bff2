// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace candor {

// A metric's value, or why it has none. Infinities are values.
struct Metric {
    std::string name;  // as in the cases: "auroc", "ece_ew10", ...
    double value = 0;
    std::string undefinedReason;  // not empty: undefined
    bool defined() const { return undefinedReason.empty(); }
};

// Confidence, correctness (0 or 1) and, optionally, weights of the same rows.
struct Scored {
    std::span<const double> confidence;
    std::span<const double> correct;
    std::span<const double> weights = {};
};

// Throws InputError with the codes and in the order of the cases (length_mismatch, empty, non_finite_conf, ...).
void validate(const Scored& rows);
// The same for scores that are no probabilities: everything but conf_out_of_range.
void validateScores(const Scored& rows);

// Every metric of spec/metrics.md in a fixed order. Validates. The order of rows matters to alignment_elical only.
std::vector<Metric> allMetrics(const Scored& rows);
// Their names in that order: those of the cases first, then what is offered besides.
std::vector<std::string> metricNames();
// The same list for scores that are no probabilities: what needs one is undefined and says so. Throws as
// validateScores.
std::vector<Metric> scoreMetrics(const Scored& rows);
// One of them by name; throws InputError for an unknown name.
Metric metric(const Scored& rows, const std::string& name);

// Scores may be any finite number here (ranking needs no probability).
Metric auroc(const Scored& rows);

struct RocPoint {
    double falsePositiveRate, truePositiveRate, threshold;
};
std::vector<RocPoint> rocCurve(const Scored& rows);  // one point a distinct confidence, from (0,0) to (1,1)

struct Interval {
    double lo = 0, hi = 0;
};
Interval wilson(double successes, double n, double level = 0.95);

}  // namespace candor
