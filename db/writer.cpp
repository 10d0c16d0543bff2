// SPDX-License-Identifier: GPL-3.0-or-later
#include "db/writer.h"

#include <algorithm>
#include <utility>

#include "db/connection.h"

namespace candor::db {

Writer::Writer(std::unique_ptr<Connection> connection)
    : connection_(std::move(connection)), thread_([this] { loop(); }) {}

Writer::~Writer() {
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
    }
    notEmpty_.notify_all();
    thread_.join();
}

void Writer::push(Task task) {
    if (std::this_thread::get_id() == thread_.get_id())
        throw Error("a project was asked to write from inside a write: pass the connection on instead");
    std::unique_lock lock(mutex_);
    notFull_.wait(lock, [this] { return queue_.size() < kCapacity; });
    queue_.push_back(std::move(task));
    notEmpty_.notify_one();
}

std::future<void> Writer::submit(Work work) {
    Task task{std::move(work), std::promise<void>(), nullptr};
    std::future<void> future = task.done->get_future();
    push(std::move(task));
    return future;
}

void Writer::enqueue(Work work) { push({std::move(work), std::nullopt, nullptr}); }

void Writer::flush() {
    submit([](Connection&) {}).get();
    throwKept();
}

void Writer::throwKept() {
    std::exception_ptr failure;
    {
        const std::lock_guard lock(mutex_);
        failure = std::exchange(kept_, nullptr);
    }
    if (failure) std::rethrow_exception(failure);
}

void Writer::loop() {
    for (;;) {
        std::deque<Task> tasks;
        {
            std::unique_lock lock(mutex_);
            notEmpty_.wait(lock, [this] { return stopping_ || !queue_.empty(); });
            if (queue_.empty()) return;
            for (; !queue_.empty() && tasks.size() < kTogether; queue_.pop_front())
                tasks.push_back(std::move(queue_.front()));
        }
        notFull_.notify_all();
        commit(tasks);
        finish(tasks);
    }
}

void Writer::commit(std::deque<Task>& tasks) {
    try {
        connection_->run("BEGIN IMMEDIATE");
        for (Task& task : tasks) runInSavepoint(task);
        connection_->run("COMMIT");
    } catch (...) {  // the transaction as a whole: a full disk, a lock that never came
        connection_->rollback();
        for (Task& task : tasks)
            if (!task.failure) task.failure = std::current_exception();
    }
}

void Writer::runInSavepoint(Task& task) {
    connection_->run("SAVEPOINT task");
    try {
        task.work(*connection_);
    } catch (...) {
        task.failure = std::current_exception();
        if (!connection_->inTransaction()) throw;  // SQLite gave the whole transaction up
        connection_->run("ROLLBACK TO task");
    }
    connection_->run("RELEASE task");
}

void Writer::finish(std::deque<Task>& tasks) {
    for (Task& task : tasks) {
        task.work = nullptr;  // what it holds goes before its caller is told
        if (task.done && task.failure) {
            task.done->set_exception(task.failure);
        } else if (task.done) {
            task.done->set_value();
        } else if (task.failure) {
            const std::lock_guard lock(mutex_);
            if (!kept_) kept_ = task.failure;
        }
    }
}

}  // namespace candor::db
