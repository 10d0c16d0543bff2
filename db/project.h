// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <future>
#include <memory>
#include <string>

namespace candor::db {

class AttemptLocks;
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
    // What the user should know about how it was opened: a copy kept by a migration, a network file system (no
    // write-ahead log there; CANDOR_JOURNAL=delete or =wal in the environment decides otherwise). Empty: nothing.
    const std::string& notice() const;

    // Runs `work` in one transaction on the writer thread and waits until it is committed; rethrows what it throws
    // (then nothing of it is stored). Must not be called from inside `work`.
    void write(const std::function<void(Connection&)>& work);
    // The same without waiting; a failure is kept and thrown by the next write() or flush().
    void enqueue(std::function<void(Connection&)> work);
    void flush();
    // The same with a future that is ready once `work` is committed, or holds what it threw.
    std::future<void> submit(std::function<void(Connection&)> work);

    // A read-only connection of its own; use it on one thread at a time. Never waits for the writer.
    std::unique_ptr<Connection> reader() const;

    // Grows whenever something was committed by this process or another one; cheap, for polling from a window.
    std::int64_t dataVersion() const;

    // Marks attempts whose process has gone since the project was opened as interrupted; returns how many.
    int markInterrupted();
    AttemptLocks& attemptLocks();  // for the experiment store

  private:
    struct Impl;
    explicit Project(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

}  // namespace candor::db
