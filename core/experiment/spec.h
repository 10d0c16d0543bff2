// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/experiment/backbone.h"
#include "core/train/options.h"

namespace candor {

inline constexpr std::int64_t kAllLabels = -1;  // budget "all"; shown with its number, never as 0

struct LabelChoice {
    std::string agreement = "import";
    std::string correctness = "import";
    bool operator==(const LabelChoice&) const = default;
};

// Epochs of a stage: one number, or a map from budget ("all" is kAllLabels) with a fallback.
struct EpochPlan {
    int fallback = 4;
    std::map<std::int64_t, int> byBudget;
    // The budget's own number, else that of the next smaller budget in the map, else the fallback.
    int at(std::int64_t budget) const;
    bool operator==(const EpochPlan&) const = default;
};

enum class SelectionRule : std::uint8_t { Holdout = 0, KFold = 1, Last = 2, Test = 3 };  // stored: do not renumber
const char* nameOf(SelectionRule rule);                                                  // "holdout", "kfold", ...

struct SelectionOptions {
    std::optional<SelectionRule> rule;  // unset ("auto"): kfold below 200 labels, holdout from there
    double share = 0.2;
    int patience = 4;  // epochs without a strictly lower error; 0: never stop early
    SelectionRule at(std::int64_t labels) const;
    bool operator==(const SelectionOptions&) const = default;
};

// Further values of what may be a list; the first one stands in the field itself. Empty: no axis.
struct SpecAxes {
    std::vector<std::string> model, target, stage1Target;
    std::vector<int> k, layer;
    std::vector<std::int64_t> stage1Questions;
    bool operator==(const SpecAxes&) const = default;
};

// The experiment file (DESIGN 6). Lists on model, k, target, stage1Questions, stage1Target and layer are axes.
struct ExperimentSpec {
    std::string name, model;
    std::vector<std::string> train, evalIn, evalOut;  // dataset names, or "dataset/split"
    std::vector<std::string> methods = {"eli-only", "cal-only", "elical"};
    std::vector<std::int64_t> budgets = {kAllLabels};
    std::vector<int> seeds = {0};
    int k = 20;
    LabelChoice labels;
    std::string target = "sample-share";
    std::string adapterType = "lora";  // or "head": a head on cached hidden states
    AdapterOptions adapter;
    int layer = -1;  // head only
    EpochPlan stage1Epochs{4, {}}, stage2Epochs{6, {}};
    std::int64_t stage1Questions = kAllLabels;
    std::string stage1Target = "consistency";
    std::optional<int> stage1Seed;
    OptimiserOptions optimiser;                                        // of both stages, unless:
    std::optional<OptimiserOptions> stage1Optimiser, stage2Optimiser;  // "stage1": {"optimiser": {...}}
    SelectionOptions selection;
    std::string readPosition = "last", dtype = "auto";
    SpecAxes axes;
    bool operator==(const ExperimentSpec&) const = default;
};

// Throws InputError ("bad_spec") naming the key, what was expected and, for an unknown key, the nearest right one.
ExperimentSpec parseSpec(const std::string& json);
// Every key written out, stable order; parseSpec(specToJson(s)) equals s.
std::string specToJson(const ExperimentSpec& spec);
// One spec without lists for each combination of its axes, the first one first.
std::vector<ExperimentSpec> expandAxes(const ExperimentSpec& spec);

}  // namespace candor
