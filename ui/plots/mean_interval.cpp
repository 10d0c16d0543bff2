// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plots/mean_interval.h"

#include <algorithm>
#include <cmath>

namespace candor::ui {
namespace {

// P(|T| < t) in closed form for whole degrees of freedom (Abramowitz & Stegun 26.7.3 and 26.7.4).
double within(double t, int df) {
    const double angle = std::atan(t / std::sqrt(double(df))), c = std::cos(angle), s = std::sin(angle);
    double term = df % 2 == 1 ? c : 1, sum = df == 1 ? 0 : term;
    for (int k = df % 2 == 1 ? 3 : 2; k < df; k += 2) sum += term *= c * c * (k - 1) / k;
    return df % 2 == 1 ? 2 / M_PI * (angle + s * sum) : s * sum;
}

}  // namespace

double studentQuantile(double p, int df) {
    double lo = 0, hi = 1;
    while (within(hi, df) < 2 * p - 1) hi *= 2;
    for (int i = 0; i < 100; ++i) {
        const double middle = (lo + hi) / 2;
        (within(middle, df) < 2 * p - 1 ? lo : hi) = middle;
    }
    return (lo + hi) / 2;
}

MeanInterval meanInterval(const std::vector<double>& values) {
    MeanInterval r;
    double sum = 0, least = INFINITY, most = -INFINITY;
    for (const double v : values) {
        if (!std::isfinite(v)) {
            ++r.undefined;
            continue;
        }
        ++r.n, sum += v, least = std::min(least, v), most = std::max(most, v);
    }
    if (r.n == 0) {
        r.mean = r.lo = r.hi = NAN;
        return r;
    }
    r.mean = sum / r.n;
    if (r.n == 1 || least == most) {
        r.lo = r.hi = r.mean;
    } else if (r.n == 2) {
        r.lo = least, r.hi = most;
    } else {
        double squares = 0;
        for (const double v : values)
            if (std::isfinite(v)) squares += (v - r.mean) * (v - r.mean);
        const double half = studentQuantile(0.975, r.n - 1) * std::sqrt(squares / (r.n - 1) / r.n);
        r.lo = r.mean - half, r.hi = r.mean + half;
    }
    return r;
}

}  // namespace candor::ui
