// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <string>

namespace candor {

enum class EventKind : std::uint8_t { Started, Progress, Metric, Checkpoint, Message, Finished, Failed, Stopped };

// What a job says while it runs. Fields that a kind does not use keep their defaults.
struct Event {
    EventKind kind = EventKind::Message;
    std::int64_t run = 0;                                     // database id of the run; 0: the job as a whole
    std::string text;                                         // a sentence for people; for Metric the metric's name
    double value = std::numeric_limits<double>::quiet_NaN();  // Metric
    std::string stage;                                        // "states", "stage1", "stage2", "evaluate", "import", ...
    std::int64_t epoch = 0;                                   // 1-based; 0: none
    std::int64_t step = 0;                                    // optimiser step within the stage, 1-based; 0: none
    std::int64_t done = 0;                                    // Progress
    std::int64_t total = 0;                                   // Progress; 0: unknown
    double rate = 0;                                          // units a second; 0: unknown
};

// Called on the thread that runs the job; must return quickly and must not throw.
using EventSink = std::function<void(const Event&)>;

}  // namespace candor
