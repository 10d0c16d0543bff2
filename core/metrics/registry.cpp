// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/metrics/registry.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/error.h"
#include "core/metrics/alignment.h"
#include "core/metrics/calibration_error.h"
#include "core/metrics/calibration_line.h"
#include "core/metrics/delong.h"
#include "core/metrics/discrimination.h"
#include "core/metrics/scores.h"
#include "core/metrics/selective.h"
#include "core/metrics/smooth_ece.h"
#include "core/metrics/sum.h"

namespace candor {
namespace {

BinOffsets widths(const TieBlocks& rows, int bins) { return binsByEdges(rows, equalWidthEdges(bins)); }

Value accuracy(const TieBlocks& rows) { return rows.correct / rows.count; }

Value meanConfidence(const TieBlocks& rows) {
    Sum sum;
    for (const TieBlock& block : rows.blocks) sum.add(block.count * block.confidence);
    return sum.value() / rows.count;
}

Value delongError(const TieBlocks& rows) {
    Value variance = delongVariance(rows);
    variance.number = std::sqrt(variance.number);
    return variance;
}

Value alignmentSpread(const TieBlocks& rows) { return alignmentRandom(rows).deviation; }

std::vector<MetricEntry> basics() {
    return {
        {"n", kWeighted | kRanks, nullptr,
         [](const Scored& rows) -> Value { return static_cast<double>(rows.correct.size()); }},
        {"accuracy", kWeighted | kRanks, accuracy},
        {"mean_conf", kPlain, meanConfidence},
    };
}

std::vector<MetricEntry> discrimination() {
    return {
        {"auroc", kWeighted | kRanks, areaUnderRoc},
        {"delong_var", kRanks, delongVariance},
        {"auprc_correct", kWeighted | kRanks, averagePrecisionOfCorrect},
        {"auprc_error", kRanks, averagePrecisionOfErrors},
    };
}

std::vector<MetricEntry> calibration() {
    using R = const TieBlocks&;
    return {
        {"ece_ew10", kWeighted, [](R rows) -> Value { return expectedCalibrationError(rows, widths(rows, 10)); }},
        {"ece_ew15", kPlain, [](R rows) -> Value { return expectedCalibrationError(rows, widths(rows, 15)); }},
        {"ece_ew10_left", kPlain,
         [](R rows) -> Value {
             return expectedCalibrationError(rows, binsByEdges(rows, equalWidthEdges(10), Closed::Left));
         }},
        {"mce_ew10", kPlain, [](R rows) -> Value { return maximumCalibrationError(rows, widths(rows, 10)); }},
        {"ece_em10", kPlain, [](R rows) -> Value { return expectedCalibrationError(rows, binsByMass(rows, 10)); }},
        {"ece_ew10_debiased_l1", kPlain,
         [](R rows) -> Value { return expectedCalibrationErrorDebiased(rows, widths(rows, 10)); }},
        {"rmsce_ew15", kPlain, [](R rows) -> Value { return rmsCalibrationError(rows, widths(rows, 15)); }},
        {"rmsce_ew15_debiased", kPlain,
         [](R rows) -> Value { return rmsCalibrationErrorDebiased(rows, widths(rows, 15)); }},
        {"smece", kPlain, [](R rows) -> Value { return smoothCalibrationError(rows); }},
        {"ece10_elical", kPlain, [](R rows) -> Value { return expectedCalibrationError(rows, binsOfElical(rows)); }},
    };
}

std::vector<MetricEntry> properScores() {
    using R = const TieBlocks&;
    return {
        {"brier", kWeighted, [](R rows) -> Value { return brierScore(rows); }},
        {"rel_distinct", kPlain, [](R rows) -> Value { return brierPartsByValue(rows).reliability; }},
        {"res_distinct", kRanks, [](R rows) -> Value { return brierPartsByValue(rows).resolution; }},
        {"unc", kRanks, [](R rows) -> Value { return brierPartsByValue(rows).uncertainty; }},
        {"rel_ew10", kPlain, [](R rows) -> Value { return brierPartsByBin(rows, widths(rows, 10)).reliability; }},
        {"res_ew10", kPlain, [](R rows) -> Value { return brierPartsByBin(rows, widths(rows, 10)).resolution; }},
        {"wbv_ew10", kPlain, [](R rows) -> Value { return brierPartsByBin(rows, widths(rows, 10)).withinVariance; }},
        {"wbc_ew10", kPlain, [](R rows) -> Value { return brierPartsByBin(rows, widths(rows, 10)).withinCovariance; }},
        {"mcb_corp", kPlain, [](R rows) -> Value { return corpParts(rows).miscalibration; }},
        {"dsc_corp", kRanks, [](R rows) -> Value { return corpParts(rows).discrimination; }},
        {"nll", kWeighted, [](R rows) -> Value { return negativeLogLikelihood(rows); }},
        {"nll_unclipped", kPlain, [](R rows) -> Value { return negativeLogLikelihoodUnclipped(rows); }},
    };
}

std::vector<MetricEntry> selectivePrediction() {
    using R = const TieBlocks&;
    return {
        {"aurc", kRanks, [](R rows) -> Value { return areaUnderRiskCoverage(rows); }},
        {"aurc_oracle", kRanks, [](R rows) -> Value { return oracleRiskCoverage(rows); }},
        {"eaurc", kRanks, [](R rows) -> Value { return areaUnderRiskCoverage(rows) - oracleRiskCoverage(rows); }},
        {"augrc", kRanks, [](R rows) -> Value { return generalisedRiskCoverage(rows); }},
        {"prr", kRanks, predictionRejectionRatio},
        {"prr50", kRanks, predictionRejectionRatioOfHalf},
        {"selacc80", kRanks, [](R rows) -> Value { return selectiveAccuracy(rows, 80); }},
        {"selacc90", kRanks, [](R rows) -> Value { return selectiveAccuracy(rows, 90); }},
        {"selacc95", kRanks, [](R rows) -> Value { return selectiveAccuracy(rows, 95); }},
        {"cov_at_acc90", kRanks, [](R rows) -> Value { return coverageAtAccuracy(rows, 90); }},
    };
}

std::vector<MetricEntry> alignment() {
    using R = const TieBlocks&;
    return {
        {"alignment_elical", kPlain, nullptr, [](const Scored& rows) -> Value { return alignmentElical(rows).value; }},
        {"alignment_elical_threshold", kPlain, nullptr,
         [](const Scored& rows) -> Value { return alignmentElical(rows).threshold; }},
        {"acc_at_thr50", kPlain, [](R rows) -> Value { return agreementAt(rows, 0.5); }},
    };
}

std::vector<MetricEntry> besides() {
    using R = const TieBlocks&;
    return {
        {"n_correct", kRanks, [](R rows) -> Value { return rows.correct; }},
        {"conf_minus_acc", kPlain, [](R rows) -> Value { return meanConfidence(rows).number - accuracy(rows).number; }},
        {"delong_se", kRanks, delongError},
        {"spearman", kRanks, spearmanOfCorrectness},
        {"calibration_slope", kPlain, calibrationSlope},
        {"calibration_intercept", kPlain, calibrationIntercept},
        {"alignment_random", kPlain, [](R rows) -> Value { return alignmentRandom(rows).mean; }},
        {"alignment_random_sd", kPlain, alignmentSpread},
        {"alignment_oracle", kRanks, [](R rows) -> Value { return alignmentOracle(rows).value; }},
    };
}

std::vector<MetricEntry> makeTable() {
    std::vector<MetricEntry> table;
    for (const auto& family :
         {basics(), discrimination(), calibration(), properScores(), selectivePrediction(), alignment(), besides()})
        table.insert(table.end(), family.begin(), family.end());
    return table;
}

std::size_t editDistance(const std::string& a, const std::string& b) {
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t changed = diagonal + (a[i - 1] != b[j - 1]);
            diagonal = row[j];
            row[j] = std::min({row[j] + 1, row[j - 1] + 1, changed});
        }
    }
    return row.back();
}

}  // namespace

const std::vector<MetricEntry>& metricTable() {
    static const std::vector<MetricEntry> table = makeTable();
    return table;
}

const MetricEntry& metricEntry(const std::string& name) {
    const auto& table = metricTable();
    const auto found = std::find_if(table.begin(), table.end(), [&](const auto& entry) { return entry.name == name; });
    if (found != table.end()) return *found;
    const auto nearest = std::min_element(table.begin(), table.end(), [&](const auto& a, const auto& b) {
        return editDistance(name, a.name) < editDistance(name, b.name);
    });
    throw InputError("unknown_metric",
                     "there is no metric '" + name + "'; the nearest name is '" + nearest->name + "'");
}

Metric evaluate(const MetricEntry& entry, const Scored& rows, const TieBlocks& blocks) {
    if (!rows.weights.empty() && !(entry.traits & kWeighted)) return {entry.name, 0, "has no weighted form"};
    const Value value = entry.ofRows ? entry.ofRows(rows) : entry.ofBlocks(blocks);
    return {entry.name, value.number, value.undefinedReason};
}

}  // namespace candor
