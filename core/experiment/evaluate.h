// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>
#include <vector>

#include "core/experiment/data.h"
#include "core/experiment/store.h"

namespace candor {

// Metrics of one run by set ("dataset/split", average "") and by domain ("in-domain", "out-of-domain"; averages
// "weighted" by rows and "macro", over the sets where the metric is defined). `confidences` go with data.eval; NaN: the
// method has none for the row. Rows without confidence or verdict are left out, `n` counts the others. Names: auroc
// (with DeLong's 95 % interval), accuracy (Wilson's), ece_ew10, brier, alignment_elical.
std::vector<MetricRecord> evaluate(const ExperimentData& data, std::span<const double> confidences);

}  // namespace candor
