// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>

#include "core/data/reader.h"

namespace candor {

// One confidence of somebody's method, and the question it belongs to: by place (dataset, split, row) or by text.
struct ConfidenceRow {
    std::optional<std::string> dataset, split, question;
    std::optional<std::int64_t> row;  // from 0, as in the project
    std::optional<double> value;      // none: the method gave none (null, an empty cell)
    bool isScore = false;             // the file calls it `score`: no probability
    std::int64_t line = 0;            // 1-based
};

struct ConfidenceColumns {
    std::string value;  // empty: `confidence`, `score` or `predicted`, whichever is there
    std::string dataset = "dataset", split = "split", row = "row", question = "question";
};

// Streams a CSV or TSV file with a header, or JSONL (the paper's `{"index", "predicted"}` rows too: `index` is a row).
// A value is a number; a list of one number will do. Bad rows are counted with file, line and reason. Throws InputError
// ("no_confidence" where no column holds one), Stopped.
ReadReport readConfidences(const std::filesystem::path& file, const ConfidenceColumns& columns,
                           const std::function<void(ConfidenceRow&&)>& take, std::stop_token stop = {});

}  // namespace candor
