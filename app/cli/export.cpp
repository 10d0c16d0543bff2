// SPDX-License-Identifier: GPL-3.0-or-later
#include <QApplication>
#include <QFileInfo>
#include <fstream>
#include <memory>

#include "app/cli/cli.h"
#include "app/cli/project.h"
#include "app/figures.h"
#include "core/error.h"
#include "db/connection.h"
#include "db/project.h"
#include "ui/export/figure.h"
#include "ui/export/result_table.h"
#include "ui/figures/figure_request.h"

namespace candor::app {
namespace {

struct Arguments {
    std::filesystem::path project, out, recipe;
    std::string figure, experiment, set, metric, average = "weighted", labels, panels = "reliability", preset = "iclr";
    std::vector<std::int64_t> runs;
    int columns = 1, digits = 3;
    double width = 0, height = 0, fontSize = 0;
};

using Json = nlohmann::ordered_json;

// What a recipe keeps, under the names of the options.
template <class Some, class Take>
void eachSetting(Some& a, const Take& take) {
    take("figure", a.figure), take("experiment", a.experiment), take("run", a.runs), take("set", a.set);
    take("metric", a.metric), take("average", a.average), take("labels", a.labels), take("panels", a.panels);
    take("preset", a.preset), take("columns", a.columns), take("width", a.width), take("height", a.height);
    take("font-size", a.fontSize), take("digits", a.digits);
}

// What makes the same file again, but for the project's path.
Json recipeOf(const Arguments& a, const std::string& project) {
    Json recipe = {{"candor", CANDOR_VERSION}, {"project", project}};
    eachSetting(a, [&](const char* name, const auto& value) { recipe[name] = value; });
    return recipe;
}

Arguments fromRecipe(const Arguments& given) {
    Arguments a = given;
    std::ifstream stream(given.recipe);
    const auto wrong = [&](const std::string& what) { return InputError("bad_recipe", what, given.recipe.string()); };
    if (!stream) throw wrong("the recipe cannot be read");
    const Json json = Json::parse(stream, nullptr, false);
    if (!json.is_object()) throw wrong("a recipe is a JSON object, as `export` writes it beside each figure");
    try {
        json.at("figure");
        eachSetting(a, [&](const char* name, auto& value) {
            if (json.contains(name)) json.at(name).get_to(value);
        });
    } catch (const Json::exception&) {
        throw wrong("the recipe lacks \"figure\" or one of its values has the wrong type");
    }
    return a;
}

db::ExperimentRow experimentNamed(db::Connection& connection, const std::string& name) {
    std::string known;
    for (const db::ExperimentRow& row : db::experiments(connection)) {
        if (row.name == name || std::to_string(row.id) == name) return row;
        known += (known.empty() ? "" : ", ") + row.name;
    }
    throw InputError("no_experiment", "no experiment '" + name + "'; the project has: " + known);
}

QStringList listOf(const std::string& text) {
    return QString::fromStdString(text).split(QLatin1Char(','), Qt::SkipEmptyParts);
}

ui::FigureRequest requestOf(const Arguments& a, db::Connection& connection) {
    ui::FigureRequest request;
    request.figure = QString::fromStdString(a.figure);
    if (!a.experiment.empty()) request.experiment = experimentNamed(connection, a.experiment).id;
    request.runs = a.runs;
    const bool whole = a.figure == "small-multiples" || a.figure == "consistency-accuracy";
    request.set = a.set.empty() ? (whole ? QStringLiteral("all") : request.set) : QString::fromStdString(a.set);
    if (!a.metric.empty()) request.metric = QString::fromStdString(a.metric);
    request.average = QString::fromStdString(a.average);
    request.labels = a.labels;
    request.panels = QString::fromStdString(a.panels);
    return request;
}

QString exportTable(const Arguments& a, db::Connection& connection, const ui::FigureRequest& request) {
    auto runs = db::runs(connection, requestedExperiment(connection, request).id);
    if (!a.runs.empty()) runs = requestedRuns(connection, request);
    ui::TableOptions options;
    if (!a.set.empty()) options.sets = listOf(a.set);
    if (!a.metric.empty()) options.metrics = listOf(a.metric);
    options.average = request.average;
    options.digits = a.digits;
    const QString path = QString::fromStdString(a.out.string());
    ui::writeWhole(path, ui::tableBytes(ui::resultTable(runs, options), QFileInfo(path).suffix().toLower()));
    return path;
}

QString exportPlot(const Arguments& a, db::Connection& connection, const ui::FigureRequest& request, QString* note) {
    ui::FigureOptions options;
    options.preset = QString::fromStdString(a.preset);
    options.columns = a.columns;
    options.width = a.width, options.height = a.height, options.fontSize = a.fontSize;
    const QString format = QFileInfo(QString::fromStdString(a.out.string())).suffix().toLower();
    if (!ui::figureFormats().contains(format))
        throw InputError("bad_format", "--out ends in one of ." +
                                           ui::figureFormats().join(QStringLiteral(", .")).toStdString() + ", got " +
                                           a.out.string());
    const auto plot = ui::buildFigure(connection, request);
    *note = plot->note();
    return ui::exportFigure(*plot, QString::fromStdString(a.out.string()), options);
}

void exportOne(const Cli& cli, const Arguments& given) {
    Arguments a = given.recipe.empty() ? given : fromRecipe(given);
    if (a.figure.empty()) throw InputError("bad_figure", "name a figure, or a --recipe that names one");
    const auto project = openProject(a.project);
    const auto connection = project->reader();
    const ui::FigureRequest request = requestOf(a, *connection);
    const OffscreenApplication application;
    QString note;
    const QString written =
        a.figure == "table" ? exportTable(a, *connection, request) : exportPlot(a, *connection, request, &note);
    // The newest experiment may be another one tomorrow.
    if (a.experiment.empty() && a.runs.empty()) a.experiment = requestedExperiment(*connection, request).name;
    const QFileInfo info(written);
    const QString recipe = info.path() + QLatin1Char('/') + info.completeBaseName() + QStringLiteral(".recipe.json");
    ui::writeWhole(recipe, QByteArray::fromStdString(recipeOf(a, project->id()).dump(2) + "\n"));
    cli.print({{"figure", a.figure},
               {"file", written.toStdString()},
               {"recipe", recipe.toStdString()},
               {"note", note.toStdString()}},
              written.toStdString() + "\n");
}

}  // namespace

void addExport(Cli& cli) {
    const auto arguments = std::make_shared<Arguments>();
    CLI::App* sub = cli.command("export", "writes a figure as PDF, SVG, PNG, CSV or PGFPlots, or a table of results",
                                [&cli, arguments] { exportOne(cli, *arguments); });
    sub->add_option("project", arguments->project, "NAME.candor")->required();
    sub->add_option("figure", arguments->figure,
                    "reliability, roc, risk-coverage, histogram, budget-sweep, consistency-accuracy, small-multiples "
                    "or table");
    sub->add_option("--out", arguments->out, "FILE.pdf, .svg, .png, .csv or .tex; tables: .tex, .md or .csv")
        ->required();
    sub->add_option("--recipe", arguments->recipe, "a NAME.recipe.json: makes that figure again")->excludes("figure");
    sub->add_option("--experiment", arguments->experiment, "name or number; default: the newest");
    sub->add_option("--run", arguments->runs, "numbers as `info` lists them; default: one run of each method");
    sub->add_option("--set", arguments->set,
                    "in-domain, out-of-domain, all, DATASET or DATASET/SPLIT; tables: several, with commas");
    sub->add_option("--metric", arguments->metric, "of a budget sweep; tables: several, with commas");
    sub->add_option("--average", arguments->average, "weighted or macro")->check(CLI::IsMember({"weighted", "macro"}));
    sub->add_option("--labels", arguments->labels, "label set that is the truth; default: the run's own");
    sub->add_option("--panels", arguments->panels,
                    "what small multiples repeat: reliability, roc, risk-coverage or "
                    "budget-sweep")
        ->capture_default_str();
    sub->add_option("--preset", arguments->preset, "venue: iclr, neurips, icml, acl, aaai, tmlr or slides")
        ->capture_default_str();
    sub->add_option("--columns", arguments->columns, "1 or 2 of the venue's columns")->check(CLI::Range(1, 2));
    sub->add_option("--width", arguments->width, "inches; default: the venue's")->check(CLI::Range(1.0, 50.0));
    sub->add_option("--height", arguments->height, "inches; default: by the figure")->check(CLI::Range(0.75, 50.0));
    sub->add_option("--font-size", arguments->fontSize, "points of labels; default: the venue's")
        ->check(CLI::Range(4.0, 72.0));
    sub->add_option("--digits", arguments->digits, "decimals of a table")->check(CLI::Range(1, 9));
}

}  // namespace candor::app
