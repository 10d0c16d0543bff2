// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/metrics/row_error.h"

namespace candor::app {

// Columns of a small CSV (with header) or JSONL file. A missing or unreadable number is NaN, so that the metrics
// can name it; a missing column is an InputError.
struct Table {
    // The first cell of a column that is no finite number: what stood there, empty for nothing.
    struct Unread {
        std::size_t row;
        std::string text;
    };
    std::string file;
    std::vector<std::vector<double>> numbers;    // as asked for, one vector a column
    std::vector<std::optional<Unread>> unread;   // one a column of numbers
    std::vector<std::vector<std::string>> text;  // as asked for
    std::vector<std::int64_t> lines;             // where each row begins, 1-based

    // The error with the file's line and the text found there instead of the number of a row.
    InputError located(const RowError& error) const;
};

// `file` "-" is standard input. The form is told from the first character that is not white space. Throws InputError
// with the file and the line: unreadable, bad_line, missing_column.
Table readTable(const std::string& file, const std::vector<std::string>& numeric,
                const std::vector<std::string>& text = {});

// One question a row: JSONL with `question`, or plain text. Blank lines are no rows. Throws InputError with the line.
std::vector<std::string> readQuestions(const std::string& file);

}  // namespace candor::app
