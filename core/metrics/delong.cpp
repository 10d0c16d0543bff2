// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/metrics/delong.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/error.h"
#include "core/metrics/discrimination.h"
#include "core/metrics/normal.h"
#include "core/metrics/sum.h"

namespace candor {
namespace {

constexpr double kFewRows = 30;  // below, the logit scale keeps its coverage where the plain one loses it

std::string tooFewReason(const TieBlocks& rows) {
    if (rows.oneClass()) return oneClassReason(rows);
    return "the variance needs two correct and two wrong answers, got " +
           std::to_string(static_cast<std::int64_t>(rows.correct)) + " and " +
           std::to_string(static_cast<std::int64_t>(rows.wrong()));
}

// Placement of each block: the share of the other class that a row of it beats (ties half).
struct Placements {
    std::vector<double> ofCorrect, ofWrong;  // one a block
};

Placements placements(const TieBlocks& rows) {
    Placements result;
    double wrongBelow = 0, correctBelow = 0;
    for (const TieBlock& block : rows.blocks) {
        result.ofCorrect.push_back((wrongBelow + block.wrong() / 2) / rows.wrong());
        result.ofWrong.push_back((rows.correct - correctBelow - block.correct / 2) / rows.correct);
        wrongBelow += block.wrong();
        correctBelow += block.correct;
    }
    return result;
}

// Sample (co)variance of two lists.
double covariance(const std::vector<double>& a, const std::vector<double>& b) {
    const auto n = static_cast<double>(a.size());
    Sum sumA, sumB, products;
    for (std::size_t i = 0; i < a.size(); ++i) {
        sumA.add(a[i]);
        sumB.add(b[i]);
    }
    const double meanA = sumA.value() / n, meanB = sumB.value() / n;
    for (std::size_t i = 0; i < a.size(); ++i) products.add((a[i] - meanA) * (b[i] - meanB));
    return products.value() / (n - 1);
}

// Each row's placement, correct rows and wrong rows apart, in the order of rows.
struct RowPlacements {
    std::vector<double> correct, wrong;
};

RowPlacements rowPlacements(const TieBlocks& blocks, std::span<const double> score, std::span<const double> correct) {
    const Placements placed = placements(blocks);
    const std::vector<std::size_t> of = blockOfRows(blocks, score);
    RowPlacements rows;
    for (std::size_t i = 0; i < of.size(); ++i)
        if (correct[i] != 0)
            rows.correct.push_back(placed.ofCorrect[of[i]]);
        else
            rows.wrong.push_back(placed.ofWrong[of[i]]);
    return rows;
}

double covarianceOfAuroc(const RowPlacements& a, const RowPlacements& b) {
    return covariance(a.correct, b.correct) / static_cast<double>(a.correct.size()) +
           covariance(a.wrong, b.wrong) / static_cast<double>(a.wrong.size());
}

// Differences first: for equal curves the variance is then 0 exactly, not a rest of three roundings.
double varianceOfDifference(const RowPlacements& a, const RowPlacements& b) {
    RowPlacements difference = a;
    for (std::size_t i = 0; i < a.correct.size(); ++i) difference.correct[i] -= b.correct[i];
    for (std::size_t i = 0; i < a.wrong.size(); ++i) difference.wrong[i] -= b.wrong[i];
    return covarianceOfAuroc(difference, difference);
}

}  // namespace

Value delongVariance(const TieBlocks& rows) {
    if (rows.correct < 2 || rows.wrong() < 2) return Value::undefined(tooFewReason(rows));
    const double auroc = areaUnderRoc(rows).number;  // the mean of both kinds of placement
    Sum ofCorrect, ofWrong;
    double wrongBelow = 0, correctBelow = 0;
    for (const TieBlock& block : rows.blocks) {
        const double right = (wrongBelow + block.wrong() / 2) / rows.wrong() - auroc;
        const double wrong = (rows.correct - correctBelow - block.correct / 2) / rows.correct - auroc;
        ofCorrect.add(block.correct * right * right);
        ofWrong.add(block.wrong() * wrong * wrong);
        wrongBelow += block.wrong();
        correctBelow += block.correct;
    }
    return ofCorrect.value() / (rows.correct - 1) / rows.correct + ofWrong.value() / (rows.wrong() - 1) / rows.wrong();
}

DelongInterval delongInterval(const Scored& rows, double level) {
    if (!(level > 0 && level < 1))
        throw InputError("bad_level", "a confidence level lies between 0 and 1, got " + std::to_string(level));
    validateScores(rows);
    const TieBlocks blocks = tieBlocks({rows.confidence, rows.correct});
    DelongInterval result;
    result.auroc = areaUnderRoc(blocks).number;
    const Value variance = delongVariance(blocks);
    result.undefinedReason = rows.weights.empty() ? variance.undefinedReason : "DeLong's variance has no weighted form";
    if (!result.undefinedReason.empty()) return result;
    result.variance = variance.number;
    result.standardError = std::sqrt(variance.number);
    const double reach = normalQuantile((1 + level) / 2) * result.standardError;
    const double a = result.auroc;
    if (std::min(blocks.correct, blocks.wrong()) < kFewRows && a > 0 && a < 1) {
        result.scale = AurocScale::Logit;
        const double centre = std::log(a / (1 - a)), width = reach / (a * (1 - a));
        result.lo = 1 / (1 + std::exp(width - centre));
        result.hi = 1 / (1 + std::exp(-width - centre));
    } else {
        result.lo = std::max(0.0, a - reach);
        result.hi = std::min(1.0, a + reach);
    }
    return result;
}

PairedDelong delongPaired(std::span<const double> first, std::span<const double> second,
                          std::span<const double> correct) {
    validateScores({first, correct});
    validateScores({second, correct});
    const TieBlocks blocks1 = tieBlocks({first, correct}), blocks2 = tieBlocks({second, correct});
    PairedDelong result;
    result.undefinedReason = delongVariance(blocks1).undefinedReason;
    result.auc1 = areaUnderRoc(blocks1).number;
    result.auc2 = areaUnderRoc(blocks2).number;
    result.diff = result.auc1 - result.auc2;
    if (!result.undefinedReason.empty()) return result;
    const RowPlacements rows1 = rowPlacements(blocks1, first, correct), rows2 = rowPlacements(blocks2, second, correct);
    result.var1 = covarianceOfAuroc(rows1, rows1);
    result.var2 = covarianceOfAuroc(rows2, rows2);
    result.cov = covarianceOfAuroc(rows1, rows2);
    result.varDiff = varianceOfDifference(rows1, rows2);
    if (result.varDiff > 0) {
        result.z = result.diff / std::sqrt(result.varDiff);
        result.p = twoSidedP(*result.z);
    } else {
        result.p = result.diff == 0 ? 1 : 0;
    }
    return result;
}

}  // namespace candor
