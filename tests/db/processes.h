// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <functional>

namespace candor::db::testing {

// A forked copy of the test that runs `work` and ends: status 0, or 1 where it threw. It reports through numbers.
// Fork only where no Project is open: threads and locks do not survive a fork.
class Child {
  public:
    using Report = std::function<void(std::int64_t)>;

    explicit Child(const std::function<void(const Report&)>& work) {
        int ends[2];
        if (::pipe(ends) != 0) std::terminate();
        std::fflush(nullptr);
        pid_ = ::fork();
        if (pid_ == 0) {
            ::close(ends[0]);
            int status = 0;
            try {
                work([&](std::int64_t n) {
                    if (::write(ends[1], &n, sizeof n) != sizeof n) ::_exit(2);
                });
            } catch (const std::exception& e) {
                std::fprintf(stderr, "child: %s\n", e.what());
                status = 1;
            }
            ::_exit(status);
        }
        ::close(ends[1]);
        read_ = ends[0];
    }
    Child(const Child&) = delete;
    Child& operator=(const Child&) = delete;
    ~Child() {
        kill();
        ::close(read_);
    }

    // The next number it reported; -1: it ended.
    std::int64_t next() {
        std::int64_t n = 0;
        return ::read(read_, &n, sizeof n) == sizeof n ? n : -1;
    }
    int wait() {
        if (pid_ <= 0) return status_;
        ::waitpid(pid_, &status_, 0);
        pid_ = 0;
        return status_;
    }
    void kill() {
        if (pid_ > 0) ::kill(pid_, SIGKILL);
        wait();
    }
    pid_t pid() const { return pid_; }

  private:
    pid_t pid_ = 0;
    int read_ = -1;
    int status_ = 0;
};

}  // namespace candor::db::testing
