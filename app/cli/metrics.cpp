// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/metrics/metrics.h"

#include <cmath>
#include <memory>
#include <sstream>

#include "app/cli/cli.h"
#include "app/cli/table.h"
#include "core/error.h"
#include "core/metrics/bootstrap.h"
#include "core/metrics/groups.h"

namespace candor::app {
namespace {

struct Arguments {
    std::string file, weights, group;
    int resamples = 0;
    double level = 0.95;
};

using Json = nlohmann::ordered_json;

// JSON has no infinities; an undefined metric is null and says why in "undefined".
Json numberOf(double value) {
    if (std::isinf(value)) return value > 0 ? "Infinity" : "-Infinity";
    return value;
}

Json jsonOf(const std::vector<Metric>& metrics) {
    Json values = Json::object(), undefined = Json::object();
    for (const Metric& metric : metrics) {
        values[metric.name] = metric.defined() ? numberOf(metric.value) : Json();
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

// Mean over groups where defined, with their number (metrics.md B.15: macro).
Json macroOf(const GroupMetrics& groups) {
    Json macro = Json::object();
    for (const GroupAverage& average : groups.averages)
        macro[average.name] = {{"value", average.macro.defined() ? numberOf(average.macro.value) : Json()},
                               {"sets", average.sets}};
    return macro;
}

void addGroups(const Scored& rows, const Table& table, const std::string& column, Json& document, std::string& text) {
    const GroupMetrics groups = groupMetrics(rows, table.group);
    document["groups"] = Json::object();
    for (std::size_t i = 0; i < groups.groups.size(); ++i) {
        document["groups"][groups.groups[i]] = jsonOf(groups.metrics[i]);
        text += "\n[" + column + " = " + groups.groups[i] + "]\n" + textOf(groups.metrics[i]);
    }
    document["macro"] = macroOf(groups);
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

void metrics(const Cli& cli, const Arguments& arguments) {
    std::vector<std::string> numeric = {"confidence", "correct"};
    if (!arguments.weights.empty()) numeric.push_back(arguments.weights);
    const Table table = readTable(arguments.file, numeric, arguments.group);
    Scored rows{table.numbers[0], table.numbers[1], {}};
    if (!arguments.weights.empty()) rows.weights = table.numbers[2];
    try {
        const auto all = allMetrics(rows);
        Json document = jsonOf(all);
        std::string text = textOf(all);
        if (!arguments.group.empty()) addGroups(rows, table, arguments.group, document, text);
        if (arguments.resamples > 0) {
            BootstrapOptions options;
            options.resamples = arguments.resamples;
            options.seed = cli.seed;
            options.level = arguments.level;
            options.stop = cli.stop;
            std::ostringstream intervals;
            intervals.precision(10);
            addIntervals(rows, options, document, intervals);
            text += intervals.str();
        }
        cli.print(document, text);
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
        ->check(CLI::NonNegativeNumber);
    sub->add_option("--level", arguments->level, "of the intervals")->capture_default_str();
}

}  // namespace candor::app
