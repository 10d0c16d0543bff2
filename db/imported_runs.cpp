// SPDX-License-Identifier: GPL-3.0-or-later
#include "db/imported_runs.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>
#include <unordered_map>

#include "core/experiment/evaluate.h"
#include "core/metrics/registry.h"
#include "db/answer_store.h"
#include "db/confidence_match.h"
#include "db/connection.h"
#include "db/experiment_store.h"
#include "db/items.h"
#include "db/project.h"
#include "db/queries.h"

namespace candor::db {
namespace {

using nlohmann::json;

// An experiment that takes the confidences, and what its run will hold.
struct Target {
    std::int64_t experiment = 0;  // 0: to be made
    ExperimentSpec spec;
    std::set<std::int64_t> in, out;  // splits
    ConfidencePairs pairs;
    PlannedRun plan;
    bool unchanged = false;
    bool evaluates(std::int64_t split) const { return in.contains(split) || out.contains(split); }
};

struct Split {
    std::string name;
    Role role = Role::Eval;
    Domain domain = Domain::None;
};

class Storing {
  public:
    Storing(Project& project, const ConfidenceOptions& options, std::string source, ConfidenceReport& report)
        : project_(project),
          options_(options),
          source_(std::move(source)),
          report_(report),
          reader_(project.reader()),
          store_(makeExperimentStore(project)) {}

    void run(const ConfidencePairs& pairs) {
        for (const auto& [question, value] : pairs) report_.scores |= value < 0 || value > 1;
        report_.scores |= options_.scores;
        readSplits(pairs);
        chooseTargets(pairs);
        for (Target& target : targets_) check(target);  // all before anything is stored
        report_.unchanged = std::ranges::all_of(targets_, &Target::unchanged);
        for (Target& target : targets_) store(target);
    }

  private:
    void readSplits(const ConfidencePairs& pairs);
    void chooseTargets(const ConfidencePairs& pairs);
    std::optional<Target> targetOf(const ExperimentRow& experiment) const;
    Target importedTarget(const ConfidencePairs& pairs);
    void check(Target& target);
    void store(Target& target);
    ExperimentData dataOf(const Target& target);
    std::vector<MetricRecord> metricsOf(const ExperimentData& data, const ConfidencePairs& pairs) const;

    Project& project_;
    const ConfidenceOptions& options_;
    std::string source_;
    ConfidenceReport& report_;
    std::unique_ptr<Connection> reader_;
    std::unique_ptr<ExperimentStore> store_;
    std::map<std::int64_t, Split> splits_;
    std::unordered_map<std::int64_t, std::int64_t> splitOf_;  // of questions
    std::vector<Target> targets_;
};

void Storing::readSplits(const ConfidencePairs& pairs) {
    Statement s = reader_->query(
        "SELECT s.id, d.name || '/' || s.name, s.role, s.domain FROM split s JOIN dataset d ON d.id = s.dataset");
    while (s.step()) splits_[s.integer(0)] = {s.text(1), s.as<Role>(2), s.as<Domain>(3)};
    for (const auto& [question, value] : pairs)
        splitOf_[question] = reader_->integer("SELECT split FROM question WHERE id = ?", question).value();
}

std::optional<Target> Storing::targetOf(const ExperimentRow& experiment) const {
    Target target;
    target.experiment = experiment.id;
    try {
        target.spec = parseSpec(experiment.spec);
        for (const std::string& set : target.spec.evalIn)
            for (const std::int64_t id : splitsOf(*reader_, set, Role::Eval)) target.in.insert(id);
        for (const std::string& set : target.spec.evalOut)
            for (const std::int64_t id : splitsOf(*reader_, set, Role::Eval)) target.out.insert(id);
    } catch (const InputError&) {
        return std::nullopt;  // of a version with other keys, or its sets are gone
    }
    const bool ofModel = target.spec.model == options_.model ||
                         std::ranges::find(target.spec.axes.model, options_.model) != target.spec.axes.model.end();
    if (!ofModel) return std::nullopt;
    target.spec.model = options_.model;
    return target;
}

// Rows of training sets go along with every run: calibrators are fitted on them.
void Storing::chooseTargets(const ConfidencePairs& pairs) {
    std::set<std::int64_t> used, left;
    for (const auto& [question, split] : splitOf_) (splits_.at(split).role == Role::Eval ? used : left).insert(split);
    const std::set<std::int64_t> training = std::exchange(left, used);
    const bool named = !options_.experiment.empty();
    bool found = false;
    if (options_.experiment != kImportedExperiment) {
        for (const ExperimentRow& experiment : experiments(*reader_)) {
            const bool wanted =
                named ? experiment.name == options_.experiment || std::to_string(experiment.id) == options_.experiment
                      : experiment.name != kImportedExperiment;
            if (!wanted) continue;
            found = true;
            auto target = targetOf(experiment);
            if (!target || std::ranges::none_of(used, [&](auto split) { return target->evaluates(split); })) continue;
            for (const auto& pair : pairs)
                if (target->evaluates(splitOf_.at(pair.first)) || training.contains(splitOf_.at(pair.first)))
                    target->pairs.push_back(pair);
            std::erase_if(left, [&](auto split) { return target->evaluates(split); });
            targets_.push_back(std::move(*target));
        }
        if (named && targets_.empty())
            throw InputError("no_experiment", found ? "the experiment \"" + options_.experiment +
                                                          "\" evaluates none of these questions "
                                                          "of " +
                                                          options_.model
                                                    : "the project has no experiment \"" + options_.experiment + "\"");
        if (named || (left.empty() && !targets_.empty())) return;
    }
    ConfidencePairs rest;
    for (const auto& pair : pairs)
        if (left.contains(splitOf_.at(pair.first)) || training.contains(splitOf_.at(pair.first))) rest.push_back(pair);
    targets_.push_back(importedTarget(rest));
}

// Its sets grow with what is imported. A set without a domain counts as in-domain, as an experiment would name it.
Target Storing::importedTarget(const ConfidencePairs& pairs) {
    Target target;
    target.pairs = pairs;
    for (const ExperimentRow& experiment : experiments(*reader_)) {
        if (experiment.name != kImportedExperiment) continue;
        auto known = targetOf(experiment);
        if (!known) continue;
        known->pairs = pairs;
        target = std::move(*known);
    }
    ExperimentSpec& spec = target.spec;
    spec.name = kImportedExperiment;
    spec.model = options_.model;
    spec.methods = {"consis-sem"};
    const auto add = [](std::vector<std::string>& names, const std::string& name) {
        if (std::ranges::find(names, name) == names.end()) names.push_back(name);
    };
    for (const auto& [question, value] : pairs) {
        const std::int64_t id = splitOf_.at(question);
        const Split& split = splits_.at(id);
        if (split.role == Role::Train) {
            add(spec.train, split.name);
        } else if (!target.evaluates(id)) {
            add(split.domain == Domain::Out ? spec.evalOut : spec.evalIn, split.name);
            (split.domain == Domain::Out ? target.out : target.in).insert(id);
        }
    }
    // A spec names both; runs of this experiment are never executed.
    if (spec.train.empty()) spec.train = spec.evalIn.empty() ? spec.evalOut : spec.evalIn;
    if (spec.evalIn.empty() && spec.evalOut.empty()) spec.evalIn = spec.train;
    return target;
}

void Storing::check(Target& target) {
    PlannedRun& plan = target.plan;
    plan.method = options_.method;
    plan.budget = options_.budget;
    plan.labels = options_.labels.value_or(std::max<std::int64_t>(options_.budget, 0));
    plan.seed = options_.seed;
    plan.selection = "none";
    plan.settings = json{{"source", "import"},
                         {"file", source_},
                         {"model", options_.model},
                         {"kind", report_.scores ? "score" : "confidence"}}
                        .dump(-1, ' ', false, json::error_handler_t::replace);
    const bool own = target.spec.name == kImportedExperiment;
    plan.identity =
        json{"import", own ? std::string() : specToJson(target.spec), options_.model, plan.method, plan.budget,
             plan.seed}
            .dump(-1, ' ', false, json::error_handler_t::replace);
    const auto who = "\"" + plan.method + "\"";
    for (const RunRow& run : runs(*reader_, target.experiment)) {
        if (run.method != plan.method || run.budget != plan.budget || run.seed != plan.seed) continue;
        if (reader_->text("SELECT identity FROM run WHERE id = ?", run.id) != plan.identity)
            throw InputError("conflict", "the experiment \"" + target.spec.name + "\" has a run " + who +
                                             " of this budget and seed of its own: import under another --method");
        if (run.labels != plan.labels)
            throw InputError("conflict", who + " was imported with " + std::to_string(run.labels) +
                                             " labels used, now it is " + std::to_string(plan.labels));
        std::map<std::int64_t, double> merged;
        const ConfidenceColumn stored = confidences(*reader_, run.id);
        for (std::size_t i = 0; i < stored.question.size(); ++i) merged[stored.question[i]] = stored.confidence[i];
        std::size_t added = 0;
        for (const auto& [question, value] : target.pairs) {
            const auto [at, isNew] = merged.try_emplace(question, value);
            added += isNew;
            if (!isNew && at->second != value)
                throw InputError("conflict", who + " has another confidence for a question in this project (" +
                                                 json(at->second).dump() + ", now " + json(value).dump() +
                                                 "). Nothing was imported; use another --method or --seed");
        }
        target.unchanged = added == 0 && run.status == RunStatus::Finished;
        target.pairs.assign(merged.begin(), merged.end());
        for (const auto& [question, value] : target.pairs) {
            report_.scores |= value < 0 || value > 1;
            splitOf_[question] = reader_->integer("SELECT split FROM question WHERE id = ?", question).value();
        }
    }
}

ExperimentData Storing::dataOf(const Target& target) {
    ExperimentData data;
    for (const Domain domain : {Domain::In, Domain::Out})
        for (const std::int64_t id : domain == Domain::In ? target.in : target.out) {
            const auto here = [&](const auto& pair) { return splitOf_.at(pair.first) == id; };
            if (target.spec.name == kImportedExperiment && std::ranges::none_of(target.pairs, here)) continue;
            EvalSet set{splits_.at(id).name, domain, {}};
            for (Item& item :
                 store_->items(set.name, Role::Eval, target.spec.model, target.spec.labels, target.spec.k)) {
                set.rows.push_back(data.eval.size());
                data.eval.push_back(std::move(item));
            }
            data.sets.push_back(std::move(set));
        }
    return data;
}

std::vector<MetricRecord> Storing::metricsOf(const ExperimentData& data, const ConfidencePairs& pairs) const {
    const std::unordered_map<std::int64_t, double> values(pairs.begin(), pairs.end());
    std::vector<double> column;
    for (const Item& item : data.eval) {
        const auto at = values.find(item.id);
        column.push_back(at == values.end() ? std::nan("") : at->second);
    }
    std::vector<MetricRecord> metrics = evaluate(data, column);
    if (!report_.scores) return metrics;
    // One method, one kind of number: also in sets whose scores happen to lie between 0 and 1.
    for (MetricRecord& metric : metrics) {
        if (metricEntry(metric.name).traits & kRanks) continue;
        metric.value = std::nan("");
        metric.lo.reset(), metric.hi.reset();
        metric.undefinedReason = "a score that is no probability ranks only, until it is calibrated";
    }
    return metrics;
}

void Storing::store(Target& target) {
    if (target.experiment == 0) target.experiment = store_->experiment(target.spec);
    if (!target.unchanged && target.spec.name == kImportedExperiment)
        project_.write([&](Connection& c) {
            c.run("UPDATE experiment SET spec = ? WHERE id = ?", specToJson(target.spec), target.experiment);
        });
    const StoredRun run = store_->run(target.experiment, target.plan);
    report_.runs.emplace_back(run.id, target.spec.name);
    if (target.unchanged) return;
    const std::int64_t attempt = store_->beginAttempt(run.id);
    try {
        const ExperimentData data = dataOf(target);
        std::vector<std::int64_t> questions;
        std::vector<double> values;
        for (const auto& [question, value] : target.pairs) questions.push_back(question), values.push_back(value);
        json provenance = json::parse(target.plan.settings);
        provenance["questions"] = questions.size();
        store_->recordProvenance(run.id, provenance.dump());
        store_->storeConfidences(run.id, questions, values);
        store_->storeMetrics(run.id, metricsOf(data, target.pairs));
        store_->endAttempt(attempt, RunStatus::Finished, "");
    } catch (const std::exception& error) {
        store_->endAttempt(attempt, RunStatus::Failed, error.what());
        throw;
    }
}

std::string modelFor(Connection& c, const std::string& wanted) {
    std::string names;
    const auto known = models(c);
    for (const ModelRow& model : known) {
        if (model.name == wanted) return wanted;
        names += (names.empty() ? "" : ", ") + model.name;
    }
    if (!wanted.empty())
        throw InputError("unknown_model",
                         "the project has no model \"" + wanted + "\"; it has " + (names.empty() ? "none" : names));
    if (known.size() == 1) return known.front().name;
    throw InputError("missing_model", known.empty()
                                          ? "the project has no answers yet: confidences are about a model's answers"
                                          : "name the model whose answers they are about (--model): " + names);
}

}  // namespace

void storeImportedConfidences(Project& project, const ConfidencePairs& pairs, const std::string& source,
                              const ConfidenceOptions& options, ConfidenceReport& report) {
    Storing(project, options, source, report).run(pairs);
}

ConfidenceReport importConfidences(Project& project, const std::filesystem::path& file, const ConfidenceOptions& given,
                                   std::stop_token stop) {
    ConfidenceOptions options = given;
    if (options.method.find_first_not_of(" \t\r\n") == std::string::npos)
        throw InputError("bad_usage", "an import of confidences needs a method name");
    const auto reader = project.reader();
    options.model = modelFor(*reader, given.model);
    ConfidenceReport report;
    const MatchedConfidences matched = matchConfidences(*reader, file, options, report, stop);
    options.scores |= matched.scores;
    storeImportedConfidences(project, matched.pairs, file.filename().string(), options, report);
    return report;
}

}  // namespace candor::db
