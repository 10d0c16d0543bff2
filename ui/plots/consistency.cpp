// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plots/consistency.h"

#include <algorithm>
#include <cmath>

namespace candor::ui {
namespace {

// Inverse of the standard normal distribution by bisection on erfc: slow, exact enough, called twice a bin.
double normalQuantile(double p) {
    double lo = -10, hi = 10;
    for (int i = 0; i < 80; ++i) {
        const double middle = (lo + hi) / 2;
        (0.5 * std::erfc(-middle / std::sqrt(2.0)) < p ? lo : hi) = middle;
    }
    return (lo + hi) / 2;
}

}  // namespace

Interval consistencyInterval(const std::vector<double>& confidence, double level) {
    const std::size_t n = confidence.size();
    if (n == 0) return {0, 1};
    const double tail = (1 - level) / 2;
    if (n > 1000) {
        double mean = 0, variance = 0;
        for (const double c : confidence) mean += c, variance += c * (1 - c);
        const double z = normalQuantile(1 - tail), m = mean / double(n), h = z * std::sqrt(variance) / double(n);
        return {std::max(0.0, m - h), std::min(1.0, m + h)};
    }
    std::vector<double> mass(n + 1, 0.0);  // of k right among those seen so far
    mass[0] = 1;
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t k = i + 2; k-- > 0;)
            mass[k] = mass[k] * (1 - confidence[i]) + (k > 0 ? mass[k - 1] * confidence[i] : 0);
    const auto quantile = [&](double p) {
        double below = 0;
        for (std::size_t k = 0; k <= n; ++k)
            if ((below += mass[k]) >= p - 1e-12) return double(k) / double(n);
        return 1.0;
    };
    return {quantile(tail), quantile(1 - tail)};
}

}  // namespace candor::ui
