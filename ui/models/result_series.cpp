// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/result_series.h"

#include <algorithm>

#include "core/error.h"
#include "core/metrics/metrics.h"
#include "ui/models/format.h"
#include "ui/theme/method_style.h"

namespace candor::ui {

namespace {

constexpr std::size_t kCached = 64;

Domain domainOf(const db::ScoredColumn& rows, std::size_t set) {
    return set < rows.domains.size() ? rows.domains[set] : Domain::None;
}

MetricValue measure(const Scored& rows, const char* name) {
    MetricValue value;
    value.n = static_cast<std::int64_t>(rows.confidence.size());
    try {
        const Metric result = metric(rows, name);
        value.value = result.value;
        value.undefinedReason = toQt(result.undefinedReason);
    } catch (const Error& error) {
        value.undefinedReason = toQt(error.what());  // scores outside [0, 1] have ranking metrics only
        if (std::string_view(name) == "auroc") {
            const Metric rank = auroc(rows);
            value.value = rank.value;
            value.undefinedReason = toQt(rank.undefinedReason);
        }
    }
    return value;
}

SetMetrics averageOf(const std::vector<SetMetrics>& sets, bool weighted) {
    SetMetrics result;
    result.set = weighted ? "weighted" : "macro";
    result.average = true;
    result.sets = 0;
    for (const SetMetrics& set : sets) result.n += set.n;
    for (const char* name : kSetMetrics) {
        MetricValue value;
        double sum = 0, weights = 0;
        value.sets = 0;
        for (const SetMetrics& set : sets) {
            const MetricValue& one = set.values.at(name);
            if (!one.defined()) continue;
            const double weight = weighted ? static_cast<double>(set.n) : 1;
            sum += weight * one.value;
            weights += weight;
            ++value.sets;
        }
        value.n = result.n;
        if (weights > 0)
            value.value = sum / weights;
        else
            value.undefinedReason = QObject::tr("Undefined on every set");
        result.sets = std::max(result.sets, value.sets);
        result.values[name] = value;
    }
    return result;
}

}  // namespace

ScoredCache::Column ScoredCache::get(db::Connection& connection, std::int64_t run, std::int64_t stamp,
                                     const std::string& truth) {
    Kept& kept = columns_[{run, truth}];
    if (!kept.column || kept.stamp != stamp) {
        Kept fresh{stamp, std::make_shared<const db::ScoredColumn>(db::scored(connection, run, truth))};
        if (columns_.size() > kCached) columns_.clear();
        return (columns_[{run, truth}] = fresh).column;
    }
    return kept.column;
}

PlotSeries seriesOf(const db::RunRow& run, const db::ScoredColumn& rows, const SetChoice& choice) {
    PlotSeries series;
    series.run = run.id;
    series.method = toQt(run.method);
    series.budget = run.budget;
    series.seed = run.seed;
    series.full = run.budget == kAllLabels && run.labels > 0;
    std::vector<char> taken;
    for (std::size_t s = 0; s < rows.sets.size(); ++s) taken.push_back(covers(choice, rows.sets[s], domainOf(rows, s)));
    for (std::size_t i = 0; i < rows.question.size(); ++i) {
        if (!taken[static_cast<std::size_t>(rows.set[i])]) continue;
        series.question.push_back(rows.question[i]);
        series.confidence.push_back(rows.confidence[i]);
        series.correct.push_back(rows.correct[i]);
    }
    return series;
}

std::vector<SetMetrics> setMetrics(const db::ScoredColumn& rows, const SetChoice& choice) {
    std::vector<SetMetrics> result;
    for (std::size_t s = 0; s < rows.sets.size(); ++s) {
        if (!covers(choice, rows.sets[s], domainOf(rows, s))) continue;
        std::vector<double> confidence, correct;
        for (std::size_t i = 0; i < rows.question.size(); ++i) {
            if (rows.set[i] != static_cast<std::int32_t>(s)) continue;
            confidence.push_back(rows.confidence[i]);
            correct.push_back(rows.correct[i]);
        }
        SetMetrics set;
        set.set = rows.sets[s];
        set.n = static_cast<std::int64_t>(confidence.size());
        for (const char* name : kSetMetrics) set.values[name] = measure({confidence, correct, {}}, name);
        result.push_back(std::move(set));
    }
    if (result.size() < 2) return result;
    const SetMetrics weighted = averageOf(result, true), macro = averageOf(result, false);
    result.push_back(weighted);
    result.push_back(macro);
    return result;
}

ResultSeries readSeries(db::Connection& connection, ScoredCache& cache, const SeriesRequest& request) {
    ResultSeries result;
    std::vector<std::int64_t> order = request.visible;
    std::stable_partition(order.begin(), order.end(), [&](std::int64_t run) { return run == request.selected; });
    const auto rows = [&](const db::RunRow& run) {
        return cache.get(connection, run.id, run.finishedMs, request.truth);
    };
    for (const std::int64_t id : order) {
        const db::RunRow* run = request.data->run(id);
        if (!run || run->status != RunStatus::Finished) continue;
        PlotSeries series = seriesOf(*run, *rows(*run), request.choice);
        if (!series.question.empty()) result.visible.push_back(std::move(series));
    }
    const db::RunRow* run = request.data->run(request.selected);
    if (run && run->status == RunStatus::Finished) {
        const ScoredCache::Column column = rows(*run);
        result.selected = seriesOf(*run, *column, request.choice);
        result.sets = setMetrics(*column, request.choice);
    }
    return result;
}

void labelShortly(std::vector<PlotSeries>& all) {
    for (PlotSeries& series : all) {
        bool budgets = false, seeds = false, twins = false;
        for (const PlotSeries& other : all) {
            if (&other == &series || other.method != series.method) continue;
            budgets = budgets || other.budget != series.budget;
            seeds = seeds || (other.budget == series.budget && other.seed != series.seed);
            twins = twins || (other.budget == series.budget && other.seed == series.seed);
        }
        series.label = methodStyle(series.method).name;
        if (budgets && series.budget != 0) series.label += QLatin1Char(' ') + budgetText(series.budget);
        if (seeds) series.label += QObject::tr(" s%1").arg(series.seed);
        if (twins) series.label += QStringLiteral(" #%1").arg(series.run);
    }
}

}  // namespace candor::ui
