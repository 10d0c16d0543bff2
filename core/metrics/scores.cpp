// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/metrics/scores.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/metrics/isotonic.h"
#include "core/metrics/sum.h"

namespace candor {
namespace {

double square(double x) { return x * x; }

double brierTerm(const TieBlock& block, double prediction) {
    return block.correct * square(1 - prediction) + block.wrong() * square(prediction);
}

double uncertainty(const TieBlocks& rows) { return rows.correct / rows.count * (rows.wrong() / rows.count); }

// A term is skipped where its count is 0: there 0 times an infinite logarithm would be NaN.
double logLoss(const TieBlock& block, double prediction) {
    return (block.correct > 0 ? -block.correct * std::log(prediction) : 0) +
           (block.wrong() > 0 ? -block.wrong() * std::log1p(-prediction) : 0);
}

}  // namespace

double brierScore(const TieBlocks& rows) {
    Sum sum;
    for (const TieBlock& block : rows.blocks) sum.add(brierTerm(block, block.confidence));
    return sum.value() / rows.count;
}

BrierParts brierPartsByValue(const TieBlocks& rows) {
    const double accuracy = rows.correct / rows.count;
    Sum reliability, resolution;
    for (const TieBlock& block : rows.blocks) {
        const double share = block.correct / block.count;
        reliability.add(block.count * square(block.confidence - share));
        resolution.add(block.count * square(share - accuracy));
    }
    return {reliability.value() / rows.count, resolution.value() / rows.count, uncertainty(rows), 0, 0};
}

BrierParts brierPartsByBin(const TieBlocks& rows, const BinOffsets& offsets) {
    const double accuracy = rows.correct / rows.count;
    const std::vector<BinSum> bins = binSums(rows, offsets);
    Sum reliability, resolution, variance, covariance;
    for (std::size_t b = 0; b < bins.size(); ++b) {
        if (!(bins[b].count > 0)) continue;
        reliability.add(bins[b].count * square(bins[b].gap()));
        resolution.add(bins[b].count * square(bins[b].accuracy() - accuracy));
        const double centre = bins[b].confidence / bins[b].count;
        for (std::size_t i = offsets[b]; i < offsets[b + 1]; ++i) {
            const TieBlock& block = rows.blocks[i];
            const double away = block.confidence - centre;
            variance.add(block.count * away * away);
            covariance.add(2 * away * (block.correct - block.count * bins[b].accuracy()));
        }
    }
    const double n = rows.count;
    return {reliability.value() / n, resolution.value() / n, uncertainty(rows), variance.value() / n,
            covariance.value() / n};
}

CorpParts corpParts(const TieBlocks& rows) {
    const std::vector<double> fitted = poolAdjacentViolators(rows);
    Sum recalibrated;
    for (std::size_t i = 0; i < fitted.size(); ++i) recalibrated.add(brierTerm(rows.blocks[i], fitted[i]));
    const double best = recalibrated.value() / rows.count;
    return {brierScore(rows) - best, uncertainty(rows) - best, uncertainty(rows)};
}

double negativeLogLikelihood(const TieBlocks& rows) {
    Sum sum;
    for (const TieBlock& block : rows.blocks) sum.add(logLoss(block, std::clamp(block.confidence, kClip, 1 - kClip)));
    return sum.value() / rows.count;
}

double negativeLogLikelihoodUnclipped(const TieBlocks& rows) {
    Sum sum;
    for (const TieBlock& block : rows.blocks) sum.add(logLoss(block, block.confidence));
    return sum.value() / rows.count;
}

}  // namespace candor
