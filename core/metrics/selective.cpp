// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/metrics/selective.h"

#include <algorithm>
#include <cmath>

#include "core/metrics/sum.h"

namespace candor {
namespace {

// Sum over k in (from, n] of the expected risk among the top k.
double sumOfRisks(const TieBlocks& rows, double from) {
    Sum sum;
    double above = 0, errors = 0;
    for (auto block = rows.blocks.rbegin(); block != rows.blocks.rend(); ++block) {
        const double step = block->wrong() / block->count;
        // A block of right answers at the top adds nothing: common, and a division a row saved.
        if (errors > 0 || step > 0)
            for (double j = std::max(1.0, from - above + 1); j <= block->count; ++j)
                sum.add((errors + j * step) / (above + j));
        above += block->count;
        errors += block->wrong();
    }
    return sum.value();
}

double sumOfOracleRisks(const TieBlocks& rows, double from) {
    Sum sum;
    for (double j = std::max(1.0, from - rows.correct + 1); j <= rows.wrong(); ++j) sum.add(j / (rows.correct + j));
    return sum.value();
}

Value rejectionRatio(const TieBlocks& rows, double from) {
    if (rows.oneClass()) return Value::undefined(oneClassReason(rows));
    const double base = rows.wrong() / rows.count * (rows.count - from);
    return (base - sumOfRisks(rows, from)) / (base - sumOfOracleRisks(rows, from));
}

}  // namespace

double areaUnderRiskCoverage(const TieBlocks& rows) { return sumOfRisks(rows, 0) / rows.count; }
double oracleRiskCoverage(const TieBlocks& rows) { return sumOfOracleRisks(rows, 0) / rows.count; }

double generalisedRiskCoverage(const TieBlocks& rows) {
    Sum sum;
    double errors = 0;
    for (auto block = rows.blocks.rbegin(); block != rows.blocks.rend(); ++block) {
        sum.add(errors * block->count + block->wrong() * (block->count + 1) / 2);
        errors += block->wrong();
    }
    return sum.value() / rows.count / rows.count;
}

Value predictionRejectionRatio(const TieBlocks& rows) { return rejectionRatio(rows, 0); }

Value predictionRejectionRatioOfHalf(const TieBlocks& rows) {
    if (rows.oneClass()) return Value::undefined(oneClassReason(rows));
    if (rows.count < 4) return Value::undefined("half of fewer than four rows leaves nothing to reject");
    return rejectionRatio(rows, rows.count - std::floor(rows.count / 2));
}

double selectiveAccuracy(const TieBlocks& rows, int percent) {
    const double wanted = std::ceil(percent * rows.count / 100);  // an exact quotient stays exact
    double above = 0, correct = 0;
    for (auto block = rows.blocks.rbegin(); block != rows.blocks.rend(); ++block) {
        if (above + block->count >= wanted)
            return (correct + (wanted - above) * (block->correct / block->count)) / wanted;
        above += block->count;
        correct += block->correct;
    }
    return correct / rows.count;
}

double coverageAtAccuracy(const TieBlocks& rows, int percent) {
    double above = 0, correct = 0, best = 0;
    for (auto block = rows.blocks.rbegin(); block != rows.blocks.rend(); ++block) {
        above += block->count;
        correct += block->correct;
        if (100 * correct >= percent * above) best = above;
    }
    return best / rows.count;
}

std::vector<RiskCoveragePoint> riskCoverageCurve(const TieBlocks& rows) {
    std::vector<RiskCoveragePoint> curve;
    double above = 0, errors = 0;
    for (auto block = rows.blocks.rbegin(); block != rows.blocks.rend(); ++block) {
        above += block->count;
        errors += block->wrong();
        curve.push_back({above / rows.count, errors / above, block->confidence});
    }
    return curve;
}

}  // namespace candor
