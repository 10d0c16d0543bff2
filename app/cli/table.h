// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

namespace candor::app {

// Columns of a small CSV (with header) or JSONL file. A missing or unreadable number is NaN, so that the metrics
// can name it; a missing column is an InputError.
struct Table {
    std::vector<std::vector<double>> numbers;  // as asked for, one vector a column
    std::vector<std::string> group;            // empty when no group column was asked for
};

// `file` "-" is standard input. The form is told from the first character that is not white space.
Table readTable(const std::string& file, const std::vector<std::string>& numeric, const std::string& group);

// One question a row: JSONL with `question`, or plain text. Blank lines are no rows. Throws InputError with the line.
std::vector<std::string> readQuestions(const std::string& file);

}  // namespace candor::app
