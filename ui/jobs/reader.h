// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QPointer>
#include <QString>
#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <stop_token>
#include <thread>

namespace candor::db {
class Connection;
class Project;
}  // namespace candor::db

namespace candor::ui {

// Reads a project on a thread of its own with a connection of its own, and hands results back on the owner's thread.
// A request replaces the one before it of the same view and topic: the older is dropped before it runs, or its result
// is dropped after. A result never reaches a view that is gone. The destructor joins. Use it from its own thread.
class Reader : public QObject {
    Q_OBJECT
  public:
    explicit Reader(std::shared_ptr<db::Project> project, QObject* parent = nullptr);
    ~Reader() override;

    // `query` runs on the reader's thread and must not touch widgets; `then` gets its value.
    template <class Query, class Then>
    void request(QObject* view, const char* topic, Query query, Then then) {
        push(view, topic, [query = std::move(query), then = std::move(then)](db::Connection& connection) {
            auto value = std::make_shared<decltype(query(connection))>(query(connection));
            return Delivery([value, then] { then(std::move(*value)); });
        });
    }
    void cancel(QObject* view);
    bool idle() const;  // nothing queued, running or undelivered

  signals:
    void failed(const QString& message);

  private:
    using Delivery = std::function<void()>;
    using Task = std::function<Delivery(db::Connection&)>;
    using Key = std::pair<QObject*, std::string>;
    struct Entry {
        Key key;
        std::uint64_t generation = 0;
        QPointer<QObject> view;
        Task task;
    };

    void push(QObject* view, const char* topic, Task task);
    void run(std::stop_token stop);

    std::shared_ptr<db::Project> project_;
    mutable std::mutex mutex_;
    std::condition_variable_any wake_;
    std::deque<Entry> queue_;
    std::map<Key, std::uint64_t> newest_;  // owner's thread only
    std::uint64_t generation_ = 0;
    int outstanding_ = 0;  // owner's thread only
    std::jthread thread_;
};

}  // namespace candor::ui
