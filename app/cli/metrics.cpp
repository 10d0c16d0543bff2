// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/metrics/metrics.h"

#include <cmath>
#include <memory>
#include <sstream>
#include <unordered_map>

#include "app/cli/cli.h"
#include "app/cli/table.h"
#include "core/error.h"
#include "core/metrics/bootstrap.h"
#include "core/metrics/delong.h"
#include "core/metrics/groups.h"
#include "core/metrics/perfect_calibration.h"
#include "core/metrics/row_error.h"

namespace candor::app {
namespace {

struct Arguments {
    std::string file, weights, group, cluster;
    int resamples = 0;
    double level = 0.95;
};

using Json = nlohmann::ordered_json;

// JSON has no infinities; an undefined metric is null and says why in "undefined".
Json numberOf(double value) {
    if (std::isinf(value)) return value > 0 ? "Infinity" : "-Infinity";
    return value;
}

// Counts are whole numbers in JSON, too.
Json valueOf(const Metric& metric) {
    if (!metric.defined()) return {};
    if (metric.name == "n" || metric.name == "n_correct") return static_cast<std::int64_t>(metric.value);
    return numberOf(metric.value);
}

Json jsonOf(const std::vector<Metric>& metrics) {
    Json values = Json::object(), undefined = Json::object();
    for (const Metric& metric : metrics) {
        values[metric.name] = valueOf(metric);
        if (!metric.defined()) undefined[metric.name] = metric.undefinedReason;
    }
    if (!undefined.empty()) values["undefined"] = undefined;
    return values;
}

std::string textOf(const std::vector<Metric>& metrics) {
    std::ostringstream text;
    text.precision(10);
    for (const Metric& metric : metrics) {
        text << metric.name << " ";
        if (metric.defined())
            text << metric.value << "\n";
        else
            text << "undefined: " << metric.undefinedReason << "\n";
    }
    return text.str();
}

Json averageOf(const Metric& average, int sets) {
    return {{"value", average.defined() ? numberOf(average.value) : Json()}, {"sets", sets}};
}

// Three averages under three names (metrics.md B.15); the pooled one is the document itself, all rows as one set.
void addGroups(const Scored& rows, const Table& table, const std::string& column, Json& document, std::string& text) {
    const GroupMetrics groups = groupMetrics(rows, table.text[0]);
    text = "[pooled]\n" + text;
    document["groups"] = document["macro"] = document["weighted"] = Json::object();
    for (std::size_t i = 0; i < groups.groups.size(); ++i) {
        document["groups"][groups.groups[i]] = jsonOf(groups.metrics[i]);
        text += "\n[" + column + " = " + groups.groups[i] + "]\n" + textOf(groups.metrics[i]);
    }
    std::vector<Metric> macro, weighted;
    for (const GroupAverage& average : groups.averages) {
        document["macro"][average.name] = averageOf(average.macro, average.sets);
        document["weighted"][average.name] = averageOf(average.weighted, average.sets);
        macro.push_back(average.macro);
        weighted.push_back(average.weighted);
    }
    text += "\n[macro: mean over groups where defined]\n" + textOf(macro);
    text += "\n[weighted: the same groups, weighted by rows]\n" + textOf(weighted);
}

// Ids of equal texts, so that rows of one question are drawn together.
std::vector<std::int64_t> clustersOf(const std::vector<std::string>& names) {
    std::unordered_map<std::string, std::int64_t> ids;
    std::vector<std::int64_t> cluster;
    for (const std::string& name : names)
        cluster.push_back(ids.emplace(name, static_cast<std::int64_t>(ids.size())).first->second);
    return cluster;
}

// What metrics.md B.14 holds right where the percentile interval is not: DeLong for the AUROC, and for the binned ECE
// its distribution under perfect calibration and a bias-corrected interval. None has a weighted form.
void addCorrected(const Scored& rows, const BootstrapOptions& options, Json& document, std::ostream& text) {
    if (!rows.weights.empty()) return;
    const DelongInterval delong = delongInterval(rows, options.level);
    const bool defined = delong.undefinedReason.empty();
    const char* scale = delong.scale == AurocScale::Logit ? "logit" : "plain";
    document["auroc_delong"] = {{"lo", defined ? Json(delong.lo) : Json()},
                                {"hi", defined ? Json(delong.hi) : Json()},
                                {"scale", defined ? Json(scale) : Json()}};
    const CalibrationDraws draws{options.resamples, options.seed, options.level, options.stop};
    const EceInterval ece = eceInterval(rows.confidence, rows.correct, {}, draws);
    const PerfectCalibration perfect = perfectCalibration(rows.confidence, rows.correct, {}, draws);
    document["ece_ew10_corrected"] = {
        {"lo", ece.lo},
        {"hi", ece.hi},
        {"median", ece.median},
        {"debiased", ece.debiased},
        {"if_calibrated", {{"expected", perfect.expected}, {"lo", perfect.lo}, {"hi", perfect.hi}, {"p", perfect.p}}}};
    text << "\nDeLong interval of auroc: ";
    if (defined)
        text << delong.lo << " to " << delong.hi << " (" << scale << " scale)\n";
    else
        text << "undefined: " << delong.undefinedReason << "\n";
    text << "bias-corrected interval of ece_ew10: " << ece.lo << " to " << ece.hi << ", median " << ece.median
         << " (the percentile interval above is biased upwards)\n"
         << "ece_ew10 of a perfectly calibrated model: expected " << perfect.expected << ", " << perfect.lo << " to "
         << perfect.hi << ", p " << perfect.p << "\n";
}

void addIntervals(const Scored& rows, const BootstrapOptions& options, Json& document, std::ostream& text) {
    text << "\npercentile intervals, " << options.resamples << " resamples, level " << options.level << "\n";
    document["intervals"] = Json::object();
    for (const BootstrapInterval& interval : bootstrap(rows, bootstrapMetrics(), options)) {
        const bool defined = interval.undefinedReason.empty();
        document["intervals"][interval.name] = {{"lo", defined ? numberOf(interval.lo) : Json()},
                                                {"hi", defined ? numberOf(interval.hi) : Json()},
                                                {"mean", defined ? numberOf(interval.mean) : Json()},
                                                {"skipped", interval.skipped}};
        text << interval.name << " ";
        if (defined)
            text << interval.lo << " to " << interval.hi << ", mean " << interval.mean << ", skipped "
                 << interval.skipped << "\n";
        else
            text << "undefined: " << interval.undefinedReason << "\n";
    }
}

void addResamples(const Cli& cli, const Arguments& arguments, const Scored& rows, const Table& table, Json& document,
                  std::string& text) {
    BootstrapOptions options;
    options.resamples = arguments.resamples;
    options.seed = cli.seed;
    options.level = arguments.level;
    options.stop = cli.stop;
    std::vector<std::int64_t> cluster;
    if (!arguments.cluster.empty()) options.cluster = cluster = clustersOf(table.text.back());
    std::ostringstream intervals;
    intervals.precision(10);
    addIntervals(rows, options, document, intervals);
    if (cluster.empty()) addCorrected(rows, options, document, intervals);  // these take each row for a question
    text += intervals.str();
}

void metrics(const Cli& cli, const Arguments& arguments) {
    std::vector<std::string> numeric = {"confidence", "correct"}, labels;
    if (!arguments.weights.empty()) numeric.push_back(arguments.weights);
    if (!arguments.group.empty()) labels.push_back(arguments.group);
    if (!arguments.cluster.empty()) labels.push_back(arguments.cluster);
    const Table table = readTable(arguments.file, numeric, labels);
    Scored rows{table.numbers[0], table.numbers[1], {}};
    if (!arguments.weights.empty()) rows.weights = table.numbers[2];
    try {
        const auto all = allMetrics(rows);
        Json document = jsonOf(all);
        std::string text = textOf(all);
        if (!arguments.group.empty()) addGroups(rows, table, arguments.group, document, text);
        if (arguments.resamples > 0) addResamples(cli, arguments, rows, table, document, text);
        cli.print(document, text);
    } catch (const RowError& error) {
        throw table.located(error);
    } catch (const InputError& error) {
        throw InputError(error.code(), error.what(), arguments.file, error.line());
    }
}

}  // namespace

void addMetrics(Cli& cli) {
    const auto arguments = std::make_shared<Arguments>();
    CLI::App* sub = cli.command("metrics", "every metric of a CSV or JSONL file with `confidence` and `correct`",
                                [&cli, arguments] { metrics(cli, *arguments); });
    sub->add_option("file", arguments->file, "CSV or JSONL, or - for standard input")->required();
    sub->add_option("--weights", arguments->weights, "a column of weights");
    sub->add_option("--group", arguments->group, "a column to group by");
    sub->add_option("--bootstrap", arguments->resamples, "resamples for percentile intervals; 0: none")
        ->check(CLI::Range(0, 1000000));
    sub->add_option("--cluster", arguments->cluster, "a column of questions: its equal rows are resampled together");
    sub->add_option("--level", arguments->level, "of the intervals")
        ->check(CLI::Range(0.0, 1.0))
        ->capture_default_str();
}

}  // namespace candor::app
