// SPDX-License-Identifier: GPL-3.0-or-later
#include <QApplication>
#include <memory>
#include <optional>

#include "app/cli/cli.h"
#include "app/cli/project.h"
#include "app/figures.h"
#include "core/error.h"
#include "db/connection.h"
#include "db/project.h"
#include "ui/export/figure.h"
#include "ui/figures/figure_request.h"

namespace candor::app {
namespace {

struct Arguments {
    std::filesystem::path project, out;
    std::string figure, experiment, set = "in-domain", metric = "auroc", average = "weighted", labels, preset = "iclr";
    std::vector<std::int64_t> runs;
};

std::int64_t experimentNamed(db::Connection& connection, const std::string& name) {
    std::string known;
    std::optional<std::int64_t> found;
    for (const db::ExperimentRow& row : db::experiments(connection)) {
        if (row.name == name || std::to_string(row.id) == name) found = row.id;
        known += (known.empty() ? "" : ", ") + row.name;
    }
    if (!found) throw InputError("no_experiment", "no experiment '" + name + "'; the project has: " + known);
    return *found;
}

void exportOne(const Cli& cli, const Arguments& arguments) {
    const auto project = openProject(arguments.project);
    const auto connection = project->reader();
    ui::FigureRequest request;
    request.figure = QString::fromStdString(arguments.figure);
    if (!arguments.experiment.empty()) request.experiment = experimentNamed(*connection, arguments.experiment);
    request.runs = arguments.runs;
    request.set = QString::fromStdString(arguments.set);
    request.metric = QString::fromStdString(arguments.metric);
    request.average = QString::fromStdString(arguments.average);
    request.labels = arguments.labels;

    const OffscreenApplication application;
    ui::FigureOptions options;
    options.preset = QString::fromStdString(arguments.preset);
    const auto plot = ui::buildFigure(*connection, request);
    const QString written = ui::exportFigure(*plot, QString::fromStdString(arguments.out.string()), options);
    cli.print({{"figure", arguments.figure}, {"file", written.toStdString()}, {"note", plot->note().toStdString()}},
              written.toStdString() + "\n");
}

}  // namespace

void addExport(Cli& cli) {
    const auto arguments = std::make_shared<Arguments>();
    CLI::App* sub = cli.command("export", "writes a figure as PDF, SVG, PNG, CSV or PGFPlots",
                                [&cli, arguments] { exportOne(cli, *arguments); });
    sub->add_option("project", arguments->project, "NAME.candor")->required();
    sub->add_option("figure", arguments->figure, "reliability, roc, risk-coverage, histogram or budget-sweep")
        ->required();
    sub->add_option("--out", arguments->out, "FILE.pdf, .svg, .png, .csv or .tex")->required();
    sub->add_option("--experiment", arguments->experiment, "name or number; default: the newest");
    sub->add_option("--run", arguments->runs, "numbers as `info` lists them; default: one run of each method");
    sub->add_option("--set", arguments->set, "in-domain, out-of-domain, all, DATASET or DATASET/SPLIT")
        ->capture_default_str();
    sub->add_option("--metric", arguments->metric, "of a budget sweep")->capture_default_str();
    sub->add_option("--average", arguments->average, "weighted or macro")->check(CLI::IsMember({"weighted", "macro"}));
    sub->add_option("--labels", arguments->labels, "label set that is the truth; default: the run's own");
    sub->add_option("--preset", arguments->preset, "venue: iclr, neurips, icml, acl, aaai, tmlr or slides")
        ->capture_default_str();
}

}  // namespace candor::app
