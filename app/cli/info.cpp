// SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>
#include <cstdio>
#include <memory>
#include <sstream>

#include "app/cli/cli.h"
#include "app/cli/project.h"
#include "app/names.h"
#include "core/error.h"
#include "db/connection.h"
#include "db/findings.h"
#include "db/project.h"
#include "db/queries.h"

namespace candor::app {
namespace {

using Json = nlohmann::ordered_json;

Json number(const std::optional<double>& value) { return value ? Json(*value) : Json(); }

std::string three(const std::optional<double>& value) {
    if (!value) return "-";
    char text[32];
    std::snprintf(text, sizeof text, "%.3f", *value);
    return text;
}

Json jsonOf(const MetricRecord& metric) {
    Json json = {{"set", metric.set}, {"average", metric.average}, {"name", metric.name}, {"n", metric.n}};
    json["value"] = metric.undefinedReason.empty() ? Json(metric.value) : Json();
    if (std::isinf(metric.value)) json["value"] = metric.value > 0 ? "Infinity" : "-Infinity";
    if (!metric.undefinedReason.empty()) json["undefined"] = metric.undefinedReason;
    if (metric.lo) json["lo"] = *metric.lo;
    if (metric.hi) json["hi"] = *metric.hi;
    return json;
}

void addDatasets(db::Connection& connection, Json& document, std::ostream& text) {
    text << "datasets\n";
    for (const db::DatasetRow& set : db::datasets(connection)) {
        document["datasets"].push_back({{"dataset", set.dataset},
                                        {"split", set.split},
                                        {"role", nameOf(set.role)},
                                        {"domain", nameOf(set.domain)},
                                        {"rows", set.rows},
                                        {"duplicates", set.duplicates},
                                        {"conflicting_duplicates", set.conflictingDuplicates},
                                        {"overlap", set.overlap},
                                        {"empty_gold", set.emptyGold},
                                        {"gold_in_question", set.goldInQuestion},
                                        {"function_word_gold", set.functionWordGold},
                                        {"near_duplicates", set.nearDuplicates ? Json(*set.nearDuplicates) : Json()}});
        text << "  " << set.dataset << "/" << set.split << "  " << nameOf(set.role);
        if (set.domain != Domain::None) text << " " << nameOf(set.domain) << "-domain";
        text << ", " << set.rows << " rows, " << set.duplicates << " duplicates, " << set.conflictingDuplicates
             << " conflicting, " << set.overlap << " overlap, " << set.emptyGold << " empty gold, "
             << set.goldInQuestion << " gold in question, " << set.functionWordGold << " function-word gold";
        if (set.nearDuplicates) text << ", " << *set.nearDuplicates << " near-duplicates";
        text << "\n";
    }
}

void addAnswers(db::Connection& connection, Json& document, std::ostream& text) {
    text << "answers\n";
    for (const db::AnswerSetRow& set : db::answerSets(connection)) {
        document["answer_sets"].push_back({{"model", set.model},
                                           {"dataset", set.dataset},
                                           {"split", set.split},
                                           {"k", set.k},
                                           {"answered", set.answered},
                                           {"judged", set.judged},
                                           {"accuracy", number(set.accuracy)},
                                           {"mean_sample_share", number(set.meanSampleShare)},
                                           {"mean_consistency", number(set.meanConsistency)}});
        text << "  " << set.model << "  " << set.dataset << "/" << set.split << ", k " << set.k << ", " << set.answered
             << " answered, " << set.judged << " judged, accuracy " << three(set.accuracy) << ", right samples "
             << three(set.meanSampleShare) << ", consistency " << three(set.meanConsistency) << "\n";
    }
    for (const db::ModelRow& model : db::models(connection))
        document["models"].push_back({{"name", model.name}, {"hash", model.contentHash}, {"path", model.path}});
    document["label_sets"] = db::labelSets(connection);
    text << "label sets";
    for (const std::string& name : db::labelSets(connection)) text << " " << name;
    text << "\n";
}

void addRuns(db::Connection& connection, Json& document, std::ostream& text) {
    for (const db::ExperimentRow& experiment : db::experiments(connection)) {
        document["experiments"].push_back({{"id", experiment.id},
                                           {"name", experiment.name},
                                           {"runs", experiment.runs},
                                           {"finished", experiment.finished}});
        text << "experiment " << experiment.name << " (" << experiment.finished << " of " << experiment.runs
             << " runs finished)\n";
        for (const db::RunRow& run : db::runs(connection, experiment.id)) {
            Json row = {{"id", run.id},
                        {"experiment", experiment.name},
                        {"method", run.method},
                        {"budget", run.budget == kAllLabels ? Json("all") : Json(run.budget)},
                        {"labels", run.labels},
                        {"seed", run.seed},
                        {"selection", run.selection},
                        {"status", nameOf(run.status)},
                        {"message", run.message},
                        {"metrics", Json::array()}};
            text << "  #" << run.id << "  " << run.method << "  " << budgetText(run.budget, run.labels) << "  seed "
                 << run.seed << "  " << nameOf(run.status);
            for (const MetricRecord& metric : run.metrics) {
                row["metrics"].push_back(jsonOf(metric));
                if (metric.name == "auroc" && metric.average == "weighted")
                    text << "  AUROC " << metric.set << " weighted "
                         << three(metric.undefinedReason.empty() ? std::optional(metric.value) : std::nullopt);
            }
            if (!run.message.empty()) text << "  " << run.message;
            text << "\n";
            document["runs"].push_back(row);
        }
    }
}

// The questions that a finding is about, instead of the overview.
void listQuestions(const Cli& cli, db::Connection& connection, const std::string& name, const std::string& set) {
    const auto finding = db::findingNamed(name);
    if (!finding) throw InputError("bad_usage", "no list \"" + name + "\"");
    Json document = {{"list", name}, {"questions", Json::array()}};
    std::ostringstream text;
    for (const auto& q : db::questions(connection, db::filterQuestions(connection, {.set = set, .with = {*finding}}))) {
        document["questions"].push_back({{"dataset", q.key.dataset},
                                         {"split", q.key.split},
                                         {"row", q.key.row},
                                         {"question", q.text},
                                         {"answer", q.gold}});
        text << q.key.dataset << "/" << q.key.split << " " << q.key.row << "  " << q.text << "\n";
    }
    cli.print(document, text.str());
}

struct Arguments {
    std::filesystem::path project;
    std::string list, set;
};

void info(const Cli& cli, const Arguments& arguments) {
    const auto project = openProject(arguments.project);
    db::updateNearDuplicates(*project, cli.progress(), cli.stop);
    const auto connection = project->reader();
    if (!arguments.list.empty()) return listQuestions(cli, *connection, arguments.list, arguments.set);
    Json document = {{"project", project->id()}};
    for (const char* list : {"datasets", "models", "answer_sets", "label_sets", "experiments", "runs"})
        document[list] = Json::array();
    std::ostringstream text;
    addDatasets(*connection, document, text);
    addAnswers(*connection, document, text);
    addRuns(*connection, document, text);
    cli.print(document, text.str());
}

}  // namespace

void addInfo(Cli& cli) {
    const auto arguments = std::make_shared<Arguments>();
    CLI::App* sub = cli.command("info", "what a project holds: data, models, label sets, runs and metrics",
                                [&cli, arguments] { info(cli, *arguments); });
    std::vector<std::string> names;
    for (const db::Finding finding : db::allFindings()) names.emplace_back(db::nameOf(finding));
    sub->add_option("project", arguments->project, "NAME.candor")->required();
    sub->add_option("--list", arguments->list, "list the questions that this count of a dataset is about")
        ->check(CLI::IsMember(names));
    sub->add_option("--set", arguments->set, "of this dataset or dataset/split only");
}

}  // namespace candor::app
