// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPointF>
#include <vector>

namespace candor::ui {

// Finite, and positive where the axis is logarithmic.
bool drawable(double value, bool log);

// Exponential mean with weight in [0, 1), corrected for its start so that the first value is itself. Of all values, so
// that a prefix smooths to the prefix; what is not drawable stays as it is and carries nothing on. 0: unchanged.
std::vector<double> smoothed(const std::vector<double>& values, double weight, bool log = false);

// The stretches of drawable points. `most` > 0 and more than 20,000 points: thinned to the least and the largest of
// each of `most` buckets.
std::vector<std::vector<QPointF>> segments(const std::vector<double>& x, const std::vector<double>& y, bool log,
                                           int most);

}  // namespace candor::ui
