// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <stop_token>
#include <string>

#include "core/data/lines.h"
#include "core/data/reader.h"
#include "core/error.h"

namespace candor {

// Counts rows, hands them on, tells how far it is.
class Intake {
  public:
    Intake(const std::filesystem::path& file, const LineReader& lines, const std::function<void(Record&&)>& take,
           const EventSink& events, std::stop_token stop)
        : file_(file.string()),
          name_(file.filename().string()),
          lines_(lines),
          take_(take),
          events_(events),
          stop_(std::move(stop)) {}

    void keep(Record&& record, std::int64_t line) {
        record.line = line;
        ++report_.rows, ++report_.kept;
        take_(std::move(record));
        checkpoint();
    }

    void reject(std::int64_t line, std::string reason) {
        ++report_.rows, ++report_.rejectedCount;
        if (report_.rejected.size() < kListed) report_.rejected.push_back({file_, line, std::move(reason)});
        checkpoint();
    }

    ReadReport finish() {
        progress();
        return std::move(report_);
    }

    void say(const std::string& text) {
        if (!events_) return;
        Event event;
        event.kind = EventKind::Message;
        event.stage = "import";
        event.text = text;
        events_(event);
    }

  private:
    using Clock = std::chrono::steady_clock;
    static constexpr std::size_t kListed = 100;  // rejections told one by one

    void checkpoint() {
        if (report_.rows % 128 != 0) return;
        if (stop_.stop_requested()) throw Stopped(file_ + ": stopped after " + std::to_string(report_.rows) + " rows");
        if (Clock::now() - last_ > std::chrono::milliseconds(100)) progress();
    }

    void progress() {
        if (!events_ || report_.rows == 0) return;
        last_ = Clock::now();
        const double seconds = std::chrono::duration<double>(last_ - start_).count();
        Event event;
        event.kind = EventKind::Progress;
        event.stage = "import";
        event.text = name_ + ", " + std::to_string(report_.rows) + " rows, bytes";
        event.done = lines_.offset();
        event.total = lines_.size();
        event.rate = seconds > 0 ? static_cast<double>(event.done) / seconds : 0;
        events_(event);
    }

    std::string file_, name_;
    const LineReader& lines_;
    const std::function<void(Record&&)>& take_;
    const EventSink& events_;
    std::stop_token stop_;
    ReadReport report_;
    Clock::time_point start_ = Clock::now(), last_ = start_;
};

}  // namespace candor
