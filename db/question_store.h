// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/data/record.h"
#include "core/experiment/store.h"

// Datasets, splits and questions. What writes must run inside a write of the project.
namespace candor::db {

class Connection;

struct SplitRow {
    std::int64_t id = 0;
    Role role = Role::Eval;
    Domain domain = Domain::None;
};
std::optional<SplitRow> findSplit(Connection& c, const std::string& dataset, const std::string& split);
// Finds or makes. Throws InputError ("conflict") where it exists with another role or another domain.
std::int64_t makeSplit(Connection& c, const std::string& dataset, const std::string& split, Role role, Domain domain);

std::string goldToJson(const std::vector<std::string>& gold);
std::vector<std::string> goldFromJson(std::string_view json);

struct StoredQuestion {
    std::int64_t id = 0;
    std::string text, gold, extra;  // gold as JSON; extra empty: none
};
std::optional<StoredQuestion> questionAt(Connection& c, std::int64_t split, std::int64_t row);
// Nothing where (split, row) exists already; else the new question's id.
std::optional<std::int64_t> addQuestion(Connection& c, std::int64_t split, std::int64_t row, const Record& record,
                                        std::int64_t import);

// Counts a split's rows, duplicates and so on again, and the overlap of every split it may change.
void recountQuestions(Connection& c, std::int64_t split);
// Works out every question's flags again, and the counts of them.
void refreshFlags(Connection& c);

}  // namespace candor::db
