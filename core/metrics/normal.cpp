// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/metrics/normal.h"

#include <cmath>
#include <limits>
#include <numbers>

namespace candor {
namespace {

// Lower tail, probability <= 1/2. Start: the leading term of the tail (Abramowitz & Stegun 26.2.23), then Halley steps.
double lowerQuantile(double probability) {
    const double t = std::sqrt(-2 * std::log(probability));
    double x = (2.515517 + t * (0.802853 + t * 0.010328)) / (1 + t * (1.432788 + t * (0.189269 + t * 0.001308))) - t;
    for (int step = 0; step < 4; ++step) {
        const double density = std::exp(-x * x / 2) / std::sqrt(2 * std::numbers::pi);
        if (!(density > 0)) break;
        const double u = (normalCdf(x) - probability) / density;
        x -= u / (1 + x * u / 2);
    }
    return x;
}

}  // namespace

double normalCdf(double x) { return std::erfc(-x / std::numbers::sqrt2) / 2; }

double normalQuantile(double probability) {
    if (!(probability >= 0 && probability <= 1)) return std::numeric_limits<double>::quiet_NaN();
    if (probability == 0) return -std::numeric_limits<double>::infinity();
    if (probability == 1) return std::numeric_limits<double>::infinity();
    return probability <= 0.5 ? lowerQuantile(probability) : -lowerQuantile(1 - probability);
}

double twoSidedP(double z) { return std::erfc(std::abs(z) / std::numbers::sqrt2); }

}  // namespace candor
