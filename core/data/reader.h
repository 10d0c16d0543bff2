// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/data/record.h"
#include "core/job.h"

namespace candor {

struct Rejected {
    std::string file;
    std::int64_t line = 0;
    std::string reason;
};

struct ReadReport {
    std::int64_t rows = 0;  // rows = kept + rejectedCount; blank lines are no rows
    std::int64_t kept = 0;
    std::int64_t rejectedCount = 0;
    std::vector<Rejected> rejected;  // the first 100
};

struct ReadOptions {
    std::vector<std::pair<std::string, std::string>> map;  // our name -> theirs, dots descend ("Log_p.token_probs")
};

// Streams QA rows, HonestyBench rows, MMLU and CSV/TSV (by content and name) to `take`, in file order.
// Memory does not grow with the file. Bad rows are counted with file, line and reason; throws InputError for a file
// that cannot be read at all, Stopped when asked to stop. Reentrant.
ReadReport readRecords(const std::filesystem::path& file, const ReadOptions& options,
                       const std::function<void(Record&&)>& take, const EventSink& events = {},
                       std::stop_token stop = {});

}  // namespace candor
