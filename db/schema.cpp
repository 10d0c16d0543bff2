// SPDX-License-Identifier: GPL-3.0-or-later
#include "db/schema.h"

#include <sqlite3.h>

#include <fstream>
#include <memory>
#include <optional>

#include "db/connection.h"
#include "db/filesystem.h"

namespace candor::db {
namespace fs = std::filesystem;
namespace {

struct State {
    std::int64_t application = 0, version = 0, tables = 0;
};

State stateOf(Connection& c) {
    return {c.integer("PRAGMA application_id").value_or(0), c.integer("PRAGMA user_version").value_or(0),
            c.integer("SELECT count(*) FROM sqlite_schema").value_or(0)};
}

bool isFresh(const State& state) { return state.application == 0 && state.version == 0 && state.tables == 0; }

Inspection judge(const State& state, std::int64_t known, const std::string& name) {
    if (isFresh(state))
        return {OpenResult::NotAProject, name + " is not a Candor project: it is an empty database.", true};
    if (state.application != kApplicationId)
        return {OpenResult::NotAProject,
                name +
                    " is not a Candor project: it is a database of another program. Nothing was changed; choose a "
                    ".candor file, or make a new project."};
    if (state.version > known)
        return {OpenResult::Newer, name + " was written by a newer Candor: its schema is " +
                                       std::to_string(state.version) + ", this one knows up to " +
                                       std::to_string(known) + ". Nothing was changed; update Candor to open it."};
    if (state.version < 1)
        return {OpenResult::Damaged,
                name + " is damaged: it says that it is a Candor project, but its schema version is " +
                    std::to_string(state.version) + ". Nothing was changed; restore a copy."};
    return {state.version < known ? OpenResult::Migrated : OpenResult::Current, {}};
}

// An online copy of what is committed, through a connection of its own.
void copyTo(const fs::path& from, const fs::path& to) {
    Connection source(from, Connection::Mode::ReadOnly);
    const fs::path unfinished = to.string() + ".part";
    fs::remove(unfinished);
    int code = SQLITE_OK;
    {
        Connection target(unfinished, Connection::Mode::Create);
        sqlite3_backup* backup = sqlite3_backup_init(target.handle(), "main", source.handle(), "main");
        if (!backup) throw SqlError(SQLITE_ERROR, unfinished.string() + ": " + sqlite3_errmsg(target.handle()));
        do {
            code = sqlite3_backup_step(backup, 4096);
            if (code == SQLITE_BUSY || code == SQLITE_LOCKED) sqlite3_sleep(20);
        } while (code == SQLITE_OK || code == SQLITE_BUSY || code == SQLITE_LOCKED);
        code = sqlite3_backup_finish(backup);
    }
    if (code != SQLITE_OK)
        throw SqlError(code, "the copy " + to.string() + " could not be written (" + sqlite3_errstr(code) +
                                 "); nothing was migrated. Free space or move the project, then open it again.");
    fs::rename(unfinished, to);
}

fs::path copyName(const fs::path& file, std::int64_t version) {
    const std::string base = file.string() + ".schema" + std::to_string(version);
    fs::path name = base + ".copy";
    for (int i = 2; fs::exists(name); ++i) name = base + "-" + std::to_string(i) + ".copy";
    return name;
}

// True: migrated. False: something was committed since the copy was made, or there was nothing to do.
bool migrateOnce(Connection& c, const Migrations& steps, bool mayCreate, std::int64_t dataVersion, bool haveCopy) {
    c.script("BEGIN EXCLUSIVE");
    try {
        const State state = stateOf(c);
        const bool fresh = mayCreate && isFresh(state);
        const auto known = static_cast<std::int64_t>(steps.size());
        const bool due = fresh || judge(state, known, c.file().string()).result == OpenResult::Migrated;
        const bool unchanged = fresh || (haveCopy && c.integer("PRAGMA data_version") == dataVersion);
        if (!due || !unchanged) {
            c.rollback();
            return false;
        }
        for (std::int64_t version = state.version; version < known; ++version) {
            steps[static_cast<std::size_t>(version)](c);
            c.script("PRAGMA user_version = " + std::to_string(version + 1));
        }
        if (c.integer("SELECT count(*) FROM pragma_foreign_key_check").value_or(0) > 0)
            throw Error(c.file().string() + ": the migration would break references; nothing was changed");
        c.script("COMMIT");
        return true;
    } catch (...) {
        c.rollback();
        throw;
    }
}

}  // namespace

const Migrations& migrations() {
    static const Migrations steps = {createSchema1, createSchema2};
    return steps;
}

Inspection inspect(const fs::path& file, const Migrations& steps) {
    const std::string name = file.string();
    std::error_code error;
    const bool exists = fs::exists(file, error);
    if (error) throw Error(name + " cannot be reached: " + error.message());
    if (!exists) throw Error(name + " does not exist");
    if (!fs::is_regular_file(file)) return {OpenResult::NotAProject, name + " is not a Candor project: it is no file"};
    std::ifstream in(file, std::ios::binary);
    if (!in) throw Error(name + " cannot be read: check its permissions");
    std::string head(16, '\0');
    in.read(head.data(), 16);
    if (in.gcount() == 0) return {OpenResult::NotAProject, name + " is not a Candor project: it is empty", true};
    if (in.gcount() != 16 || head != std::string("SQLite format 3", 16))
        return {OpenResult::NotAProject, name + " is not a Candor project: it is no database. Choose a .candor file."};
    in.close();
    try {
        Connection c(file, Connection::Mode::ReadOnly);
        return judge(stateOf(c), static_cast<std::int64_t>(steps.size()), name);
    } catch (const SqlError& e) {
        if (e.code() == SQLITE_CANTOPEN || e.code() == SQLITE_READONLY) requireWritable(file);  // says it better
        if (e.code() != SQLITE_CORRUPT && e.code() != SQLITE_NOTADB) throw;
        return {OpenResult::Damaged, name +
                                         " is damaged: it is cut off or was overwritten. Nothing was changed; "
                                         "restore a copy, or save what can be read with `sqlite3 FILE .recover`."};
    }
}

Prepared prepareSchema(Connection& writer, const Migrations& steps, bool mayCreate) {
    Prepared prepared;
    const auto known = static_cast<std::int64_t>(steps.size());
    for (;;) {
        const State state = stateOf(writer);
        if (mayCreate && isFresh(state)) {
            migrateOnce(writer, steps, true, 0, false);
            continue;
        }
        const Inspection found = judge(state, known, writer.file().string());
        if (found.result == OpenResult::Current) return prepared;
        if (found.result != OpenResult::Migrated) throw Error(found.why);
        const auto dataVersion = writer.integer("PRAGMA data_version").value_or(0);
        const fs::path copy = copyName(writer.file(), state.version);
        copyTo(writer.file(), copy);
        if (migrateOnce(writer, steps, false, dataVersion, true)) {
            prepared = {OpenResult::Migrated, copy};
            continue;
        }
        fs::remove(copy);  // another process wrote or migrated meanwhile: look again
    }
}

}  // namespace candor::db
