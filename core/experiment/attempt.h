// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "core/experiment/store.h"
#include "core/experiment/training.h"
#include "core/job.h"

namespace candor {

// One execution of a run: its records go to the store in batches (each write is a transaction with a sync), its events
// to the sink, throttled. A live attempt that is destroyed without end() is ended as failed.
class Attempt {
  public:
    Attempt(ExperimentStore& store, std::int64_t run, const EventSink& events);
    ~Attempt();
    Attempt(const Attempt&) = delete;
    Attempt& operator=(const Attempt&) = delete;

    TrainingSink sink();
    void end(RunStatus status, const std::string& message);

  private:
    void step(const StepRecord& record, std::int64_t total);
    void epoch(const EpochRecord& record);
    void flush();
    void emit(Event event) const;

    ExperimentStore& store_;
    std::int64_t run_, attempt_;
    const EventSink& events_;
    std::vector<StepRecord> steps_;
    std::vector<EpochRecord> epochs_;
    std::string stage_;                                   // of the steps being shown,
    std::int64_t stageStep_ = 0;                          // the first of them that this attempt made,
    std::chrono::steady_clock::time_point stageStarted_;  // and when
    std::chrono::steady_clock::time_point flushed_, shown_;
    bool ended_ = false;
};

}  // namespace candor
