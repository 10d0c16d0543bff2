// SPDX-License-Identifier: GPL-3.0-or-later
#include "db/attempt_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <vector>

#include "core/experiment/store.h"
#include "db/connection.h"
#include "db/filesystem.h"

namespace candor::db {
namespace fs = std::filesystem;

// flock and not fcntl: fcntl locks vanish when the process closes any other descriptor of the file.
std::string AttemptLocks::take() {
    fs::create_directories(folder_);
    const std::string name = randomId() + ".lock";
    const fs::path path = folder_ / name;
    const int fd = ::open(path.c_str(), O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0666);
    if (fd < 0) throw Error("the lock " + path.string() + " cannot be made: " + systemMessage(errno));
    if (::flock(fd, LOCK_EX | LOCK_NB) != 0) {
        const std::string why = systemMessage(errno);
        ::close(fd);
        ::unlink(path.c_str());
        throw Error("the lock " + path.string() + " cannot be taken: " + why +
                    ". Move the project to a file system with locks.");
    }
    const std::lock_guard lock(mutex_);
    open_[name] = fd;
    return name;
}

void AttemptLocks::bind(const std::string& name, std::int64_t attempt) {
    const std::lock_guard lock(mutex_);
    names_[attempt] = name;
}

void AttemptLocks::release(std::int64_t attempt) {
    std::string name;
    {
        const std::lock_guard lock(mutex_);
        const auto found = names_.find(attempt);
        if (found == names_.end()) return;
        name = found->second;
        names_.erase(found);
    }
    drop(name);
}

void AttemptLocks::drop(const std::string& name) {
    const std::lock_guard lock(mutex_);
    const auto found = open_.find(name);
    if (found == open_.end()) return;
    ::unlink((folder_ / name).c_str());
    ::close(found->second);
    open_.erase(found);
}

// What is still open here belongs to attempts that never ended: their files stay, unlocked.
AttemptLocks::~AttemptLocks() {
    for (const auto& [name, fd] : open_) ::close(fd);
}

bool AttemptLocks::isHeld(const std::string& name) const {
    const int fd = ::open((folder_ / name).c_str(), O_RDWR | O_CLOEXEC);
    if (fd < 0) return errno != ENOENT;
    const bool held = ::flock(fd, LOCK_EX | LOCK_NB) != 0;
    ::close(fd);
    return held;
}

int endAbandonedAttempts(Connection& c, const AttemptLocks& locks) {
    struct Abandoned {
        std::int64_t id;
        std::string message;
    };
    std::vector<Abandoned> abandoned;
    {
        Statement running = c.query(
            "SELECT a.id, a.lock, a.host, a.pid, (SELECT max(seq) FROM step s WHERE s.attempt = a.id) FROM attempt a "
            "WHERE NOT EXISTS (SELECT 1 FROM attempt_end e WHERE e.attempt = a.id)");
        while (running.step()) {
            if (locks.isHeld(running.text(1))) continue;
            std::string message = "process " + running.text(3) + " on " + running.text(2) + " ended without a word";
            if (!running.isNull(4)) message += " after " + running.text(4) + " recorded steps";
            abandoned.push_back({running.integer(0), message});
        }
    }
    for (const Abandoned& a : abandoned)
        c.run("INSERT INTO attempt_end(attempt, status, message, at_ms) VALUES(?, ?, ?, ?)", a.id,
              RunStatus::Interrupted, a.message, nowMs());
    return static_cast<int>(abandoned.size());
}

}  // namespace candor::db
