// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/metrics/metrics.h"

namespace candor {

// One metric over several sets, averaged in three ways that are never mixed (spec/metrics.md B.15):
//   macro     mean over the sets where it is defined, with their number
//   weighted  mean over the same sets weighted by their rows (the paper's average)
//   pooled    the metric of all rows as one set
struct GroupAverage {
    std::string name;
    Metric macro, weighted, pooled;
    int sets = 0;  // sets in which the metric is defined
};

struct GroupMetrics {
    std::vector<std::string> groups;           // in order of first appearance
    std::vector<std::vector<Metric>> metrics;  // of each group, in the order of metricNames()
    std::vector<GroupAverage> averages;        // one a metric
};

// `group` has one label a row. Throws InputError as validate() (of all rows), and length_mismatch. A group whose
// weights are all 0 has only undefined metrics.
GroupMetrics groupMetrics(const Scored& rows, std::span<const std::string> group);

// Macro and weighted mean of one metric's values and the rows behind each; the pooled one is left undefined.
GroupAverage averageOf(const std::string& name, std::span<const Metric> values, std::span<const double> rows);

}  // namespace candor
