// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/experiment/spec.h"

#include <nlohmann/json.hpp>

namespace candor {

using nlohmann::ordered_json;

int EpochPlan::at(std::int64_t budget) const {
    if (const auto exact = byBudget.find(budget); exact != byBudget.end()) return exact->second;
    auto next = byBudget.upper_bound(budget);
    if (budget == kAllLabels || next == byBudget.begin()) return fallback;
    --next;
    return next->first == kAllLabels ? fallback : next->second;
}

const char* nameOf(SelectionRule rule) {
    switch (rule) {
        case SelectionRule::Holdout:
            return "holdout";
        case SelectionRule::KFold:
            return "kfold";
        case SelectionRule::Last:
            return "last";
        case SelectionRule::Test:
            return "test";
    }
    return "unknown";
}

SelectionRule SelectionOptions::at(std::int64_t labels) const {
    return rule.value_or(labels < 200 ? SelectionRule::KFold : SelectionRule::Holdout);
}

namespace {

ordered_json budgetJson(std::int64_t budget) {
    return budget == kAllLabels ? ordered_json("all") : ordered_json(budget);
}

// A list where the key is an axis, the value alone where it is not.
template <typename T>
ordered_json axis(const T& first, const std::vector<T>& more) {
    if (more.empty()) return first;
    ordered_json list = {first};
    for (const T& value : more) list.push_back(value);
    return list;
}

ordered_json optimiserJson(const OptimiserOptions& o) {
    return {{"lr", o.lr},         {"batch", o.batch}, {"micro_batch", o.microBatch}, {"weight_decay", o.weightDecay},
            {"warmup", o.warmup}, {"clip", o.clip}};
}

ordered_json epochsJson(const EpochPlan& plan) {
    if (plan.byBudget.empty()) return plan.fallback;
    ordered_json map = {{"default", plan.fallback}};
    for (const auto& [budget, epochs] : plan.byBudget)
        map[budget == kAllLabels ? "all" : std::to_string(budget)] = epochs;
    return map;
}

ordered_json questionsJson(const ExperimentSpec& s) {
    if (s.axes.stage1Questions.empty()) return budgetJson(s.stage1Questions);
    ordered_json list = ordered_json::array({budgetJson(s.stage1Questions)});
    for (const std::int64_t n : s.axes.stage1Questions) list.push_back(budgetJson(n));
    return list;
}

ordered_json stage1Json(const ExperimentSpec& s) {
    ordered_json stage = {{"epochs", epochsJson(s.stage1Epochs)},
                          {"questions", questionsJson(s)},
                          {"target", axis(s.stage1Target, s.axes.stage1Target)}};
    if (s.stage1Optimiser) stage["optimiser"] = optimiserJson(*s.stage1Optimiser);
    return stage;
}

ordered_json stage2Json(const ExperimentSpec& s) {
    ordered_json stage = {{"epochs", epochsJson(s.stage2Epochs)}};
    if (s.stage2Optimiser) stage["optimiser"] = optimiserJson(*s.stage2Optimiser);
    return stage;
}

}  // namespace

std::string specToJson(const ExperimentSpec& s) {
    ordered_json budgets = ordered_json::array();
    for (const std::int64_t budget : s.budgets) budgets.push_back(budgetJson(budget));
    ordered_json json = {{"name", s.name},
                         {"model", axis(s.model, s.axes.model)},
                         {"train", s.train},
                         {"eval", {{"in", s.evalIn}, {"out", s.evalOut}}},
                         {"methods", s.methods},
                         {"budgets", budgets},
                         {"seeds", s.seeds},
                         {"k", axis(s.k, s.axes.k)},
                         {"labels", {{"agreement", s.labels.agreement}, {"correctness", s.labels.correctness}}},
                         {"target", axis(s.target, s.axes.target)},
                         {"adapter",
                          {{"type", s.adapterType},
                           {"r", s.adapter.r},
                           {"alpha", s.adapter.alpha},
                           {"dropout", s.adapter.dropout},
                           {"targets", s.adapter.targets},
                           {"head", s.adapter.head},
                           {"layer", axis(s.layer, s.axes.layer)}}},
                         {"stage1", stage1Json(s)},
                         {"stage2", stage2Json(s)},
                         {"stage1_seed", s.stage1Seed ? ordered_json(*s.stage1Seed) : ordered_json(nullptr)},
                         {"optimiser", optimiserJson(s.optimiser)},
                         {"selection",
                          {{"rule", s.selection.rule ? nameOf(*s.selection.rule) : "auto"},
                           {"share", s.selection.share},
                           {"patience", s.selection.patience}}},
                         {"read_position", s.readPosition},
                         {"dtype", s.dtype}};
    return json.dump(2);
}

std::vector<ExperimentSpec> expandAxes(const ExperimentSpec& spec) {
    ExperimentSpec plain = spec;
    plain.axes = {};
    std::vector<ExperimentSpec> all = {plain};
    const auto cross = [&all](const auto& more, auto member) {
        if (more.empty()) return;
        std::vector<ExperimentSpec> wider;
        for (const ExperimentSpec& one : all) {
            wider.push_back(one);
            for (const auto& value : more) {
                wider.push_back(one);
                wider.back().*member = value;
            }
        }
        all = std::move(wider);
    };
    cross(spec.axes.model, &ExperimentSpec::model);
    cross(spec.axes.k, &ExperimentSpec::k);
    cross(spec.axes.target, &ExperimentSpec::target);
    cross(spec.axes.layer, &ExperimentSpec::layer);
    cross(spec.axes.stage1Questions, &ExperimentSpec::stage1Questions);
    cross(spec.axes.stage1Target, &ExperimentSpec::stage1Target);
    return all;
}

}  // namespace candor
