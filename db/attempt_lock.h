// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <mutex>
#include <string>

namespace candor::db {

class Connection;

// The locks that running attempts hold: a file each, locked by the operating system as long as the process lives.
// Thread safe.
class AttemptLocks {
  public:
    explicit AttemptLocks(std::filesystem::path folder) : folder_(std::move(folder)) {}
    ~AttemptLocks();

    std::string take();  // a new lock; its name
    void bind(const std::string& name, std::int64_t attempt);
    void release(std::int64_t attempt);  // unlocks and removes; unknown attempts are no error
    void drop(const std::string& name);
    bool isHeld(const std::string& name) const;  // by any living process

  private:
    std::filesystem::path folder_;
    std::mutex mutex_;
    std::map<std::string, int> open_;  // file descriptors
    std::map<std::int64_t, std::string> names_;
};

// Ends attempts whose process is gone as Interrupted; returns how many. Inside a write transaction.
int endAbandonedAttempts(Connection& c, const AttemptLocks& locks);

}  // namespace candor::db
