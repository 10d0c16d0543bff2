// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

#include "core/experiment/store.h"

namespace candor::app {

// The words of the command line for stored enums.
inline const char* nameOf(Role role) { return role == Role::Train ? "train" : "eval"; }
inline const char* nameOf(Domain domain) {
    return domain == Domain::In ? "in" : domain == Domain::Out ? "out" : "none";
}
inline const char* nameOf(RunStatus status) {
    switch (status) {
        case RunStatus::Planned:
            return "planned";
        case RunStatus::Queued:
            return "queued";
        case RunStatus::Running:
            return "running";
        case RunStatus::Finished:
            return "finished";
        case RunStatus::Failed:
            return "failed";
        case RunStatus::Stopped:
            return "stopped";
        case RunStatus::Interrupted:
            return "interrupted";
    }
    return "unknown";
}

// "250 labels", "all (1124) labels", "no labels".
inline std::string budgetText(std::int64_t budget, std::int64_t labels) {
    if (labels == 0) return "no labels";
    return (budget == kAllLabels ? "all (" + std::to_string(labels) + ")" : std::to_string(budget)) + " labels";
}

}  // namespace candor::app
