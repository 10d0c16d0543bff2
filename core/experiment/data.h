// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/experiment/spec.h"
#include "core/experiment/store.h"

namespace candor {

struct EvalSet {
    std::string name;  // "dataset/split"
    Domain domain = Domain::In;
    std::vector<std::size_t> rows;  // into ExperimentData::eval, in file order
};

// The questions of an experiment without axes. No question stands twice in a list.
struct ExperimentData {
    std::vector<Item> pool;  // training questions, sets in the order of the spec
    std::vector<Item> eval;
    std::vector<EvalSet> sets;
};

// Throws InputError for a set that is absent, empty or named both in-domain and out-of-domain.
ExperimentData loadData(const ExperimentSpec& spec, ExperimentStore& store);

// The label that stage 2 and Cal-Only are trained towards ("sample-share", "greedy"), stage 1 ("consistency", ...), and
// a training-free method's own number ("consis-sem", "n-prob", ...). Absent where the question lacks it.
std::optional<double> labelOf(const Item& item, const std::string& target);
std::optional<double> elicitationOf(const Item& item, const std::string& stage1Target);
std::optional<double> scoreOf(const Item& item, const std::string& method);

// The evaluation rows that selection "test" looks at: those of in-domain sets, or all where there are none.
std::vector<std::int64_t> selectionRows(const ExperimentData& data);

// Throws InputError ("missing_labels") if one of the values is absent: how many lack what, and the command that makes
// it.
void requireAll(const std::vector<std::optional<double>>& values, const std::string& what, const std::string& who);

}  // namespace candor
