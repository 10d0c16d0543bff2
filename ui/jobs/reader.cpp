// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/jobs/reader.h"

#include <algorithm>

#include "db/connection.h"
#include "db/project.h"

namespace candor::ui {

Reader::Reader(std::shared_ptr<db::Project> project, QObject* parent) : QObject(parent), project_(std::move(project)) {
    thread_ = std::jthread([this](std::stop_token stop) { run(stop); });
}

Reader::~Reader() {
    thread_.request_stop();
    thread_.join();
}

void Reader::push(QObject* view, const char* topic, Task task) {
    const Key key{view, topic};
    const std::uint64_t generation = ++generation_;
    newest_[key] = generation;
    ++outstanding_;
    {
        const std::lock_guard lock(mutex_);
        const auto old = std::remove_if(queue_.begin(), queue_.end(), [&](const Entry& e) { return e.key == key; });
        outstanding_ -= static_cast<int>(queue_.end() - old);
        queue_.erase(old, queue_.end());
        queue_.push_back({key, generation, view, std::move(task)});
    }
    wake_.notify_one();
}

void Reader::cancel(QObject* view) {
    std::erase_if(newest_, [&](const auto& pair) { return pair.first.first == view; });
    const std::lock_guard lock(mutex_);
    const auto old = std::remove_if(queue_.begin(), queue_.end(), [&](const Entry& e) { return e.key.first == view; });
    outstanding_ -= static_cast<int>(queue_.end() - old);
    queue_.erase(old, queue_.end());
}

bool Reader::idle() const { return outstanding_ == 0; }

void Reader::run(std::stop_token stop) {
    std::unique_ptr<db::Connection> connection;
    while (true) {
        Entry entry;
        {
            std::unique_lock lock(mutex_);
            if (!wake_.wait(lock, stop, [&] { return !queue_.empty(); })) return;
            entry = std::move(queue_.front());
            queue_.pop_front();
        }
        Delivery delivery;
        QString error;
        try {
            if (!connection) connection = project_->reader();
            delivery = entry.task(*connection);
        } catch (const std::exception& exception) {
            error = QString::fromStdString(exception.what());
        }
        if (stop.stop_requested()) return;
        QMetaObject::invokeMethod(
            this,
            [this, key = entry.key, generation = entry.generation, view = entry.view, delivery, error] {
                --outstanding_;
                const auto newest = newest_.find(key);
                if (!view || newest == newest_.end() || newest->second != generation) return;
                if (delivery) {
                    delivery();
                } else {
                    emit failed(error);
                }
            },
            Qt::QueuedConnection);
    }
}

}  // namespace candor::ui
