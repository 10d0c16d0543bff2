// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/figures/figure_request.h"

#include <algorithm>
#include <map>
#include <set>

#include "core/error.h"
#include "core/experiment/spec.h"
#include "db/items.h"
#include "ui/plots/budget_sweep_plot.h"
#include "ui/plots/confidence_histogram.h"
#include "ui/plots/consistency_plot.h"
#include "ui/plots/panels.h"
#include "ui/plots/reliability_plot.h"
#include "ui/plots/risk_coverage_plot.h"
#include "ui/plots/roc_plot.h"

namespace candor::ui {
namespace {

// Of each method the first seed at the largest numeric budget; "all" where there is no other.
std::vector<db::RunRow> defaultRuns(std::vector<db::RunRow> runs) {
    const auto rank = [](const db::RunRow& run) { return std::pair(-run.budget, run.seed); };
    std::map<std::string, db::RunRow> best;
    for (db::RunRow& run : runs) {
        const auto found = best.find(run.method);
        if (found == best.end() || rank(run) < rank(found->second)) best[run.method] = std::move(run);
    }
    std::vector<db::RunRow> chosen;
    for (auto& [method, run] : best) chosen.push_back(std::move(run));
    return chosen;
}

// More than three calibration curves hide each other: by default the trained methods and the free signal are drawn.
void keepMain(std::vector<db::RunRow>& runs) {
    const auto isMain = [](const db::RunRow& run) {
        return run.method == "elical" || run.method == "cal-only" || run.method == "consis-sem";
    };
    if (std::any_of(runs.begin(), runs.end(), isMain))
        std::erase_if(runs, [&](const db::RunRow& run) { return !isMain(run); });
}

std::vector<PlotSeries> requestedSeries(db::Connection& connection, const FigureRequest& request) {
    std::vector<PlotSeries> series;
    auto runs = requestedRuns(connection, request);
    if (request.figure == QStringLiteral("reliability") && request.runs.empty()) keepMain(runs);
    for (const db::RunRow& run : runs) series.push_back(seriesOf(connection, run, request.set, request.labels));
    return series;
}

std::unique_ptr<PlotView> budgetSweep(db::Connection& connection, const FigureRequest& request, bool panel) {
    std::vector<SweepPoint> points;
    std::set<std::string> known;
    const std::string set = request.set.toStdString(), metric = request.metric.toStdString();
    const std::string average = set == "in-domain" || set == "out-of-domain" ? request.average.toStdString() : "";
    for (const db::RunRow& run : db::runs(connection, requestedExperiment(connection, request).id)) {
        if (run.status != RunStatus::Finished) continue;
        for (const MetricRecord& record : run.metrics) {
            known.insert(record.name);
            if (record.set != set || record.average != average || record.name != metric) continue;
            SweepPoint point;
            point.method = QString::fromStdString(run.method);
            if (run.labels > 0) point.budget = run.budget;
            point.labels = run.labels;
            point.seed = run.seed;
            point.value = record.undefinedReason.empty() ? record.value : std::numeric_limits<double>::quiet_NaN();
            point.run = run.id;
            point.testSelected = run.selection == "test";
            points.push_back(point);
        }
    }
    if (!known.empty() && !known.contains(metric)) {
        std::string names;
        for (const std::string& one : known) names += (names.empty() ? "" : ", ") + one;
        throw InputError("bad_metric", "no run has a metric '" + metric + "'; there are " + names);
    }
    SweepOptions options;
    const QString name = metric == "auroc" ? QStringLiteral("AUROC") : request.metric;
    if (panel)  // its set stands above it
        options.metric = name;
    else
        options.metric = average.empty() ? QStringLiteral("%1, %2").arg(name, request.set)
                                         : QStringLiteral("%1, %2, %3").arg(name, request.set, request.average);
    if (metric == "auroc") options.reference = 0.5;
    options.lowerIsBetter = metric == "ece_ew10" || metric == "brier";
    auto plot = std::make_unique<BudgetSweepPlot>();
    plot->setPoints(std::move(points), options);
    return plot;
}

std::unique_ptr<PlotView> consistencyAccuracy(db::Connection& connection, const FigureRequest& request) {
    const ExperimentSpec spec = parseSpec(requestedExperiment(connection, request).spec);
    LabelChoice labels = spec.labels;
    if (!request.labels.empty()) labels.correctness = request.labels;
    std::vector<ConsistencyRow> rows;
    for (const db::DatasetRow& set : db::datasets(connection)) {
        const std::string name = set.dataset + "/" + set.split;
        if (set.role != Role::Eval || !inSet(request.set, name, set.domain)) continue;
        for (const Item& item : db::readItems(connection, name, Role::Eval, spec.model, labels, spec.k))
            if (item.consistency && item.sampleShare) rows.push_back({item.id, *item.sampleShare, *item.consistency});
    }
    auto plot = std::make_unique<ConsistencyPlot>();
    plot->setRows(std::move(rows));
    return plot;
}

template <class Plot, class Series>
std::unique_ptr<PlotView> plotOf(Series series) {
    auto plot = std::make_unique<Plot>();
    plot->setSeries(std::move(series));
    return plot;
}

ReliabilityOptions panelOptions() {
    ReliabilityOptions options;
    options.counts = false;  // a panel has no room for the strip
    return options;
}

// Whatever one canvas can show; the caller looks whether there is anything on it.
std::unique_ptr<PlotView> plotFor(db::Connection& connection, const FigureRequest& request, bool panel = false) {
    if (request.figure == QStringLiteral("budget-sweep")) return budgetSweep(connection, request, panel);
    if (request.figure == QStringLiteral("consistency-accuracy")) return consistencyAccuracy(connection, request);
    auto series = requestedSeries(connection, request);
    if (request.figure == QStringLiteral("reliability")) {
        auto plot = std::make_unique<ReliabilityPlot>();
        plot->setSeries(std::move(series));
        if (panel) plot->setOptions(panelOptions());
        return plot;
    }
    if (request.figure == QStringLiteral("roc")) return plotOf<RocPlot>(std::move(series));
    if (request.figure == QStringLiteral("risk-coverage")) return plotOf<RiskCoveragePlot>(std::move(series));
    return plotOf<ConfidenceHistogram>(std::move(series.front()));
}

// Throws where no evaluation set is meant: the plot would only say that it is empty.
void checkSet(db::Connection& connection, const QString& asked) {
    std::string known = "in-domain, out-of-domain, all";
    for (const db::DatasetRow& set : db::datasets(connection)) {
        const std::string name = set.dataset + "/" + set.split;
        if (set.role == Role::Eval && inSet(asked, name, set.domain)) return;
        if (set.role == Role::Eval) known += ", " + name;
    }
    throw InputError("unknown_set", "no evaluation set is '" + asked.toStdString() + "'; there are " + known);
}

// One panel an evaluation set that the request covers.
std::unique_ptr<PlotView> smallMultiples(db::Connection& connection, const FigureRequest& request) {
    static const QStringList known = {QStringLiteral("reliability"), QStringLiteral("roc"),
                                      QStringLiteral("risk-coverage"), QStringLiteral("budget-sweep")};
    if (!known.contains(request.panels))
        throw InputError("bad_figure", "small multiples repeat one of " +
                                           known.join(QStringLiteral(", ")).toStdString() + ", not '" +
                                           request.panels.toStdString() + "'");
    FigureRequest one = request;
    one.figure = request.panels;
    const bool sweep = request.panels == QStringLiteral("budget-sweep");
    auto runs =
        sweep ? db::runs(connection, requestedExperiment(connection, request).id) : requestedRuns(connection, request);
    if (!sweep && request.runs.empty()) keepMain(runs);
    std::set<std::string> measured;
    QStringList methods;
    for (const db::RunRow& run : runs) {
        if (run.status != RunStatus::Finished) continue;
        if (!sweep) one.runs.push_back(run.id);
        for (const MetricRecord& metric : run.metrics) measured.insert(metric.set);
        if (const QString method = QString::fromStdString(run.method); !methods.contains(method)) methods << method;
    }
    std::vector<Panels::Panel> panels;
    for (const db::DatasetRow& set : db::datasets(connection)) {
        const std::string name = set.dataset + "/" + set.split;
        if (set.role != Role::Eval || !measured.contains(name) || !inSet(request.set, name, set.domain)) continue;
        one.set = QString::fromStdString(name);
        panels.push_back({one.set, plotFor(connection, one, true)});
    }
    auto plot = std::make_unique<Panels>();
    plot->setPanels(std::move(panels), methods);
    return plot;
}

}  // namespace

QStringList figureNames() {
    return {QStringLiteral("reliability"),    QStringLiteral("roc"),          QStringLiteral("risk-coverage"),
            QStringLiteral("histogram"),      QStringLiteral("budget-sweep"), QStringLiteral("consistency-accuracy"),
            QStringLiteral("small-multiples")};
}

db::ExperimentRow requestedExperiment(db::Connection& connection, const FigureRequest& request) {
    const auto experiments = db::experiments(connection);
    if (experiments.empty()) throw InputError("no_run", "the project holds no experiment yet: run one first");
    if (!request.experiment)
        return *std::max_element(experiments.begin(), experiments.end(),
                                 [](const auto& a, const auto& b) { return a.createdMs < b.createdMs; });
    for (const db::ExperimentRow& row : experiments)
        if (row.id == *request.experiment) return row;
    throw InputError("no_run", "the project has no experiment " + std::to_string(*request.experiment));
}

bool inSet(const QString& asked, const std::string& set, Domain domain) {
    if (asked == QStringLiteral("all")) return true;
    if (asked == QStringLiteral("in-domain")) return domain == Domain::In;
    if (asked == QStringLiteral("out-of-domain")) return domain == Domain::Out;
    const std::string wanted = asked.toStdString();
    return set == wanted || set.starts_with(wanted + "/");
}

std::vector<db::RunRow> requestedRuns(db::Connection& connection, const FigureRequest& request) {
    std::vector<db::RunRow> chosen;
    const auto all =
        request.runs.empty() ? db::runs(connection, requestedExperiment(connection, request).id) : db::runs(connection);
    for (const db::RunRow& run : all) {
        const bool wanted = request.runs.empty() || std::count(request.runs.begin(), request.runs.end(), run.id);
        if (wanted && run.status == RunStatus::Finished) chosen.push_back(run);
    }
    if (!request.runs.empty() && chosen.size() < request.runs.size())
        throw InputError("no_run", "not all runs asked for are there and finished: `info` lists them");
    if (chosen.empty()) throw InputError("no_run", "no run of this experiment is finished yet");
    return request.runs.empty() ? defaultRuns(std::move(chosen)) : chosen;
}

PlotSeries seriesOf(db::Connection& connection, const db::RunRow& run, const QString& set, const std::string& labels) {
    const db::ScoredColumn rows = db::scored(connection, run.id, labels);
    PlotSeries series;
    series.run = run.id;
    series.method = QString::fromStdString(run.method);
    series.budget = run.budget;
    series.seed = run.seed;
    series.full = run.budget == kAllLabels && run.labels > 0;
    std::vector<bool> wanted;
    for (std::size_t i = 0; i < rows.sets.size(); ++i) wanted.push_back(inSet(set, rows.sets[i], rows.domains[i]));
    for (std::size_t i = 0; i < rows.question.size(); ++i) {
        if (!wanted[static_cast<std::size_t>(rows.set[i])]) continue;
        series.question.push_back(rows.question[i]);
        series.confidence.push_back(rows.confidence[i]);
        series.correct.push_back(rows.correct[i]);
    }
    return series;
}

std::unique_ptr<PlotView> buildFigure(db::Connection& connection, const FigureRequest& request) {
    if (!figureNames().contains(request.figure))
        throw InputError("bad_figure", "unknown figure '" + request.figure.toStdString() +
                                           "'; known: " + figureNames().join(QStringLiteral(", ")).toStdString());
    auto plot = request.figure == QStringLiteral("small-multiples") ? smallMultiples(connection, request)
                                                                    : plotFor(connection, request);
    const QString reason = plot->emptyReason();
    if (!reason.isEmpty()) checkSet(connection, request.set);
    if (!reason.isEmpty()) throw InputError("nothing_to_draw", reason.toStdString());
    return plot;
}

}  // namespace candor::ui
