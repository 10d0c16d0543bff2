// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <concepts>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <vector>

#include "core/error.h"

struct sqlite3;
struct sqlite3_stmt;

namespace candor::db {

// A failure of SQLite. `code` is its primary result code, the message says what to do.
class SqlError : public Error {
  public:
    SqlError(int code, const std::string& message) : Error(message), code_(code) {}
    int code() const { return code_; }

  private:
    int code_;
};

// Bytes to bind as a BLOB.
struct Blob {
    std::string_view bytes;
};

// A prepared statement on loan from its connection's cache; it is reset and given back when destroyed.
// Texts and blobs are copied when bound and valid until the next step() when read.
class Statement {
  public:
    Statement(sqlite3* db, sqlite3_stmt* statement, bool* lent);
    Statement(Statement&& other) noexcept;
    Statement(const Statement&) = delete;
    Statement& operator=(const Statement&) = delete;
    ~Statement();

    template <class... Values>
    Statement& bindAll(const Values&... values) {
        int index = 0;
        (bind(++index, values), ...);
        return *this;
    }
    template <class T>
    requires std::integral<T> || std::is_enum_v<T>
    void bind(int index, T value) { bindInteger(index, static_cast<std::int64_t>(value)); }
    void bind(int index, double value);  // finite or infinite: SQLite turns NaN into NULL, see pack.h
    void bind(int index, std::string_view text);
    void bind(int index, const std::string& text) { bind(index, std::string_view(text)); }
    void bind(int index, const char* text) { bind(index, std::string_view(text)); }
    void bind(int index, Blob blob);
    void bind(int index, std::nullopt_t);
    template <class T>
    void bind(int index, const std::optional<T>& value) {
        value ? bind(index, *value) : bind(index, std::nullopt);
    }

    bool step();   // true: a row is there
    void run();    // steps to the end and resets, ready for the next bindAll()
    void reset();  // ready for the next bindAll() and step()

    bool isNull(int column) const;
    std::int64_t integer(int column) const;
    double real(int column) const;
    std::string text(int column) const { return std::string(view(column)); }
    std::string_view view(int column) const;  // text or blob
    template <class T>
    T as(int column) const {
        return static_cast<T>(integer(column));
    }
    std::optional<double> realOrNone(int column) const {
        return isNull(column) ? std::nullopt : std::optional(real(column));
    }

  private:
    void bindInteger(int index, std::int64_t value);
    void check(int code) const;

    sqlite3* db_;
    sqlite3_stmt* statement_;
    bool* lent_;  // flag in the cache; null: not cached, finalized here
};

// One SQLite connection. Use it on one thread at a time.
class Connection {
  public:
    enum class Mode : std::uint8_t { Create, ReadWrite, ReadOnly };

    Connection(const std::filesystem::path& file, Mode mode);
    ~Connection();
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;

    // `sql` is one statement. The cache is by its text, so keep texts constant and bind what varies.
    template <class... Values>
    Statement query(std::string_view sql, const Values&... values) {
        Statement statement = prepare(sql);
        statement.bindAll(values...);
        return statement;
    }
    template <class... Values>
    void run(std::string_view sql, const Values&... values) {
        query(sql, values...).run();
    }
    // The first column of the first row, if there is one and it is not NULL.
    template <class... Values>
    std::optional<std::int64_t> integer(std::string_view sql, const Values&... values) {
        Statement statement = query(sql, values...);
        if (!statement.step() || statement.isNull(0)) return std::nullopt;
        return statement.integer(0);
    }
    template <class... Values>
    std::optional<std::string> text(std::string_view sql, const Values&... values) {
        Statement statement = query(sql, values...);
        if (!statement.step() || statement.isNull(0)) return std::nullopt;
        return statement.text(0);
    }
    void script(const std::string& sql);  // any number of statements, not cached
    std::int64_t lastId() const;          // of the last INSERT
    std::int64_t changes() const;         // rows of the last INSERT, UPDATE or DELETE
    bool inTransaction() const;
    void rollback() noexcept;
    const std::filesystem::path& file() const { return file_; }
    sqlite3* handle() const { return db_; }

  private:
    struct Cached {
        sqlite3_stmt* statement = nullptr;
        bool lent = false;
    };
    struct Hash {
        using is_transparent = void;
        std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
    };
    Statement prepare(std::string_view sql);
    void close() noexcept;

    std::filesystem::path file_;
    sqlite3* db_ = nullptr;
    std::unordered_map<std::string, Cached, Hash, std::equal_to<>> cache_;
};

// Several reads that see one state of the project. Ends when destroyed.
class Snapshot {
  public:
    explicit Snapshot(Connection& connection);
    ~Snapshot();
    Snapshot(const Snapshot&) = delete;
    Snapshot& operator=(const Snapshot&) = delete;

  private:
    Connection& connection_;
    bool mine_;
};

}  // namespace candor::db
