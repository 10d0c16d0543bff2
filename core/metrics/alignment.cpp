// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/metrics/alignment.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "core/metrics/random.h"
#include "core/metrics/sum.h"

namespace candor {
namespace {

constexpr int kSteps = 100;  // thresholds are i / kSteps, i = 1 .. kSteps - 1
constexpr double kPickShare = 0.2;

// All that the search can see of rows: how many fall between which thresholds.
struct Levels {
    std::array<std::int64_t, kSteps> correct{}, wrong{};

    static int of(double confidence) {  // thresholds at or below it
        int level = std::clamp(static_cast<int>(confidence * kSteps), 0, kSteps - 1);
        while (level + 1 < kSteps && confidence >= (level + 1) / static_cast<double>(kSteps)) ++level;
        while (level > 0 && confidence < level / static_cast<double>(kSteps)) --level;
        return level;
    }
    void add(int level, bool right, std::int64_t count) {
        (right ? correct : wrong)[static_cast<std::size_t>(level)] += count;
    }
    Levels without(const Levels& other) const {
        Levels rest = *this;
        for (std::size_t i = 0; i < kSteps; ++i) {
            rest.correct[i] -= other.correct[i];
            rest.wrong[i] -= other.wrong[i];
        }
        return rest;
    }
};

std::int64_t total(const Levels& levels) {
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < kSteps; ++i) sum += levels.correct[i] + levels.wrong[i];
    return sum;
}

struct Split {
    std::int64_t confident = 0, agreeing = 0;
};

Split splitAt(const Levels& levels, int threshold) {
    Split split;
    for (int i = 0; i < kSteps; ++i) {
        const auto level = static_cast<std::size_t>(i);
        if (i >= threshold) split.confident += levels.correct[level] + levels.wrong[level];
        split.agreeing += i >= threshold ? levels.correct[level] : levels.wrong[level];
    }
    return split;
}

int pickThreshold(const Levels& levels) {
    const std::int64_t rows = total(levels);
    std::int64_t best = 0;
    int picked = kSteps / 2;
    for (int threshold = 1; threshold < kSteps; ++threshold) {
        const Split split = splitAt(levels, threshold);
        if (split.confident == 0 || split.confident == rows || split.agreeing <= best) continue;
        best = split.agreeing;
        picked = threshold;
    }
    return picked;
}

Alignment score(const Levels& pick, const Levels& rest) {
    const int threshold = pickThreshold(pick);
    return {static_cast<double>(splitAt(rest, threshold).agreeing) / static_cast<double>(total(rest)),
            threshold / static_cast<double>(kSteps)};
}

// Adds to `pick` exactly `wanted` of the `left` rows counted in `counts`, every subset equally likely: a row is taken
// with probability wanted/left. Which row of a level does not matter.
void drawFrom(const std::array<std::int64_t, kSteps>& counts, std::int64_t left, std::int64_t wanted, Lcg& random,
              std::array<std::int64_t, kSteps>& pick) {
    for (std::size_t level = 0; level < kSteps; ++level)
        for (std::int64_t i = 0; i < counts[level] && wanted > 0; ++i, --left)
            if (static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(left))) < wanted) {
                ++pick[level];
                --wanted;
            }
}

std::int64_t pickSize(std::int64_t rows) { return static_cast<std::int64_t>(kPickShare * static_cast<double>(rows)); }

}  // namespace

Alignment alignmentElical(const Scored& rows) {
    const std::size_t n = rows.confidence.size();
    const auto picking = static_cast<std::size_t>(pickSize(static_cast<std::int64_t>(n)));
    Levels pick, rest;
    for (std::size_t i = 0; i < n; ++i)
        (i < picking ? pick : rest).add(Levels::of(rows.confidence[i]), rows.correct[i] != 0, 1);
    return score(pick, rest);
}

RandomAlignment alignmentRandom(const TieBlocks& rows, int seeds, std::uint64_t seed) {
    Levels all;
    for (const TieBlock& block : rows.blocks) {
        all.add(Levels::of(block.confidence), true, static_cast<std::int64_t>(block.correct));
        all.add(Levels::of(block.confidence), false, static_cast<std::int64_t>(block.wrong()));
    }
    const auto correct = static_cast<std::int64_t>(rows.correct), wrong = static_cast<std::int64_t>(rows.wrong());
    std::vector<double> values;
    Sum sum, thresholds;
    Lcg source(seed);
    for (int i = 0; i < seeds; ++i) {
        const std::uint64_t state = source.next();
        Lcg random(state ^ (state >> 32));  // neighbouring states would give streams that resemble each other
        Levels pick;
        drawFrom(all.correct, correct, pickSize(correct), random, pick.correct);
        drawFrom(all.wrong, wrong, pickSize(wrong), random, pick.wrong);
        const Alignment one = score(pick, all.without(pick));
        values.push_back(one.value);
        sum.add(one.value);
        thresholds.add(one.threshold);
    }
    RandomAlignment result;
    result.seeds = seeds;
    if (seeds < 1) {
        result.undefinedReason = "no seeds";
        return result;
    }
    result.mean = sum.value() / seeds;
    result.thresholdMean = thresholds.value() / seeds;
    Sum squares;
    for (double value : values) squares.add((value - result.mean) * (value - result.mean));
    result.deviation = seeds > 1 ? std::sqrt(squares.value() / (seeds - 1)) : 0;
    return result;
}

Alignment alignmentOracle(const TieBlocks& rows) {
    // Walks up: at the lowest threshold everything is confident, so what is correct agrees.
    double agreeing = rows.correct, best = rows.correct, threshold = 0;
    for (std::size_t i = 0; i < rows.blocks.size(); ++i) {
        agreeing += rows.blocks[i].wrong() - rows.blocks[i].correct;
        if (agreeing <= best) continue;
        best = agreeing;
        const double here = rows.blocks[i].confidence;
        threshold =
            i + 1 < rows.blocks.size() ? here + (rows.blocks[i + 1].confidence - here) / 2 : std::nextafter(here, 2.0);
        if (threshold <= here) threshold = std::nextafter(here, 2.0);  // neighbours one step apart
    }
    return {best / rows.count, threshold};
}

double agreementAt(const TieBlocks& rows, double threshold) {
    Sum agreeing;
    for (const TieBlock& block : rows.blocks)
        agreeing.add(block.confidence >= threshold ? block.correct : block.wrong());
    return agreeing.value() / rows.count;
}

}  // namespace candor
