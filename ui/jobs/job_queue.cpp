// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/jobs/job_queue.h"

#include <QMetaObject>
#include <QTimer>
#include <algorithm>
#include <mutex>
#include <thread>

#include "core/error.h"

namespace candor::ui {

namespace {

constexpr int kFrameMs = 33;
constexpr std::size_t kHistory = 64;

struct Counted {
    Event event;
    int count = 1;
};

// What a worker thread has said and the window has not read yet. Bounded in time by the frame, in size by merging.
class Mailbox {
  public:
    // True if nothing was waiting: the reader must be woken.
    bool add(const Event& event) {
        const std::lock_guard lock(mutex_);
        const bool wake = waiting_.empty();
        if (event.kind == EventKind::Progress) {
            const auto same = std::find_if(waiting_.begin(), waiting_.end(), [&](const Counted& c) {
                return c.event.kind == EventKind::Progress && c.event.run == event.run && c.event.stage == event.stage;
            });
            if (same != waiting_.end()) {
                same->event = event;
                return wake;
            }
        }
        if (!waiting_.empty() && event.kind == EventKind::Message) {
            Counted& last = waiting_.back();
            if (last.event.kind == EventKind::Message && last.event.text == event.text) {
                ++last.count;
                return wake;
            }
        }
        waiting_.push_back({event});
        return wake;
    }

    std::vector<Counted> take() {
        const std::lock_guard lock(mutex_);
        return std::exchange(waiting_, {});
    }

  private:
    std::mutex mutex_;
    std::vector<Counted> waiting_;
};

}  // namespace

struct JobQueue::Worker {
    JobInfo info;
    Work work;
    std::shared_ptr<Mailbox> mailbox = std::make_shared<Mailbox>();
    std::jthread thread;  // last: joined before the rest goes
};

JobQueue::JobQueue(QObject* parent) : QObject(parent) { qRegisterMetaType<candor::ui::JobState>(); }

JobQueue::~JobQueue() {
    // Ask all before joining any, so that they end side by side. Queued calls to a dead object are dropped by Qt.
    for (const auto& worker : workers_) worker->thread.request_stop();
    workers_.clear();
}

int JobQueue::start(const QString& title, Work work, JobLane lane) {
    auto worker = std::make_unique<Worker>();
    const int id = nextId_++;
    worker->info = {id, title, lane, JobState::Queued, {}, false, {}};
    worker->work = std::move(work);
    workers_.push_back(std::move(worker));
    emit jobQueued(id);
    startNext();
    return id;
}

JobQueue::Worker* JobQueue::worker(int id) {
    for (const auto& worker : workers_)
        if (worker->info.id == id) return worker.get();
    return nullptr;
}

void JobQueue::startNext() {
    const auto engineBusy = [&] {
        return std::any_of(workers_.begin(), workers_.end(), [](const auto& w) {
            return w->info.lane == JobLane::Engine && w->info.state != JobState::Queued;
        });
    };
    for (std::size_t i = 0; i < workers_.size(); ++i) {  // by index: a slot may start another job
        Worker& w = *workers_[i];
        if (w.info.state != JobState::Queued || (w.info.lane == JobLane::Engine && engineBusy())) continue;
        w.info.state = JobState::Running;
        launch(w);
        emit jobStarted(w.info.id);
    }
}

void JobQueue::launch(Worker& worker) {
    const int id = worker.info.id;
    worker.thread = std::jthread([this, id, work = worker.work, mailbox = worker.mailbox](std::stop_token stop) {
        const EventSink sink = [this, id, mailbox](const Event& event) {
            if (mailbox->add(event))
                QMetaObject::invokeMethod(
                    this, [this, id] { QTimer::singleShot(kFrameMs, this, [this, id] { deliver(id); }); });
        };
        JobState outcome = JobState::Ok;
        QString message;
        try {
            work(sink, stop);
        } catch (const Stopped& stopped) {
            outcome = JobState::Stopped;
            message = QString::fromStdString(stopped.what());
        } catch (const std::exception& error) {
            outcome = JobState::Failed;
            message = QString::fromStdString(error.what());
        } catch (...) {
            outcome = JobState::Failed;
            message = tr("The job ended with an unknown error.");
        }
        QMetaObject::invokeMethod(this, [this, id, outcome, message] { finish(id, outcome, message); });
    });
}

void JobQueue::deliver(int id) {
    Worker* w = worker(id);
    if (!w) return;
    for (const Counted& counted : w->mailbox->take()) {
        const Event& event = counted.event;
        if (event.kind == EventKind::Progress) w->info.progress = event;
        if (event.kind == EventKind::Checkpoint) w->info.checkpoint = true;
        if (event.kind == EventKind::Started && event.run != 0) w->info.checkpoint = false;
        emit jobEvent(id, event, counted.count);
        w = worker(id);  // a slot may have done anything
        if (!w) return;
    }
}

void JobQueue::finish(int id, JobState outcome, const QString& message) {
    deliver(id);
    const auto it = std::find_if(workers_.begin(), workers_.end(), [&](const auto& w) { return w->info.id == id; });
    if (it == workers_.end()) return;
    if ((*it)->thread.joinable()) (*it)->thread.join();  // it is past its last statement; a queued one has none
    JobInfo info = (*it)->info;
    workers_.erase(it);
    info.state = outcome;
    info.message = message;
    history_.push_back(info);
    if (history_.size() > kHistory) history_.pop_front();
    emit jobFinished(id, outcome, message);
    startNext();
}

void JobQueue::stop(int id) {
    Worker* w = worker(id);
    if (!w || w->info.state == JobState::Stopping) return;
    if (w->info.state == JobState::Queued) {
        finish(id, JobState::Stopped, tr("stopped before it started"));
        return;
    }
    w->info.state = JobState::Stopping;
    w->thread.request_stop();
    emit jobStopping(id);
}

void JobQueue::stopAll() {
    std::vector<int> ids;
    for (auto w = workers_.rbegin(); w != workers_.rend(); ++w) ids.push_back((*w)->info.id);  // queued ones first
    for (const int id : ids) stop(id);
}

const JobInfo* JobQueue::find(int id) const {
    for (const auto& worker : workers_)
        if (worker->info.id == id) return &worker->info;
    for (const JobInfo& info : history_)
        if (info.id == id) return &info;
    return nullptr;
}

std::vector<JobInfo> JobQueue::active() const {
    std::vector<JobInfo> infos;
    for (const auto& worker : workers_) infos.push_back(worker->info);
    return infos;
}

}  // namespace candor::ui
