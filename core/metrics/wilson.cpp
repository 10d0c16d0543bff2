// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "core/metrics/metrics.h"
#include "core/metrics/normal.h"

namespace candor {

Interval wilson(double successes, double n, double level) {
    if (!(n >= 0 && successes >= 0 && successes <= n) || !(level > 0 && level < 1))
        throw InputError("bad_interval", "Wilson's interval needs 0 <= successes <= n and a level in (0, 1), got " +
                                             std::to_string(successes) + ", " + std::to_string(n) + ", " +
                                             std::to_string(level));
    if (n == 0) return {0, 1};
    const double z = normalQuantile((1 + level) / 2), share = successes / n, zz = z * z / n;
    const double centre = share + zz / 2, reach = z * std::sqrt(share * (1 - share) / n + zz / (4 * n));
    // At the ends the exact bound is the share itself; rounding would miss it by a bit.
    return {successes == 0 ? 0 : std::max(0.0, (centre - reach) / (1 + zz)),
            successes == n ? 1 : std::min(1.0, (centre + reach) / (1 + zz))};
}

}  // namespace candor
