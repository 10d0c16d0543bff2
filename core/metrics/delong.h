// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "core/metrics/metrics.h"
#include "core/metrics/tie_blocks.h"
#include "core/metrics/value.h"

namespace candor {

// DeLong's variance of the AUROC in O(n log n) by mid-ranks (Sun & Xu 2014; spec/metrics.md B.2). Unweighted.
// Fewer than two correct or two wrong answers: undefined.
Value delongVariance(const TieBlocks& rows);

enum class AurocScale : std::uint8_t { Plain, Logit };

struct DelongInterval {
    double auroc = 0, variance = 0, standardError = 0;
    double lo = 0, hi = 0;  // clipped to [0, 1]
    AurocScale scale = AurocScale::Plain;
    std::string undefinedReason;  // not empty: no interval; `auroc` is a number unless a class is missing
};

// Interval at `level`; on the logit scale where either class has fewer than 30 rows (and the AUROC is neither 0 nor 1,
// whose logits are infinite: then the plain one). Scores may be any finite number. Throws InputError as validateScores.
DelongInterval delongInterval(const Scored& rows, double level = 0.95);

struct PairedDelong {
    double auc1 = 0, auc2 = 0, diff = 0;
    double var1 = 0, var2 = 0, cov = 0, varDiff = 0;
    std::optional<double> z;      // none where varDiff is 0
    double p = 1;                 // two-sided; varDiff 0: 1 for equal AUROC, else 0
    std::string undefinedReason;  // not empty: fewer than two correct or two wrong answers
};

// Two scores of the same rows against the same truth. Throws InputError as validateScores.
PairedDelong delongPaired(std::span<const double> first, std::span<const double> second,
                          std::span<const double> correct);

}  // namespace candor
