// SPDX-License-Identifier: GPL-3.0-or-later
#include <charconv>
#include <memory>
#include <sstream>

#include "app/cli/cli.h"
#include "app/cli/project.h"
#include "core/error.h"
#include "db/imported_runs.h"
#include "db/project.h"

namespace candor::app {
namespace {

using Json = nlohmann::ordered_json;

struct Arguments {
    std::filesystem::path project, file;
    std::string budget;
    std::int64_t labels = -1;
    db::ConfidenceOptions options;
};

std::int64_t budgetOf(const std::string& text) {
    if (text.empty()) return 0;
    if (text == "all") return kAllLabels;
    std::int64_t budget = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), budget);
    if (error != std::errc() || end != text.data() + text.size() || budget < 0)
        throw InputError("bad_usage", "--budget wants a number of labels or \"all\", got \"" + text + "\"");
    return budget;
}

Json listed(const std::vector<Rejected>& rows, const char* what, std::ostream& text) {
    Json list = Json::array();
    for (const Rejected& row : rows) {
        list.push_back({{"file", row.file}, {"line", row.line}, {"reason", row.reason}});
        text << "  " << what << " " << row.file << ":" << row.line << ": " << row.reason << "\n";
    }
    return list;
}

void print(const Cli& cli, const db::ConfidenceReport& report) {
    std::ostringstream text;
    text << "rows " << report.rows << "\nmatched " << report.matched << "\nunmatched " << report.unmatchedCount
         << "\nduplicates " << report.duplicates << "\nwithout a value " << report.withoutValue << "\nrejected "
         << report.rejectedCount << "\nquestions " << report.questions << "\nmissing " << report.missingCount << "\n";
    Json document = {{"rows", report.rows},
                     {"matched", report.matched},
                     {"unmatched_count", report.unmatchedCount},
                     {"duplicates", report.duplicates},
                     {"without_value", report.withoutValue},
                     {"rejected_count", report.rejectedCount},
                     {"questions", report.questions},
                     {"missing_count", report.missingCount},
                     {"scores", report.scores},
                     {"unchanged", report.unchanged}};
    document["unmatched"] = listed(report.unmatched, "unmatched", text);
    document["repeated"] = listed(report.repeated, "duplicate", text);
    document["rejected"] = listed(report.rejected, "rejected", text);
    document["missing"] = Json::array();
    for (const QuestionKey& key : report.missing) {
        document["missing"].push_back({{"dataset", key.dataset}, {"split", key.split}, {"row", key.row}});
        text << "  missing " << key.dataset << "/" << key.split << " row " << key.row << "\n";
    }
    if (report.scores) text << "kept as scores: ranking metrics only, until they are calibrated\n";
    document["runs"] = Json::array();
    for (const auto& [run, experiment] : report.runs) {
        document["runs"].push_back({{"id", run}, {"experiment", experiment}});
        text << (report.unchanged ? "unchanged run #" : "run #") << run << " of experiment " << experiment << "\n";
    }
    cli.print(document, text.str());
}

void importConfidences(const Cli& cli, Arguments& arguments) {
    db::ConfidenceOptions options = arguments.options;
    options.budget = budgetOf(arguments.budget);
    if (arguments.labels >= 0) options.labels = arguments.labels;
    if (options.budget == kAllLabels && !options.labels)
        throw InputError("bad_usage", "--budget all needs --labels-used: how many labels that was");
    options.seed = static_cast<int>(cli.seed);
    const auto project = openProject(arguments.project);
    print(cli, db::importConfidences(*project, arguments.file, options, cli.stop));
}

}  // namespace

void addImportConfidences(Cli& cli) {
    const auto a = std::make_shared<Arguments>();
    CLI::App* sub = cli.command("import-confidences", "confidences or scores of anybody's method, as a run",
                                [&cli, a] { importConfidences(cli, *a); });
    sub->add_option("project", a->project, "NAME.candor")->required();
    sub->add_option("file", a->file, "CSV, TSV or JSONL: confidence or score, by dataset, split, row or by question")
        ->required()
        ->check(CLI::ExistingFile);
    sub->add_option("--method", a->options.method, "any name")->required();
    sub->add_option("--model", a->options.model, "whose answers they are about, where the project has several");
    sub->add_option("--budget", a->budget, "labels the method was given: a number or all; default: none");
    sub->add_option("--labels-used", a->labels, "labels used in all, selection included; default: the budget")
        ->check(CLI::NonNegativeNumber);
    sub->add_option("--dataset", a->options.dataset, "of rows that do not name theirs");
    sub->add_option("--split", a->options.split, "of rows that do not name theirs");
    sub->add_option("--column", a->options.columns.value,
                    "field with the numbers; default: confidence, score, predicted");
    sub->add_option("--experiment", a->options.experiment,
                    "name or id; default: every experiment of the model that evaluates the questions");
    sub->add_flag("--scores", a->options.scores, "they are no probabilities, whatever their range");
}

}  // namespace candor::app
