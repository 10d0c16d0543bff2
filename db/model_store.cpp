// SPDX-License-Identifier: GPL-3.0-or-later
#include "db/model_store.h"

#include "db/answer_store.h"
#include "db/connection.h"
#include "db/queries.h"

namespace candor::db {
namespace {

std::optional<ModelRow> first(Statement s) {
    if (!s.step()) return std::nullopt;
    return ModelRow{s.integer(0), s.text(1), s.text(2), s.text(3)};
}

}  // namespace

std::optional<ModelRow> modelNamed(Connection& c, const std::string& name) {
    return first(c.query("SELECT id, name, content_hash, path FROM model WHERE name = ?", name));
}

std::optional<ModelRow> modelAt(Connection& c, const std::string& path) {
    return first(c.query("SELECT id, name, content_hash, path FROM model WHERE path = ? ORDER BY id LIMIT 1", path));
}

void noteModelFolder(Connection& c, const std::string& name, const std::string& path, const std::string& contentHash) {
    c.run("UPDATE model SET path = ?, content_hash = ? WHERE id = ?", path, contentHash, makeModel(c, name));
}

}  // namespace candor::db
