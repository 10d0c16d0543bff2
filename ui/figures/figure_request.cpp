// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/figures/figure_request.h"

#include <algorithm>
#include <map>

#include "core/error.h"
#include "ui/plots/budget_sweep_plot.h"
#include "ui/plots/confidence_histogram.h"
#include "ui/plots/reliability_plot.h"
#include "ui/plots/risk_coverage_plot.h"
#include "ui/plots/roc_plot.h"

namespace candor::ui {
namespace {

std::int64_t experimentOf(db::Connection& connection, const FigureRequest& request) {
    if (request.experiment) return *request.experiment;
    const auto experiments = db::experiments(connection);
    if (experiments.empty()) throw InputError("no_run", "the project holds no experiment yet: run one first");
    return std::max_element(experiments.begin(), experiments.end(),
                            [](const auto& a, const auto& b) { return a.createdMs < b.createdMs; })
        ->id;
}

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

std::vector<PlotSeries> requestedSeries(db::Connection& connection, const FigureRequest& request) {
    std::vector<PlotSeries> series;
    for (const db::RunRow& run : requestedRuns(connection, request))
        series.push_back(seriesOf(connection, run, request.set, request.labels));
    return series;
}

std::unique_ptr<PlotView> budgetSweep(db::Connection& connection, const FigureRequest& request) {
    std::vector<SweepPoint> points;
    const std::string set = request.set.toStdString(), metric = request.metric.toStdString();
    const std::string average = set == "in-domain" || set == "out-of-domain" ? request.average.toStdString() : "";
    for (const db::RunRow& run : db::runs(connection, experimentOf(connection, request))) {
        if (run.status != RunStatus::Finished) continue;
        for (const MetricRecord& record : run.metrics) {
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
    SweepOptions options;
    const QString name = metric == "auroc" ? QStringLiteral("AUROC") : request.metric;
    options.metric = average.empty() ? QStringLiteral("%1, %2").arg(name, request.set)
                                     : QStringLiteral("%1, %2, %3").arg(name, request.set, request.average);
    if (metric == "auroc") options.reference = 0.5;
    options.lowerIsBetter = metric == "ece_ew10" || metric == "brier";
    auto plot = std::make_unique<BudgetSweepPlot>();
    plot->setPoints(std::move(points), options);
    return plot;
}

// More than three calibration curves hide each other: by default the trained methods and the free signal are drawn.
void keepMain(std::vector<PlotSeries>& series) {
    static const QStringList main = {QStringLiteral("elical"), QStringLiteral("cal-only"),
                                     QStringLiteral("consis-sem")};
    const auto isMain = [](const PlotSeries& one) { return main.contains(one.method); };
    if (std::any_of(series.begin(), series.end(), isMain))
        std::erase_if(series, [&](const PlotSeries& one) { return !isMain(one); });
}

template <class Plot, class Series>
std::unique_ptr<PlotView> plotOf(Series series) {
    auto plot = std::make_unique<Plot>();
    plot->setSeries(std::move(series));
    return plot;
}

}  // namespace

QStringList figureNames() {
    return {QStringLiteral("reliability"), QStringLiteral("roc"), QStringLiteral("risk-coverage"),
            QStringLiteral("histogram"), QStringLiteral("budget-sweep")};
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
        request.runs.empty() ? db::runs(connection, experimentOf(connection, request)) : db::runs(connection);
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
    std::unique_ptr<PlotView> plot;
    if (request.figure == QStringLiteral("budget-sweep")) {
        plot = budgetSweep(connection, request);
    } else {
        auto series = requestedSeries(connection, request);
        if (request.figure == QStringLiteral("reliability") && request.runs.empty()) keepMain(series);
        if (request.figure == QStringLiteral("reliability"))
            plot = plotOf<ReliabilityPlot>(std::move(series));
        else if (request.figure == QStringLiteral("roc"))
            plot = plotOf<RocPlot>(std::move(series));
        else if (request.figure == QStringLiteral("risk-coverage"))
            plot = plotOf<RiskCoveragePlot>(std::move(series));
        else
            plot = plotOf<ConfidenceHistogram>(std::move(series.front()));
    }
    const QString reason = plot->emptyReason();
    if (!reason.isEmpty()) throw InputError("nothing_to_draw", reason.toStdString());
    return plot;
}

}  // namespace candor::ui
