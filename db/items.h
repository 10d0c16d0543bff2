// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/experiment/store.h"

namespace candor::db {

class Connection;

// The splits that "dataset" (all of `role`) or "dataset/split" (whatever its role) names, in order of import.
// Throws InputError ("unknown_set") naming what there is.
std::vector<std::int64_t> splitsOf(Connection& c, const std::string& set, Role role);

// ExperimentStore::items().
std::vector<Item> readItems(Connection& c, const std::string& set, Role role, const std::string& model,
                            const LabelChoice& labels, int k);

}  // namespace candor::db
