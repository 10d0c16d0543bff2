// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace candor {

// AdamW with linear warm-up and decay, as both stages use it.
struct OptimiserOptions {
    double lr = 3e-4;
    int batch = 16;
    int microBatch = 16;
    double weightDecay = 0.1;  // on blocks that decay
    double warmup = 0.1;       // share of all steps
    double clip = 1.0;         // of the global gradient norm
    bool operator==(const OptimiserOptions&) const = default;
};

}  // namespace candor
