// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>

namespace candor::db {

class Connection;

enum class OpenResult : std::uint8_t { Current, Migrated, Newer, NotAProject, Damaged };

// One NAME.candor file with its folder NAME.candor.d. Owns the one writer thread. Thread safe.
// Opening marks attempts whose process is gone as interrupted.
class Project {
  public:
    static std::unique_ptr<Project> create(const std::filesystem::path& file);  // throws Error if it exists
    static std::unique_ptr<Project> open(const std::filesystem::path& file);    // throws Error naming the OpenResult
    static std::unique_ptr<Project> openOrCreate(const std::filesystem::path& file);
    static OpenResult probe(const std::filesystem::path& file);  // Current for one that needs a migration is Migrated
    ~Project();

    const std::filesystem::path& file() const;
    std::filesystem::path folder() const;  // NAME.candor.d, made when first asked for
    std::string id() const;                // made at creation, never changes
    OpenResult opened() const;             // Current or Migrated

    // Runs `work` in one transaction on the writer thread and waits until it is committed; rethrows what it throws
    // (then nothing of it is stored). Must not be called from inside `work`.
    void write(const std::function<void(Connection&)>& work);
    // The same without waiting; a failure is kept and thrown by the next write() or flush().
    void enqueue(std::function<void(Connection&)> work);
    void flush();

    // A read-only connection of its own; use it on one thread at a time. Never waits for the writer.
    std::unique_ptr<Connection> reader() const;

    // Grows whenever something was committed by this process or another one; cheap, for polling from a window.
    std::int64_t dataVersion() const;

  private:
    struct Impl;
    explicit Project(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

}  // namespace candor::db
