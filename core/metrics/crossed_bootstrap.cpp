// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/metrics/crossed_bootstrap.h"

#include <algorithm>
#include <optional>

#include "core/error.h"
#include "core/metrics/registry.h"
#include "core/metrics/resample.h"
#include "core/metrics/sum.h"

namespace candor {
namespace {

void check(std::span<const CrossedSet> sets, const CrossedOptions& options) {
    if (sets.empty() || sets[0].first.empty()) throw InputError("empty", "there is no set with at least one seed");
    if (options.resamples < 1 || !(options.level > 0 && options.level < 1))
        throw InputError("bad_level", "an interval needs a level in (0, 1) and at least one resample, got " +
                                          std::to_string(options.level) + " and " + std::to_string(options.resamples));
    for (const CrossedSet& set : sets) {
        if (set.first.size() != sets[0].first.size() || set.second.size() != sets[0].second.size() ||
            (!set.second.empty() && set.second.size() != set.first.size()))
            throw InputError("length_mismatch", "every set needs every seed of both methods");
        for (const auto* method : {&set.first, &set.second})
            for (const auto& confidence : *method) validate({confidence, set.correct});
    }
    if (metricEntry(options.metric).ofRows)
        throw InputError("unknown_metric", options.metric + " depends on the order of rows and cannot be resampled");
}

// One method: for each seed, the sets (or all of them pooled) and a resampler for each.
class Method {
  public:
    Method(std::span<const CrossedSet> sets, bool second, const CrossedOptions& options)
        : entry_(metricEntry(options.metric)), average_(options.average) {
        const std::size_t seeds = second ? sets[0].second.size() : sets[0].first.size();
        for (std::size_t seed = 0; seed < seeds; ++seed) {
            units_.emplace_back();
            std::vector<double> confidence, correct;
            for (const CrossedSet& set : sets) {
                const auto& own = second ? set.second[seed] : set.first[seed];
                if (average_ != SetAverage::Pooled) units_.back().emplace_back(Scored{own, set.correct});
                confidence.insert(confidence.end(), own.begin(), own.end());
                correct.insert(correct.end(), set.correct.begin(), set.correct.end());
            }
            if (average_ == SetAverage::Pooled) units_.back().emplace_back(Scored{confidence, correct});
        }
        for (const CrossedSet& set : sets) sizes_.push_back(set.correct.size());
        if (average_ == SetAverage::Pooled) {
            std::size_t all = 0;
            for (const std::size_t size : sizes_) all += size;
            sizes_ = {all};
        }
    }

    // Mean over seeds, each as often as it was drawn, of the average over sets; nothing where a set that was defined
    // before is not. `times` says how often each row of all sets was drawn.
    std::optional<double> value(std::span<const double> times, std::span<const int> drawnSeeds) {
        Sum sum;
        double seeds = 0;
        for (std::size_t seed = 0; seed < units_.size(); ++seed) {
            if (drawnSeeds[seed] == 0) continue;
            const std::optional<double> one = ofSeed(seed, times);
            if (!one) return std::nullopt;
            sum.add(drawnSeeds[seed] * *one);
            seeds += drawnSeeds[seed];
        }
        return sum.value() / seeds;
    }

    // Marks the sets in which the metric has no value as they stand.
    void markUndefined(std::span<const double> once, std::vector<bool>& undefined, std::string& reason) {
        undefined.resize(sizes_.size());
        for (std::size_t unit = 0; unit < sizes_.size(); ++unit)
            for (auto& seed : units_)
                if (const Value value = ofUnit(seed[unit], unit, once); !value.defined()) {
                    undefined[unit] = true;
                    reason = value.undefinedReason;
                }
    }
    // These sets count for nothing from here on.
    void leaveOut(const std::vector<bool>& sets) { skip_ = sets; }

  private:
    Value ofUnit(Resampler& unit, std::size_t index, std::span<const double> times) {
        std::size_t from = 0;
        for (std::size_t i = 0; i < index; ++i) from += sizes_[i];
        unit.clear();
        for (std::size_t row = 0; row < sizes_[index]; ++row)
            if (times[from + row] > 0) unit.add(row, times[from + row]);
        return entry_.ofBlocks(unit.blocks());
    }

    std::optional<double> ofSeed(std::size_t seed, std::span<const double> times) {
        Sum sum, weights;
        for (std::size_t unit = 0; unit < sizes_.size(); ++unit) {
            if (skip_[unit]) continue;
            const Value value = ofUnit(units_[seed][unit], unit, times);
            if (!value.defined()) return std::nullopt;
            const double weight = average_ == SetAverage::Weighted ? static_cast<double>(sizes_[unit]) : 1;
            sum.add(weight * value.number);
            weights.add(weight);
        }
        return sum.value() / weights.value();
    }

    const MetricEntry& entry_;
    SetAverage average_;
    std::vector<std::size_t> sizes_;
    std::vector<std::vector<Resampler>> units_;  // [seed][set]
    std::vector<bool> skip_;
};

Interval percentile(std::vector<double> values, double level) {
    std::sort(values.begin(), values.end());
    return {quantile(values, (1 - level) / 2), quantile(values, (1 + level) / 2)};
}

double twoSided(const std::vector<double>& differences) {
    const auto above = std::count_if(differences.begin(), differences.end(), [](double d) { return d >= 0; });
    const auto below = std::count_if(differences.begin(), differences.end(), [](double d) { return d <= 0; });
    return std::min(
        1.0, 2.0 * static_cast<double>(std::min(above, below) + 1) / static_cast<double>(differences.size() + 1));
}

// How often each row of all sets and each seed is drawn.
struct Draw {
    std::vector<double> times;
    std::vector<int> seeds;
};

void draw(const std::vector<Clusters>& clusters, std::span<const CrossedSet> sets, Lcg& random, Draw& result) {
    std::fill(result.times.begin(), result.times.end(), 0.0);
    std::fill(result.seeds.begin(), result.seeds.end(), 0);
    for (std::size_t i = 0; i < result.seeds.size(); ++i) ++result.seeds[random.below(result.seeds.size())];
    std::size_t from = 0;
    for (std::size_t set = 0; set < sets.size(); ++set) {
        clusters[set].draw(random, [&](std::size_t row) { ++result.times[from + row]; });
        from += sets[set].correct.size();
    }
}

}  // namespace

CrossedBootstrap crossedBootstrap(std::span<const CrossedSet> sets, const CrossedOptions& options) {
    check(sets, options);
    const bool two = !sets[0].second.empty();
    std::vector<Method> methods = {Method(sets, false, options)};
    if (two) methods.emplace_back(sets, true, options);
    std::vector<Clusters> clusters;
    Draw drawn;
    for (const CrossedSet& set : sets) {
        clusters.emplace_back(set.correct.size(), set.cluster);
        drawn.times.insert(drawn.times.end(), set.correct.size(), 1.0);
    }
    drawn.seeds.assign(sets[0].first.size(), 1);

    CrossedBootstrap result;
    // A set that one method lacks is left out for both: averages of different sets do not compare.
    std::vector<bool> undefined;
    for (Method& method : methods) method.markUndefined(drawn.times, undefined, result.undefinedReason);
    if (std::find(undefined.begin(), undefined.end(), false) == undefined.end()) return result;
    result.undefinedReason.clear();
    for (Method& method : methods) method.leaveOut(undefined);
    result.first.value = *methods[0].value(drawn.times, drawn.seeds);
    if (two) result.second.value = *methods[1].value(drawn.times, drawn.seeds);
    result.difference.value = result.first.value - result.second.value;

    std::vector<double> first, second, difference;
    Lcg random(options.seed);
    for (int b = 0; b < options.resamples; ++b) {
        if (options.stop.stop_requested()) throw Stopped();
        draw(clusters, sets, random, drawn);
        const auto a = methods[0].value(drawn.times, drawn.seeds);
        const auto other = two ? methods[1].value(drawn.times, drawn.seeds) : std::optional<double>(0);
        if (!a || !other) {
            ++result.skipped;
            continue;
        }
        first.push_back(*a);
        second.push_back(*other);
        difference.push_back(*a - *other);
    }
    if (first.empty()) {
        result.undefinedReason = "undefined in every resample";
        return result;
    }
    result.first.interval = percentile(std::move(first), options.level);
    if (!two) {
        result.difference = {};
        return result;
    }
    result.second.interval = percentile(std::move(second), options.level);
    result.p = twoSided(difference);
    result.difference.interval = percentile(std::move(difference), options.level);
    return result;
}

}  // namespace candor
