// SPDX-License-Identifier: GPL-3.0-or-later
#include <fstream>
#include <iterator>
#include <memory>
#include <sstream>

#include "app/cli/cli.h"
#include "app/cli/project.h"
#include "app/engine.h"
#include "app/names.h"
#include "core/error.h"
#include "core/experiment/runner.h"
#include "db/experiment_store.h"
#include "db/project.h"

namespace candor::app {
namespace {

struct Arguments {
    std::filesystem::path project, spec, model;
    bool plan = false;
};

ExperimentSpec readSpec(const std::filesystem::path& file) {
    std::ifstream in(file, std::ios::binary);
    if (!in) throw InputError("unreadable", "the experiment file cannot be opened", file.string());
    const std::string json((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
    try {
        return parseSpec(json);
    } catch (const InputError& error) {
        throw InputError(error.code(), error.what(), file.string(), error.line());
    }
}

std::int64_t poolOf(const ExperimentSpec& spec, ExperimentStore& store) {
    std::int64_t pool = 0;
    for (const std::string& set : spec.train)
        pool += static_cast<std::int64_t>(store.items(set, Role::Train, spec.model, spec.labels, spec.k).size());
    return pool;
}

// Budgets that the pool cannot fill, in the document and in words.
void nameLeftOut(const ExperimentSpec& spec, std::int64_t pool, nlohmann::ordered_json& document, std::ostream& text) {
    for (const std::int64_t budget : spec.budgets) {
        if (budget == kAllLabels || budget <= pool) continue;
        document["left_out"].push_back(budget);
        text << "budget " << budget << " is left out: the pool has " << pool << " questions\n";
    }
}

void printPlan(const Cli& cli, const ExperimentSpec& spec, ExperimentStore& store) {
    const std::int64_t pool = poolOf(spec, store);
    nlohmann::ordered_json document = {{"experiment", spec.name}, {"pool", pool}, {"runs", nlohmann::json::array()}};
    std::ostringstream text;
    for (const PlannedRun& run : planRuns(spec, pool)) {
        document["runs"].push_back(
            {{"method", run.method},
             {"budget", run.budget == kAllLabels ? nlohmann::json("all") : nlohmann::json(run.budget)},
             {"labels", run.labels},
             {"seed", run.seed},
             {"selection", run.selection},
             {"identity", run.identity}});
        text << run.method << "  " << budgetText(run.budget, run.labels) << "  seed " << run.seed << "  selection "
             << run.selection << "\n";
    }
    nameLeftOut(spec, pool, document, text);
    text << document["runs"].size() << " runs over a pool of " << pool << " questions\n";
    cli.print(document, text.str());
}

void run(const Cli& cli, const Arguments& arguments) {
    const ExperimentSpec given = readSpec(arguments.spec);
    const auto project = openProject(arguments.project);
    const ExperimentSpec spec = withModelName(*project, given);
    if (arguments.plan) {
        const auto store = db::makeExperimentStore(*project);
        return printPlan(cli, spec, *store);
    }
    const EngineChoice choice{arguments.model, cli.device, cli.dtype, cli.threads};
    const ExperimentResult result = runInProject(*project, given, choice, cli.progress(), cli.stop);
    std::ostringstream text;
    text << "experiment " << spec.name << ": " << result.planned << " runs planned, " << result.alreadyDone
         << " done before, " << result.finished << " finished now, " << result.failed << " failed\n";
    nlohmann::ordered_json document = {{"experiment", result.experiment}, {"name", spec.name},
                                       {"planned", result.planned},       {"already_done", result.alreadyDone},
                                       {"finished", result.finished},     {"failed", result.failed}};
    nameLeftOut(spec, poolOf(spec, *db::makeExperimentStore(*project)), document, text);
    cli.print(document, text.str());
    if (result.failed > 0)
        throw Error(std::to_string(result.failed) + " of " + std::to_string(result.planned) +
                    " runs failed: `info` says why");
}

}  // namespace

void addRun(Cli& cli) {
    const auto arguments = std::make_shared<Arguments>();
    CLI::App* sub = cli.command("run", "plans and executes the runs of an experiment; does only what is missing",
                                [&cli, arguments] { run(cli, *arguments); });
    sub->add_option("project", arguments->project, "NAME.candor")->required();
    sub->add_option("spec", arguments->spec, "the experiment file")->required()->check(CLI::ExistingFile);
    sub->add_option("--model", arguments->model, "folder of the model; default: where the project last saw it")
        ->check(CLI::ExistingDirectory);
    sub->add_flag("--plan", arguments->plan, "print the plan, run nothing");
}

}  // namespace candor::app
