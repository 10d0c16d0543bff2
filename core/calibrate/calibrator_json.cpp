// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/calibrate/calibrator.h"
#include "core/error.h"

namespace candor {
namespace {

using nlohmann::json;

// Inside a run of equal values a point changes nothing: only its ends are stored.
bool between(const std::vector<double>& y, std::size_t i) {
    return i > 0 && i + 1 < y.size() && y[i - 1] == y[i] && y[i] == y[i + 1];
}

json parameters(const Calibrator& calibrator) {
    json result = {{"method", calibratorName(calibrator.kind)}, {"status", calibrator.status}};
    switch (calibrator.kind) {
        case CalibratorKind::Temperature:
            result["T"] = calibrator.T;
            break;
        case CalibratorKind::Beta:
            result["c"] = calibrator.c;
            [[fallthrough]];
        case CalibratorKind::Platt:
        case CalibratorKind::Logistic:
            result["a"] = calibrator.a;
            result["b"] = calibrator.b;
            break;
        case CalibratorKind::Isotonic:
            break;
    }
    result["nll_before"] = calibrator.nllBefore;
    result["nll_after"] = calibrator.nllAfter;
    return result;
}

void check(const Calibrator& calibrator) {
    const auto finite = [](double value) { return std::isfinite(value); };
    const auto& x = calibrator.x;
    const bool numbers = finite(calibrator.T) && finite(calibrator.a) && finite(calibrator.b) && finite(calibrator.c);
    const bool points = std::all_of(x.begin(), x.end(), finite) &&
                        std::all_of(calibrator.y.begin(), calibrator.y.end(), finite) &&
                        std::adjacent_find(x.begin(), x.end(), std::greater_equal<>()) == x.end();
    const bool isotonic =
        calibrator.kind != CalibratorKind::Isotonic || (!x.empty() && x.size() == calibrator.y.size());
    if (!numbers || !points || !isotonic || !(calibrator.T > 0))
        throw InputError("bad_calibrator", "a stored " + calibratorName(calibrator.kind) +
                                               " calibrator needs finite parameters, T > 0 and ascending points");
}

}  // namespace

std::string toJson(const Calibrator& calibrator) {
    json result = parameters(calibrator);
    result["first"] = calibrator.firstBefore;
    if (calibrator.kind == CalibratorKind::Isotonic) {
        json x = json::array(), y = json::array();
        for (std::size_t i = 0; i < calibrator.x.size(); ++i) {
            if (between(calibrator.y, i)) continue;
            x.push_back(calibrator.x[i]);
            y.push_back(calibrator.y[i]);
        }
        result["x"] = x;
        result["y"] = y;
    }
    return result.dump();
}

Calibrator calibratorFromJson(const std::string& text) {
    Calibrator calibrator;
    try {
        const json stored = json::parse(text);
        calibrator.kind = calibratorKind(stored.at("method"));
        calibrator.status = stored.value("status", calibrator.status);
        calibrator.T = stored.value("T", 1.0);
        calibrator.a = stored.value("a", 0.0);
        calibrator.b = stored.value("b", 0.0);
        calibrator.c = stored.value("c", 0.0);
        calibrator.x = stored.value("x", std::vector<double>());
        calibrator.y = stored.value("y", std::vector<double>());
        calibrator.nllBefore = stored.value("nll_before", 0.0);
        calibrator.nllAfter = stored.value("nll_after", 0.0);
        calibrator.firstBefore = stored.value("first", 0.0);
    } catch (const json::exception& error) {
        throw InputError("bad_calibrator", std::string("a stored calibrator cannot be read: ") + error.what());
    }
    check(calibrator);
    return calibrator;
}

std::string parametersJson(const Calibrator& calibrator) {
    json result = parameters(calibrator);
    if (calibrator.kind == CalibratorKind::Isotonic) {
        json fitted = json::object();
        for (std::size_t i = 0; i < calibrator.x.size(); ++i) fitted[json(calibrator.x[i]).dump()] = calibrator.y[i];
        result["fitted"] = fitted;
    }
    const double first = calibrator(calibrator.firstBefore);
    result[calibrator.kind == CalibratorKind::Platt ? "p_first" : "first_calibrated"] = first;
    return result.dump();
}

}  // namespace candor
