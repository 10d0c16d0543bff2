// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "db/project.h"

namespace candor::db {

class Connection;

inline constexpr std::int32_t kApplicationId = 0x436e6472;  // "Cndr"

// Step i brings user_version from i to i + 1, inside a transaction.
using Migrations = std::vector<std::function<void(Connection&)>>;
const Migrations& migrations();

struct Prepared {
    OpenResult result = OpenResult::Current;
    std::filesystem::path copy;  // of the file before its migration
};

struct Inspection {
    OpenResult result = OpenResult::Current;
    std::string why;     // a sentence for NotAProject, Newer and Damaged
    bool empty = false;  // NotAProject, but nothing else either: no bytes, or a database without tables
};
// What the file is, without changing it.
Inspection inspect(const std::filesystem::path& file, const Migrations& steps);

// Brings the schema up to date in an exclusive transaction; an existing project is copied beside itself first. The
// version is read again inside, so any number of processes may do this at once. An empty database becomes a project
// if `mayCreate`. Throws Error naming what is wrong.
Prepared prepareSchema(Connection& writer, const Migrations& steps, bool mayCreate);

// Steps of migrations(), a file each.
void createSchema1(Connection& c);
void createSchema2(Connection& c);

}  // namespace candor::db
