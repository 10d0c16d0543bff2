// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/calibrate/calibrator.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/error.h"
#include "core/metrics/logistic_fit.h"
#include "core/metrics/scores.h"

namespace candor {
namespace {

constexpr std::array<const char*, 5> kNames = {"temperature", "platt", "logistic", "isotonic", "beta"};

// Straight line between neighbouring points, the end values outside.
double interpolate(const std::vector<double>& x, const std::vector<double>& y, double at) {
    const auto right = static_cast<std::size_t>(std::lower_bound(x.begin(), x.end(), at) - x.begin());
    if (right == x.size()) return y.back();
    if (right == 0 || x[right] == at || y[right] == y[right - 1]) return y[right];
    const double share = (at - x[right - 1]) / (x[right] - x[right - 1]);
    return y[right - 1] + share * (y[right] - y[right - 1]);
}

}  // namespace

std::string calibratorName(CalibratorKind kind) { return kNames.at(static_cast<std::size_t>(kind)); }

CalibratorKind calibratorKind(const std::string& name) {
    const auto found = std::find(kNames.begin(), kNames.end(), name);
    if (found == kNames.end())
        throw InputError("unknown_calibrator", "there is no calibrator '" + name +
                                                   "'; it is one of temperature, platt, logistic, isotonic, beta");
    return static_cast<CalibratorKind>(found - kNames.begin());
}

double Calibrator::operator()(double confidence) const {
    const double clipped = std::clamp(confidence, kClip, 1 - kClip);
    switch (kind) {
        case CalibratorKind::Temperature:
            return sigmoid(logitOfClipped(confidence) / T);
        case CalibratorKind::Platt:
            return sigmoid(a * confidence + b);
        case CalibratorKind::Logistic:
            return sigmoid(a * logitOfClipped(confidence) + b);
        case CalibratorKind::Isotonic:
            return interpolate(x, y, confidence);
        case CalibratorKind::Beta:
            return sigmoid(a * std::log(clipped) - b * std::log1p(-clipped) + c);
    }
    throw Error("a calibrator of no known kind");
}

std::vector<double> Calibrator::apply(std::span<const double> confidence) const {
    const std::vector<double> labels(confidence.size(), 0.0);
    if (!confidence.empty()) validate({confidence, labels});
    std::vector<double> calibrated(confidence.size());
    std::transform(confidence.begin(), confidence.end(), calibrated.begin(), *this);
    return calibrated;
}

}  // namespace candor
