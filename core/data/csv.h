// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "core/data/lines.h"

namespace candor {

// One record of a CSV or TSV file, or why it is none.
struct CsvRecord {
    std::vector<std::string> fields;
    std::int64_t line = 0;  // where it starts
    std::string reason;     // not empty: no record
    bool blank = false;
};

// Splits a file into records as RFC 4180 and Python's csv do: quoted fields may hold delimiters, line breaks and
// doubled quotes. A quote that never closes costs its own line only: reading goes on with the next one.
class CsvReader {
  public:
    CsvReader(LineReader& lines, char delimiter) : lines_(lines), delimiter_(delimiter) {}
    bool next(CsvRecord& record);  // false at the end

  private:
    struct Stored {
        std::string text;
        std::int64_t number;
        std::string reason;
    };
    bool take(Stored& line);

    LineReader& lines_;
    char delimiter_;
    std::deque<Stored> again_;  // lines read behind an unclosed quote
};

// What a cell's text means in JSON: a list or object as it stands, a number, true, false, null (empty), else a string.
std::string cellToJson(std::string_view cell, bool isText);

}  // namespace candor
