// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/experiment/data.h"

#include <algorithm>
#include <map>
#include <unordered_set>

#include "core/error.h"

namespace candor {
namespace {

void addSets(const std::vector<std::string>& names, Domain domain, const ExperimentSpec& spec, ExperimentStore& store,
             std::unordered_set<std::int64_t>& seen, ExperimentData& data) {
    for (const std::string& name : names) {
        for (Item& item : store.items(name, Role::Eval, spec.model, spec.labels, spec.k)) {
            const std::string set = item.key.dataset + "/" + item.key.split;
            auto found = std::ranges::find(data.sets, set, &EvalSet::name);
            if (found != data.sets.end() && found->domain != domain)
                throw InputError("bad_spec", "the set " + set + " is named both in-domain and out-of-domain");
            if (!seen.insert(item.id).second) continue;
            if (found == data.sets.end()) found = data.sets.insert(found, {set, domain, {}});
            found->rows.push_back(data.eval.size());
            data.eval.push_back(std::move(item));
        }
    }
}

std::string commandFor(const std::string& what) {
    if (what == "consistency") return "candor-cli judge PROJECT --agreement core";
    if (what == "share of correct samples" || what == "correctness of the greedy answer")
        return "candor-cli judge PROJECT --correctness contains";
    if (what == "n-prob" || what == "prob") return "candor-cli sample PROJECT --model DIR";
    return "candor-cli import-confidences PROJECT FILE";
}

}  // namespace

ExperimentData loadData(const ExperimentSpec& spec, ExperimentStore& store) {
    ExperimentData data;
    std::unordered_set<std::int64_t> seen;
    for (const std::string& name : spec.train)
        for (Item& item : store.items(name, Role::Train, spec.model, spec.labels, spec.k))
            if (seen.insert(item.id).second) data.pool.push_back(std::move(item));
    if (data.pool.empty()) throw InputError("bad_spec", "the training sets of the experiment hold no question");
    seen.clear();
    addSets(spec.evalIn, Domain::In, spec, store, seen, data);
    addSets(spec.evalOut, Domain::Out, spec, store, seen, data);
    if (data.eval.empty()) throw InputError("bad_spec", "the evaluation sets of the experiment hold no question");
    return data;
}

std::optional<double> labelOf(const Item& item, const std::string& target) {
    if (target == "greedy") return item.greedyCorrect ? std::optional(*item.greedyCorrect ? 1.0 : 0.0) : std::nullopt;
    return item.sampleShare;
}

std::optional<double> elicitationOf(const Item& item, const std::string& stage1Target) {
    return scoreOf(item, stage1Target == "consistency" ? "consis-sem" : stage1Target);
}

std::optional<double> scoreOf(const Item& item, const std::string& method) {
    if (method == "consis-sem") return item.consistency;
    if (method == "n-prob") return item.nProb;
    if (method == "prob") return item.prob;
    const auto found = std::ranges::find(item.scores, method, &std::pair<std::string, double>::first);
    return found == item.scores.end() ? std::nullopt : std::optional(found->second);
}

std::vector<std::int64_t> selectionRows(const ExperimentData& data) {
    const bool anyIn = std::ranges::any_of(data.sets, [](const EvalSet& set) { return set.domain == Domain::In; });
    std::vector<std::int64_t> rows;
    for (const EvalSet& set : data.sets)
        if (set.domain == Domain::In || !anyIn)
            for (const std::size_t row : set.rows) rows.push_back(static_cast<std::int64_t>(row));
    return rows;
}

void requireAll(const std::vector<std::optional<double>>& values, const std::string& what, const std::string& who) {
    const auto lacking = std::ranges::count_if(values, [](const auto& value) { return !value; });
    if (lacking == 0) return;
    throw InputError("missing_labels", who + ": " + std::to_string(lacking) + " of " + std::to_string(values.size()) +
                                           " questions lack the " + what + "; `" + commandFor(what) + "` makes it");
}

}  // namespace candor
