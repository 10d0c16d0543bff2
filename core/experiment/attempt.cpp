// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/experiment/attempt.h"

#include <cmath>

namespace candor {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::size_t kBatch = 4096;                        // step records in one write
constexpr auto kFlushEvery = std::chrono::seconds(2);       // so that a long training is seen while it runs
constexpr auto kShowEvery = std::chrono::milliseconds(50);  // progress events

}  // namespace

Attempt::Attempt(ExperimentStore& store, std::int64_t run, const EventSink& events)
    : store_(store), run_(run), attempt_(store.beginAttempt(run)), events_(events), flushed_(Clock::now()) {
    Event event;
    event.kind = EventKind::Started;
    emit(event);
}

Attempt::~Attempt() {
    if (ended_) return;
    try {
        end(RunStatus::Failed, "ended unexpectedly");
    } catch (...) {  // the store is gone: opening the project marks the attempt as interrupted
    }
}

TrainingSink Attempt::sink() {
    TrainingSink sink;
    sink.step = [this](const StepRecord& record, std::int64_t total) { step(record, total); };
    sink.epoch = [this](const EpochRecord& record) { epoch(record); };
    sink.checkpoint = [this](const std::string& stage, std::int64_t step) {
        flush();
        Event event;
        event.kind = EventKind::Checkpoint;
        event.stage = stage;
        event.step = step;
        emit(event);
    };
    sink.message = [this](const std::string& text) {
        Event event;
        event.text = text;
        emit(event);
    };
    return sink;
}

void Attempt::step(const StepRecord& record, std::int64_t total) {
    steps_.push_back(record);
    const auto now = Clock::now();
    if (steps_.size() >= kBatch || now - flushed_ >= kFlushEvery) flush();
    if (record.stage != stage_ || record.step < stageStep_) {
        stage_ = record.stage;
        stageStep_ = record.step;
        stageStarted_ = now;
    }
    if (now - shown_ < kShowEvery) return;
    shown_ = now;
    Event event;
    event.kind = EventKind::Progress;
    event.stage = record.stage;
    event.epoch = record.epoch;
    event.step = event.done = record.step;
    event.total = total;
    // Steps a second over the stage so far, the unit of done and total; the record's own rate is in questions.
    const double elapsed = std::chrono::duration<double>(now - stageStarted_).count();
    if (elapsed > 0) event.rate = static_cast<double>(record.step - stageStep_) / elapsed;
    event.value = record.loss;
    emit(event);
}

void Attempt::epoch(const EpochRecord& record) {
    epochs_.push_back(record);
    if (Clock::now() - flushed_ >= kFlushEvery) flush();
    for (const auto& [name, value] :
         {std::pair("train_loss", record.trainLoss), std::pair("holdout_loss", record.holdoutLoss)}) {
        if (std::isnan(value)) continue;
        Event event;
        event.kind = EventKind::Metric;
        event.stage = record.stage;
        event.epoch = record.epoch;
        event.step = record.step;
        event.text = name;
        event.value = value;
        emit(event);
    }
}

void Attempt::flush() {
    flushed_ = Clock::now();
    if (!steps_.empty()) store_.recordSteps(attempt_, steps_);
    steps_.clear();
    if (!epochs_.empty()) store_.recordEpochs(attempt_, epochs_);
    epochs_.clear();
}

void Attempt::end(RunStatus status, const std::string& message) {
    ended_ = true;
    flush();
    store_.endAttempt(attempt_, status, message);
    Event event;
    event.kind = status == RunStatus::Finished  ? EventKind::Finished
                 : status == RunStatus::Stopped ? EventKind::Stopped
                                                : EventKind::Failed;
    event.text = message;
    emit(event);
}

void Attempt::emit(Event event) const {
    if (!events_) return;
    event.run = run_;
    events_(event);
}

}  // namespace candor
