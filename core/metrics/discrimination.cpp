// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/metrics/discrimination.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/error.h"
#include "core/metrics/sum.h"

namespace candor {
namespace {

// `positives` in walking order of the ranking: blocks from `first` to `last`.
template <class Iterator, class Positives>
Value averagePrecision(Iterator first, Iterator last, double allPositives, Positives positives) {
    Sum precision;
    Sum seen, hits;
    for (; first != last; ++first) {
        seen.add(first->count);
        hits.add(positives(*first));
        if (positives(*first) > 0) precision.add(positives(*first) * (hits.value() / seen.value()));
    }
    return precision.value() / allPositives;
}

std::vector<double> midRanks(std::span<const double> values) {
    std::vector<std::size_t> order(values.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
    std::vector<double> ranks(values.size());
    for (std::size_t i = 0; i < order.size();) {
        std::size_t end = i;
        while (end < order.size() && values[order[end]] == values[order[i]]) ++end;
        for (std::size_t j = i; j < end; ++j) ranks[order[j]] = (static_cast<double>(i + end) + 1) / 2;
        i = end;
    }
    return ranks;
}

}  // namespace

Value areaUnderRoc(const TieBlocks& rows) {
    if (rows.oneClass()) return Value::undefined(oneClassReason(rows));
    Sum pairs;
    Sum wrongBelow;
    for (const TieBlock& block : rows.blocks) {
        pairs.add(block.correct * (wrongBelow.value() + block.wrong() / 2));
        wrongBelow.add(block.wrong());
    }
    return std::clamp(pairs.value() / (rows.correct * rows.wrong()), 0.0, 1.0);
}

Value averagePrecisionOfCorrect(const TieBlocks& rows) {
    if (rows.correct <= 0) return Value::undefined(oneClassReason(rows));
    return averagePrecision(rows.blocks.rbegin(), rows.blocks.rend(), rows.correct,
                            [](const TieBlock& block) { return block.correct; });
}

Value averagePrecisionOfErrors(const TieBlocks& rows) {
    if (rows.wrong() <= 0) return Value::undefined(oneClassReason(rows));
    return averagePrecision(rows.blocks.begin(), rows.blocks.end(), rows.wrong(),
                            [](const TieBlock& block) { return block.wrong(); });
}

Value spearmanOfCorrectness(const TieBlocks& rows) {
    if (rows.oneClass()) return Value::undefined(oneClassReason(rows));
    if (rows.blocks.size() < 2) return Value::undefined("all confidences are equal");
    // Correctness has two values, so its ranks are a line through it: Pearson of mid-rank and correctness is enough.
    const double middle = (rows.count + 1) / 2, accuracy = rows.correct / rows.count;
    Sum squares, products;
    double below = 0;
    for (const TieBlock& block : rows.blocks) {
        const double rank = below + (block.count + 1) / 2 - middle;
        squares.add(block.count * rank * rank);
        products.add(rank * (block.correct - accuracy * block.count));
        below += block.count;
    }
    const double spread = rows.correct * rows.wrong() / rows.count;
    return products.value() / std::sqrt(squares.value() * spread);
}

Value spearman(std::span<const double> x, std::span<const double> y) {
    if (x.size() != y.size())
        throw InputError("length_mismatch", "rank correlation needs two lists of one length, got " +
                                                std::to_string(x.size()) + " and " + std::to_string(y.size()));
    const auto finite = [](double value) { return std::isfinite(value); };
    if (!std::all_of(x.begin(), x.end(), finite) || !std::all_of(y.begin(), y.end(), finite))
        throw InputError("non_finite", "rank correlation needs finite numbers");
    const std::vector<double> ranksX = midRanks(x), ranksY = midRanks(y);
    const double middle = (static_cast<double>(x.size()) + 1) / 2;
    Sum xx, yy, xy;
    for (std::size_t i = 0; i < x.size(); ++i) {
        const double a = ranksX[i] - middle, b = ranksY[i] - middle;
        xx.add(a * a);
        yy.add(b * b);
        xy.add(a * b);
    }
    if (!(xx.value() > 0) || !(yy.value() > 0)) return Value::undefined("all values of one side are equal");
    return xy.value() / std::sqrt(xx.value() * yy.value());
}

Metric auroc(const Scored& rows) {
    validateScores(rows);
    Value value = areaUnderRoc(tieBlocks(rows));
    return {"auroc", value.number, value.undefinedReason};
}

std::vector<RocPoint> rocCurve(const Scored& rows) {
    validateScores(rows);
    const TieBlocks blocks = tieBlocks(rows);
    if (blocks.oneClass()) return {};
    std::vector<RocPoint> curve = {{0, 0, std::numeric_limits<double>::infinity()}};
    Sum correct, wrong;
    for (auto block = blocks.blocks.rbegin(); block != blocks.blocks.rend(); ++block) {
        correct.add(block->correct);
        wrong.add(block->wrong());
        curve.push_back({std::min(1.0, wrong.value() / blocks.wrong()), std::min(1.0, correct.value() / blocks.correct),
                         block->confidence});
    }
    return curve;
}

}  // namespace candor
