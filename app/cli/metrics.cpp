// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/metrics/metrics.h"

#include <cmath>
#include <map>
#include <memory>
#include <sstream>

#include "app/cli/cli.h"
#include "app/cli/table.h"
#include "core/error.h"

namespace candor::app {
namespace {

struct Arguments {
    std::string file, weights, group;
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

struct Rows {
    std::vector<double> confidence, correct, weights;
    Scored scored() const { return {confidence, correct, weights}; }
};

// Mean over groups where defined, with the number of groups (metrics.md B.15: macro).
Json macroOf(const std::map<std::string, std::vector<Metric>>& groups) {
    std::vector<std::string> order;
    std::map<std::string, std::pair<double, int>> sums;
    for (const auto& [value, metrics] : groups)
        for (const Metric& metric : metrics) {
            if (!sums.contains(metric.name)) order.push_back(metric.name);
            auto& [sum, sets] = sums[metric.name];
            if (metric.defined()) sum += metric.value, ++sets;
        }
    Json macro = Json::object();
    for (const std::string& name : order) {
        const auto [sum, sets] = sums[name];
        macro[name] = {{"value", sets ? numberOf(sum / sets) : Json()}, {"sets", sets}};
    }
    return macro;
}

void metrics(const Cli& cli, const Arguments& arguments) {
    std::vector<std::string> numeric = {"confidence", "correct"};
    if (!arguments.weights.empty()) numeric.push_back(arguments.weights);
    const Table table = readTable(arguments.file, numeric, arguments.group);
    Rows rows{table.numbers[0], table.numbers[1], arguments.weights.empty() ? std::vector<double>() : table.numbers[2]};
    std::vector<Metric> all;
    try {
        all = allMetrics(rows.scored());
    } catch (const InputError& error) {
        throw InputError(error.code(), error.what(), arguments.file, error.line());
    }
    Json document = jsonOf(all);
    std::string text = textOf(all);
    if (!arguments.group.empty()) {
        std::map<std::string, Rows> parts;
        for (std::size_t i = 0; i < table.group.size(); ++i) {
            Rows& part = parts[table.group[i]];
            part.confidence.push_back(rows.confidence[i]);
            part.correct.push_back(rows.correct[i]);
            if (!rows.weights.empty()) part.weights.push_back(rows.weights[i]);
        }
        std::map<std::string, std::vector<Metric>> byGroup;
        document["groups"] = Json::object();
        for (const auto& [value, part] : parts) {
            byGroup[value] = allMetrics(part.scored());
            document["groups"][value] = jsonOf(byGroup[value]);
            text += "\n[" + arguments.group + " = " + value + "]\n" + textOf(byGroup[value]);
        }
        document["macro"] = macroOf(byGroup);
    }
    cli.print(document, text);
}

}  // namespace

void addMetrics(Cli& cli) {
    const auto arguments = std::make_shared<Arguments>();
    CLI::App* sub = cli.command("metrics", "every metric of a CSV or JSONL file with `confidence` and `correct`",
                                [&cli, arguments] { metrics(cli, *arguments); });
    sub->add_option("file", arguments->file, "CSV or JSONL, or - for standard input")->required();
    sub->add_option("--weights", arguments->weights, "a column of weights");
    sub->add_option("--group", arguments->group, "a column to group by");
}

}  // namespace candor::app
