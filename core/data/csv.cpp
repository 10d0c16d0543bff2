// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/csv.h"

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>

#include "core/data/json_text.h"

namespace candor {
namespace {

// A quoted field may run over lines, but hardly over more than this; it bounds what an unclosed quote costs.
constexpr std::size_t kLongestRecord = std::size_t(1) << 20;

// Splits text into fields; false if it ends inside quotes.
bool split(std::string_view text, char delimiter, std::vector<std::string>& fields) {
    fields.assign(1, {});
    bool quoted = false, started = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (quoted) {
            if (c != '"') {
                fields.back().push_back(c);
            } else if (i + 1 < text.size() && text[i + 1] == '"') {
                fields.back().push_back('"');
                ++i;
            } else {
                quoted = false;
            }
        } else if (c == delimiter) {
            fields.emplace_back();
            started = false;
        } else if (c == '"' && !started) {
            quoted = started = true;
        } else {
            fields.back().push_back(c);
            started = true;
        }
    }
    return !quoted;
}

bool isBlank(std::string_view text) { return text.find_first_not_of(" \t\r") == std::string_view::npos; }

}  // namespace

bool CsvReader::take(Stored& stored) {
    if (!again_.empty()) {
        stored = std::move(again_.front());
        again_.pop_front();
        return true;
    }
    Line line;
    if (!lines_.next(line)) return false;
    stored = {std::string(line.text), line.number, {}};
    if (line.tooLong) stored.reason = tooLongReason(line);
    return true;
}

bool CsvReader::next(CsvRecord& record) {
    Stored first;
    if (!take(first)) return false;
    record = {{}, first.number, first.reason, isBlank(first.text)};
    if (!record.reason.empty() || record.blank) return true;
    if (split(first.text, delimiter_, record.fields)) return true;

    std::string text = first.text;
    std::deque<Stored> behind;
    Stored more;
    while (text.size() <= kLongestRecord && take(more)) {
        behind.push_back(more);
        if (!more.reason.empty()) break;
        text += "\n" + more.text;
        // An odd number of quotes may close the field; only then is it worth splitting again.
        const auto quotes = std::count(more.text.begin(), more.text.end(), '"');
        if (quotes % 2 == 1 && split(text, delimiter_, record.fields)) return true;
    }
    again_.insert(again_.begin(), std::make_move_iterator(behind.begin()), std::make_move_iterator(behind.end()));
    record.fields.clear();
    record.reason = "a quote is opened and not closed within " + std::to_string(behind.size()) + " more lines";
    return true;
}

std::string cellToJson(std::string_view cell, bool isText) {
    const bool list = cell.starts_with('[') && cell.ends_with(']');
    const bool object = cell.starts_with('{') && cell.ends_with('}');
    if ((list || (object && !isText)) && nlohmann::json::accept(cell.begin(), cell.end())) return std::string(cell);
    if (!isText) {
        if (cell.empty()) return "null";
        if (isJsonNumber(cell)) return std::string(cell);
        if (cell == "true" || cell == "True") return "true";
        if (cell == "false" || cell == "False") return "false";
    }
    std::string json;
    appendJsonString(json, cell);
    return json;
}

}  // namespace candor
