// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/experiment/posthoc.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/calibrate/calibrator.h"

namespace candor {

Calibrated calibratePostHoc(const std::string& calibrator, std::span<const double> confidences,
                            std::span<const double> correct, std::span<const double> apply) {
    std::vector<double> fitOn, truth;
    for (std::size_t i = 0; i < confidences.size(); ++i) {
        if (std::isnan(confidences[i])) continue;
        fitOn.push_back(std::clamp(confidences[i], 0.0, 1.0));
        truth.push_back(correct[i]);
    }
    const Calibrator fitted = fitCalibrator(calibratorKind(calibrator), {fitOn, truth});
    Calibrated result;
    for (const double confidence : apply)
        result.confidences.push_back(std::isnan(confidence) ? std::numeric_limits<double>::quiet_NaN()
                                                            : fitted(std::clamp(confidence, 0.0, 1.0)));
    result.parameters = parametersJson(fitted);
    return result;
}

}  // namespace candor
