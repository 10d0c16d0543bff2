// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/experiment/presets.h"

namespace candor {
namespace {

// Optimiser, epochs by budget, patience and selection on the test sets as published; 512 rows a step.
constexpr const char* kPaper = R"({
  "methods": ["eli-only", "cal-only", "elical", "consis-sem", "n-prob", "prob"],
  "budgets": [1000, 2000, 3000, 5000, 8000, 10000, 20000, 30000, 50000, 80000, 200000, "all"],
  "seeds": [42], "k": 20, "target": "sample-share",
  "adapter": {"type": "lora", "r": 8, "alpha": 16, "dropout": 0, "head": "linear"},
  "optimiser": {"lr": 5e-5, "batch": 512, "micro_batch": 16, "weight_decay": 0.1, "warmup": 0.1, "clip": 1.0},
  "stage1": {"epochs": 10, "questions": "all", "target": "consistency"},
  "stage2": {"epochs": {"default": 50, "20000": 15, "all": 10}},
  "selection": {"rule": "test", "patience": 4}, "dtype": "bf16"
})";

constexpr const char* kSmall = R"({
  "methods": ["eli-only", "cal-only", "elical", "consis-sem", "n-prob"],
  "budgets": [50, 100, 250, 500, "all"], "seeds": [0, 1, 2, 3, 4],
  "adapter": {"type": "head", "head": "linear", "layer": -1},
  "optimiser": {"lr": 1e-3, "batch": 32, "micro_batch": 32, "weight_decay": 0.1, "warmup": 0.1, "clip": 1.0},
  "stage1": {"epochs": 30}, "stage2": {"epochs": {"default": 50, "all": 20}},
  "selection": {"rule": "auto", "share": 0.2, "patience": 4}
})";

}  // namespace

const std::vector<std::string>& presetNames() {
    static const std::vector<std::string> names = {"paper", "small"};
    return names;
}

std::string presetJson(const std::string& name) { return name == "paper" ? kPaper : kSmall; }

}  // namespace candor
