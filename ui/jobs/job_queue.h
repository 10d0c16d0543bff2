// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QString>
#include <deque>
#include <functional>
#include <memory>
#include <stop_token>
#include <vector>

#include "core/job.h"

namespace candor::ui {

enum class JobState { Queued, Running, Stopping, Ok, Stopped, Failed };
enum class JobLane { Engine, Beside };  // one engine job at a time; the others run beside it

struct JobInfo {
    int id = 0;
    QString title;
    JobLane lane = JobLane::Engine;
    JobState state = JobState::Queued;
    Event progress;           // the last Progress event
    bool checkpoint = false;  // the run at work has one
    QString message;          // why it failed
    bool active() const { return state <= JobState::Stopping; }
};

// Runs core's jobs on worker threads and turns their events into signals on the thread that owns the queue.
// Events arrive at most 30 times a second, progress only as its last value and equal messages counted.
// Stopping is graceful and idempotent; the destructor stops and joins. Use it from its own thread.
class JobQueue : public QObject {
    Q_OBJECT
  public:
    using Work = std::function<void(const EventSink&, std::stop_token)>;

    explicit JobQueue(QObject* parent = nullptr);
    ~JobQueue() override;

    int start(const QString& title, Work work, JobLane lane = JobLane::Engine);  // the job's id
    void stop(int id);
    void stopAll();

    const JobInfo* find(int id) const;
    std::vector<JobInfo> active() const;

  signals:
    void jobQueued(int id);
    void jobStarted(int id);
    void jobEvent(int id, const candor::Event& event, int count);  // count: equal messages in a row
    void jobStopping(int id);
    void jobFinished(int id, candor::ui::JobState outcome, const QString& message);

  private:
    struct Worker;
    void startNext();
    void launch(Worker& worker);
    void deliver(int id);
    void finish(int id, JobState outcome, const QString& message);
    Worker* worker(int id);

    std::vector<std::unique_ptr<Worker>> workers_;  // queued and running
    std::deque<JobInfo> history_;                   // the last few that ended
    int nextId_ = 1;
};

}  // namespace candor::ui
