// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

namespace candor::db {

class Connection;

// The one thread that writes. Tasks run in order; tasks that wait together share a transaction, each in a savepoint,
// so that a failing one takes nothing else with it. Thread safe.
class Writer {
  public:
    using Work = std::function<void(Connection&)>;

    explicit Writer(std::unique_ptr<Connection> connection);
    ~Writer();  // runs what is queued, then joins

    // Blocks while the queue is full. The future is ready when the work is committed, or holds what it threw.
    std::future<void> submit(Work work);
    void enqueue(Work work);  // a failure is kept
    void flush();             // waits until all so far is done; throws the first kept failure
    void throwKept();

  private:
    struct Task {
        Work work;
        std::optional<std::promise<void>> done;  // none: enqueued
        std::exception_ptr failure;
    };
    void push(Task task);
    void loop();
    void commit(std::deque<Task>& tasks);
    void begin();
    void runInSavepoint(Task& task);
    void finish(std::deque<Task>& tasks);

    static constexpr std::size_t kCapacity = 256, kTogether = 64;
    std::unique_ptr<Connection> connection_;
    std::mutex mutex_;
    std::condition_variable notEmpty_, notFull_;
    std::deque<Task> queue_;
    std::exception_ptr kept_;
    bool stopping_ = false;
    std::thread thread_;
};

}  // namespace candor::db
