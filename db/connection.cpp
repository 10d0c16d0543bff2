// SPDX-License-Identifier: GPL-3.0-or-later
#include "db/connection.h"

#include <sqlite3.h>

#include <utility>

#include "db/filesystem.h"

namespace candor::db {
namespace {

constexpr int kBusyTimeoutMs = 15000;

std::string advice(sqlite3* db, int code, const std::string& file) {
    const std::string detail = db ? sqlite3_errmsg(db) : sqlite3_errstr(code);
    const std::string system = db && sqlite3_system_errno(db) ? systemMessage(sqlite3_system_errno(db)) : "";
    switch (code & 0xff) {
        case SQLITE_BUSY:
        case SQLITE_LOCKED:
            return file + " is locked by another process" + lockHolders(file) +
                   ": nothing was changed, try again when it is done";
        case SQLITE_FULL:
            return "the disk is full, " + file +
                   " could not be written: nothing of this change was stored, free space and try again";
        case SQLITE_IOERR:
            return file + " could not be read or written (" + (system.empty() ? detail : system) +
                   "): nothing of this change was stored, check space, quota and file size limits and try again";
        case SQLITE_READONLY:
            return file + " cannot be written (" + detail +
                   "): check the permissions of the file and its folder, or copy the project elsewhere";
        case SQLITE_CANTOPEN:
            return file + " cannot be opened (" + (system.empty() ? detail : system) +
                   "): check that the folder exists and may be written";
        case SQLITE_CORRUPT:
            return file + " is damaged (" + detail +
                   "): restore a copy, or save what can be read with sqlite3 .recover";
        case SQLITE_NOTADB:
            return file + " is not a Candor project (" + detail + ")";
        default:
            return file + ": " + detail;
    }
}

[[noreturn]] void fail(sqlite3* db, int code) {
    const char* name = db ? sqlite3_db_filename(db, "main") : nullptr;
    throw SqlError(code & 0xff, advice(db, code, name ? name : "the project"));
}

}  // namespace

Statement::Statement(sqlite3* db, sqlite3_stmt* statement, bool* lent) : db_(db), statement_(statement), lent_(lent) {}

Statement::Statement(Statement&& other) noexcept
    : db_(other.db_),
      statement_(std::exchange(other.statement_, nullptr)),
      lent_(std::exchange(other.lent_, nullptr)) {}

Statement::~Statement() {
    if (!statement_) return;
    if (!lent_) {
        sqlite3_finalize(statement_);
        return;
    }
    sqlite3_reset(statement_);
    sqlite3_clear_bindings(statement_);
    *lent_ = false;
}

void Statement::check(int code) const {
    if (code != SQLITE_OK) fail(db_, code);
}
void Statement::bindInteger(int index, std::int64_t value) { check(sqlite3_bind_int64(statement_, index, value)); }
void Statement::bind(int index, double value) { check(sqlite3_bind_double(statement_, index, value)); }
void Statement::bind(int index, std::nullopt_t) { check(sqlite3_bind_null(statement_, index)); }
void Statement::bind(int index, std::string_view text) {
    check(sqlite3_bind_text64(statement_, index, text.data() ? text.data() : "", text.size(), SQLITE_TRANSIENT,
                              SQLITE_UTF8));
}
void Statement::bind(int index, Blob blob) {
    check(sqlite3_bind_blob64(statement_, index, blob.bytes.data() ? blob.bytes.data() : "", blob.bytes.size(),
                              SQLITE_TRANSIENT));
}

bool Statement::step() {
    const int code = sqlite3_step(statement_);
    if (code == SQLITE_ROW) return true;
    if (code == SQLITE_DONE) return false;
    fail(db_, code);
}
void Statement::run() {
    while (step()) {
    }
    reset();
}
void Statement::reset() { check(sqlite3_reset(statement_)); }

bool Statement::isNull(int column) const { return sqlite3_column_type(statement_, column) == SQLITE_NULL; }
std::int64_t Statement::integer(int column) const { return sqlite3_column_int64(statement_, column); }
double Statement::real(int column) const { return sqlite3_column_double(statement_, column); }
std::string_view Statement::view(int column) const {
    const void* data = sqlite3_column_blob(statement_, column);  // of a text: its UTF-8 bytes
    return {static_cast<const char*>(data), static_cast<std::size_t>(sqlite3_column_bytes(statement_, column))};
}

Connection::Connection(const std::filesystem::path& file, Mode mode) : file_(file) {
    int flags = SQLITE_OPEN_NOMUTEX;
    flags |= mode == Mode::ReadOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE;
    if (mode == Mode::Create) flags |= SQLITE_OPEN_CREATE;
    const int code = sqlite3_open_v2(file.c_str(), &db_, flags, nullptr);
    try {
        if (code != SQLITE_OK) throw SqlError(code & 0xff, advice(db_, code, file.string()));
        sqlite3_extended_result_codes(db_, 1);
        sqlite3_busy_timeout(db_, kBusyTimeoutMs);
        script("PRAGMA foreign_keys=ON; PRAGMA cache_size=-32768; PRAGMA temp_store=MEMORY");
        if (mode == Mode::ReadOnly) script("PRAGMA query_only=ON");
    } catch (...) {
        close();
        throw;
    }
}

Connection::~Connection() { close(); }

void Connection::close() noexcept {
    for (auto& [sql, cached] : cache_) sqlite3_finalize(cached.statement);
    cache_.clear();
    sqlite3_close_v2(std::exchange(db_, nullptr));
}

Statement Connection::prepare(std::string_view sql) {
    const auto make = [&](unsigned flags) {
        sqlite3_stmt* made = nullptr;
        const int code = sqlite3_prepare_v3(db_, sql.data(), static_cast<int>(sql.size()), flags, &made, nullptr);
        if (code != SQLITE_OK) fail(db_, code);
        return made;
    };
    auto found = cache_.find(sql);
    if (found == cache_.end())
        found = cache_.emplace(std::string(sql), Cached{make(SQLITE_PREPARE_PERSISTENT), false}).first;
    Cached& cached = found->second;
    if (cached.lent) return Statement(db_, make(0), nullptr);  // in use further up: a second one
    cached.lent = true;
    return Statement(db_, cached.statement, &cached.lent);
}

void Connection::script(const std::string& sql) {
    const int code = sqlite3_exec(db_, sql.c_str(), nullptr, nullptr, nullptr);
    if (code != SQLITE_OK) fail(db_, code);
}

std::int64_t Connection::lastId() const { return sqlite3_last_insert_rowid(db_); }
std::int64_t Connection::changes() const { return sqlite3_changes64(db_); }
bool Connection::inTransaction() const { return sqlite3_get_autocommit(db_) == 0; }
void Connection::rollback() noexcept {
    if (inTransaction()) sqlite3_exec(db_, "ROLLBACK", nullptr, nullptr, nullptr);
}

Snapshot::Snapshot(Connection& connection) : connection_(connection), mine_(!connection.inTransaction()) {
    if (mine_) connection_.run("BEGIN");
}
Snapshot::~Snapshot() {
    if (mine_) connection_.rollback();
}

}  // namespace candor::db
