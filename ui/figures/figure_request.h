// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStringList>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "db/queries.h"
#include "ui/plots/plot_view.h"

namespace candor::ui {

// A figure as a command or a recipe names it. What is unset has a default that the figure's note states.
struct FigureRequest {
    QString figure;                             // one of figureNames()
    std::optional<std::int64_t> experiment;     // default: the newest
    std::vector<std::int64_t> runs;             // default: of each method the first seed at the largest numeric budget
    QString set = QStringLiteral("in-domain");  // "in-domain", "out-of-domain", "all", "dataset" or "dataset/split"
    QString metric = QStringLiteral("auroc");   // budget-sweep
    QString average = QStringLiteral("weighted");
    std::string labels;                              // label set that is the truth; empty: the run's own
    QString panels = QStringLiteral("reliability");  // small-multiples: the figure that each set's panel repeats
};

QStringList figureNames();

// The experiment asked for, or the newest. Throws InputError ("no_run") where there is none.
db::ExperimentRow requestedExperiment(db::Connection& connection, const FigureRequest& request);

// Runs that a request stands for: its own, or the default ones of its experiment. Finished ones only.
std::vector<db::RunRow> requestedRuns(db::Connection& connection, const FigureRequest& request);

// Evaluation rows of one run in the sets asked for.
PlotSeries seriesOf(db::Connection& connection, const db::RunRow& run, const QString& set, const std::string& labels);

// Whether a result of `set` ("dataset/split") and its domain belongs to what was asked for.
bool inSet(const QString& asked, const std::string& set, Domain domain);

// Builds the plot with its values. Throws InputError ("bad_figure", "no_run") with the known names or what is there.
std::unique_ptr<PlotView> buildFigure(db::Connection& connection, const FigureRequest& request);

}  // namespace candor::ui
