// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/calibrate/temperature.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/metrics/logistic_fit.h"
#include "core/metrics/sum.h"

namespace candor {
namespace {

constexpr double kLowest = 0.01, kHighest = 100;

struct Row {
    double logit, correct, wrong;
};

struct Slope {
    double first, second;  // derivatives of the loss by the inverse temperature
};

Slope slopeAt(const std::vector<Row>& rows, double inverse) {
    Sum first, second;
    for (const Row& row : rows) {
        const double p = sigmoid(inverse * row.logit), q = sigmoid(-inverse * row.logit);
        first.add(row.logit * (row.wrong * p - row.correct * q));
        second.add(row.logit * row.logit * (row.correct + row.wrong) * p * q);
    }
    return {first.value(), second.value()};
}

double lossAt(const std::vector<Row>& rows, double inverse) {
    Sum sum;
    for (const Row& row : rows)
        sum.add(row.correct * softplus(-inverse * row.logit) + row.wrong * softplus(inverse * row.logit));
    return sum.value();
}

// Newton's method inside a bracket that shrinks; a step out of it becomes a geometric bisection.
double rootOfSlope(const std::vector<Row>& rows, double low, double high) {
    double inverse = std::clamp(1.0, low, high);
    for (int step = 0; step < 200; ++step) {
        const Slope slope = slopeAt(rows, inverse);
        if (slope.first == 0) break;
        (slope.first > 0 ? high : low) = inverse;
        double next = inverse - slope.first / slope.second;
        if (!(next > low && next < high)) next = std::sqrt(low * high);
        const double change = std::abs(next - inverse);
        inverse = next;
        if (change <= 1e-15 * inverse) break;
    }
    return inverse;
}

}  // namespace

Temperature temperatureOf(const TieBlocks& rows) {
    std::vector<Row> data;
    for (const TieBlock& block : rows.blocks)
        data.push_back({logitOfClipped(block.confidence), block.correct, block.wrong()});
    Temperature result{1, "interior", lossAt(data, 1) / rows.count, 0};
    const bool flat = std::all_of(data.begin(), data.end(), [](const Row& row) { return row.logit == 0; });
    // Far out the slope underflows to 0: with the optimum beyond the end that is a clamp too.
    if (flat) {
        result.status = "flat";
    } else if (slopeAt(data, 1 / kLowest).first <= 0) {
        result.T = kLowest;
        result.status = "clamped_low";
    } else if (slopeAt(data, 1 / kHighest).first >= 0) {
        result.T = kHighest;
        result.status = "clamped_high";
    } else {
        result.T = 1 / rootOfSlope(data, 1 / kHighest, 1 / kLowest);
    }
    result.lossAfter = lossAt(data, 1 / result.T) / rows.count;
    return result;
}

}  // namespace candor
