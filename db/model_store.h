// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string>

namespace candor::db {

class Connection;
struct ModelRow;

std::optional<ModelRow> modelNamed(Connection& c, const std::string& name);
std::optional<ModelRow> modelAt(Connection& c, const std::string& path);  // last seen there

// Remembers where a model was last seen and what its content is; makes it if it is new. Inside a write.
void noteModelFolder(Connection& c, const std::string& name, const std::string& path, const std::string& contentHash);

}  // namespace candor::db
