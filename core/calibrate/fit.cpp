// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>

#include "core/calibrate/calibrator.h"
#include "core/calibrate/temperature.h"
#include "core/error.h"
#include "core/metrics/isotonic.h"
#include "core/metrics/logistic_fit.h"
#include "core/metrics/scores.h"
#include "core/metrics/tie_blocks.h"

namespace candor {
namespace {

double logit(double p) { return std::log(p) - std::log1p(-p); }

void needOverlap(CalibratorKind kind, const TieBlocks& rows) {
    const std::string name = calibratorName(kind);
    if (rows.oneClass())
        throw InputError("one_class", name + " has no finite fit: " + oneClassReason(rows) + "; platt has one");
    if (rows.blocks.size() > 1 && !overlaps(rows))
        throw InputError("separable", name + " has no finite fit: a threshold separates correct from wrong; " +
                                          "platt and isotonic have one");
}

void takeFit(CalibratorKind kind, const LogisticFit& fit) {
    if (!fit.converged) throw Error("the " + calibratorName(kind) + " calibrator did not converge");
}

void fitPlatt(const TieBlocks& rows, Calibrator& calibrator) {
    const double high = (rows.correct + 1) / (rows.correct + 2), low = 1 / (rows.wrong() + 2);
    std::vector<LogisticRow> data;
    for (const TieBlock& block : rows.blocks) {
        const double target = block.correct * high + block.wrong() * low;
        data.push_back({{block.confidence, 1, 0}, target, block.count - target, 0});
    }
    if (data.size() == 1) {
        calibrator.b = std::log(data[0].correct / data[0].wrong);
        calibrator.status = "constant";
        return;
    }
    const LogisticFit fit = fitLogistic(data, 2);
    takeFit(calibrator.kind, fit);
    calibrator.a = fit.coefficient[0];
    calibrator.b = fit.coefficient[1];
}

void fitLogisticOnLogit(const TieBlocks& rows, Calibrator& calibrator) {
    needOverlap(calibrator.kind, rows);
    if (rows.blocks.size() == 1) {
        calibrator.b = logit(rows.correct / rows.count);
        calibrator.status = "constant";
        return;
    }
    std::vector<LogisticRow> data;
    for (const TieBlock& block : rows.blocks)
        data.push_back({{logitOfClipped(block.confidence), 1, 0}, block.correct, block.wrong(), 0});
    const LogisticFit fit = fitLogistic(data, 2);
    takeFit(calibrator.kind, fit);
    calibrator.a = fit.coefficient[0];
    calibrator.b = fit.coefficient[1];
}

std::vector<LogisticRow> betaRows(const TieBlocks& rows, bool useA, bool useB) {
    std::vector<LogisticRow> data;
    for (const TieBlock& block : rows.blocks) {
        const double p = std::clamp(block.confidence, kClip, 1 - kClip);
        LogisticRow row{{}, block.correct, block.wrong(), 0};
        std::size_t feature = 0;
        if (useA) row.x[feature++] = std::log(p);
        if (useB) row.x[feature++] = -std::log1p(-p);
        row.x[feature] = 1;
        data.push_back(row);
    }
    return data;
}

// The loss is convex: where the free optimum breaks a constraint, the optimum lies on a face of the feasible quadrant.
void fitBeta(const TieBlocks& rows, Calibrator& calibrator) {
    needOverlap(calibrator.kind, rows);
    const LogisticFit both = rows.blocks.size() > 2 ? fitLogistic(betaRows(rows, true, true), 3) : LogisticFit();
    if (both.converged && both.coefficient[0] >= 0 && both.coefficient[1] >= 0) {
        calibrator.a = both.coefficient[0];
        calibrator.b = both.coefficient[1];
        calibrator.c = both.coefficient[2];
        return;
    }
    calibrator.c = logit(rows.correct / rows.count);
    calibrator.status = rows.blocks.size() == 1 ? "constant" : "boundary";
    if (rows.blocks.size() == 1) return;
    double best = fitLogistic(betaRows(rows, false, false), 1).loss;
    for (const bool useA : {true, false}) {
        const LogisticFit one = fitLogistic(betaRows(rows, useA, !useA), 2);
        if (!one.converged || one.coefficient[0] < 0 || !(one.loss < best)) continue;
        best = one.loss;
        calibrator.a = useA ? one.coefficient[0] : 0;
        calibrator.b = useA ? 0 : one.coefficient[0];
        calibrator.c = one.coefficient[1];
    }
}

void fitIsotonic(const TieBlocks& rows, Calibrator& calibrator) {
    calibrator.y = poolAdjacentViolators(rows);
    for (const TieBlock& block : rows.blocks) calibrator.x.push_back(block.confidence);
}

void fitTemperature(const TieBlocks& rows, Calibrator& calibrator) {
    const Temperature fit = temperatureOf(rows);
    calibrator.T = fit.T;
    calibrator.status = fit.status;
    calibrator.nllBefore = fit.lossBefore;
    calibrator.nllAfter = fit.lossAfter;
}

double lossOfCalibrated(const TieBlocks& rows, const Calibrator& calibrator) {
    TieBlocks calibrated = rows;
    for (TieBlock& block : calibrated.blocks) block.confidence = calibrator(block.confidence);
    return negativeLogLikelihood(calibrated);
}

}  // namespace

Calibrator fitCalibrator(CalibratorKind kind, const Scored& rows) {
    validate(rows);
    const TieBlocks blocks = tieBlocks(rows);
    Calibrator calibrator;
    calibrator.kind = kind;
    calibrator.firstBefore = rows.confidence[0];
    switch (kind) {
        case CalibratorKind::Temperature:
            fitTemperature(blocks, calibrator);
            return calibrator;
        case CalibratorKind::Platt:
            fitPlatt(blocks, calibrator);
            break;
        case CalibratorKind::Logistic:
            fitLogisticOnLogit(blocks, calibrator);
            break;
        case CalibratorKind::Isotonic:
            fitIsotonic(blocks, calibrator);
            break;
        case CalibratorKind::Beta:
            fitBeta(blocks, calibrator);
            break;
    }
    calibrator.nllBefore = negativeLogLikelihood(blocks);
    calibrator.nllAfter = lossOfCalibrated(blocks, calibrator);
    return calibrator;
}

}  // namespace candor
