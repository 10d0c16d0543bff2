// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include "core/metrics/metrics.h"

namespace candor::ui {

// The central `level` of a bin's accuracy if its confidences were true: quantiles of the sum of independent coins,
// divided by their number. Exact (Poisson binomial) up to 1,000 rows, normal above. Empty: [0, 1].
Interval consistencyInterval(const std::vector<double>& confidence, double level);

}  // namespace candor::ui
