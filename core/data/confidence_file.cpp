// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/confidence_file.h"

#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/data/csv.h"
#include "core/data/format.h"
#include "core/data/lines.h"
#include "core/error.h"

namespace candor {
namespace {

using nlohmann::json;

struct Bad {
    std::string reason;
};

std::string shortened(const json& value) {
    const std::string text = value.dump(-1, ' ', false, json::error_handler_t::replace);
    return text.size() > 60 ? text.substr(0, 57) + "..." : text;
}

// A cell's text holds the same as the JSON value would.
json cell(const std::string& text) {
    if (text.empty()) return nullptr;
    double number = 0;
    const auto [end, error] = std::from_chars(text.data() + (text[0] == '+'), text.data() + text.size(), number);
    if (error == std::errc() && end == text.data() + text.size()) {
        std::int64_t whole = 0;
        const auto parsed = std::from_chars(text.data(), text.data() + text.size(), whole);
        if (parsed.ec == std::errc() && parsed.ptr == text.data() + text.size()) return whole;
        return std::isfinite(number) ? json(number) : json(text);
    }
    const json list = text[0] == '[' ? json::parse(text, nullptr, false) : json();
    return list.is_array() ? list : json(text);
}

// Rows of either form as JSON objects, with what to do with a bad one.
class Rows {
  public:
    Rows(const std::filesystem::path& file, const ConfidenceColumns& columns) : file_(file), columns_(columns) {}

    ConfidenceRow read(const json& row) {
        if (!row.is_object()) throw Bad{"expected one JSON object a line"};
        ConfidenceRow result;
        result.question = text(row, columns_.question);
        result.dataset = text(row, columns_.dataset);
        result.split = text(row, columns_.split);
        result.row = place(row, columns_.row);
        if (!result.row && columns_.row == "row") result.row = place(row, "index");
        if (!result.row && !result.question)
            throw Bad{"names no question: expected \"" + columns_.row + "\" (with dataset and split) or \"" +
                      columns_.question + "\""};
        bool found = false;
        for (const auto& [name, isScore] : valueNames()) {
            const auto it = row.find(name);
            if (it == row.end()) continue;
            result.value = number(name, *it);
            result.isScore = isScore;
            found = true;
            break;
        }
        if (!found) throw Bad{"has no field \"" + valueNames().front().first + "\""};
        return result;
    }

    // A table without the value column is a mistake as a whole, not one of each row.
    void checkHeader(const std::vector<std::string>& header) const {
        std::string names;
        for (const std::string& name : header) {
            for (const auto& [wanted, isScore] : valueNames())
                if (name == wanted) return;
            names += (names.empty() ? "" : ", ") + name;
        }
        throw InputError("no_confidence",
                         "no column \"" + valueNames().front().first +
                             "\" in the header; it has: " + names.substr(0, 500) + ". Name the right one with --column",
                         file_.string(), 1);
    }

  private:
    std::vector<std::pair<std::string, bool>> valueNames() const {
        if (!columns_.value.empty()) return {{columns_.value, columns_.value == "score"}};
        return {{"confidence", false}, {"score", true}, {"predicted", false}};
    }

    static std::optional<std::string> text(const json& row, const std::string& name) {
        const auto it = row.find(name);
        if (it == row.end() || it->is_null()) return std::nullopt;
        if (it->is_string()) return it->get<std::string>();
        if (it->is_number()) return it->dump();  // a question or set that is a number, in a table
        throw Bad{"field \"" + name + "\" should be a text, got " + shortened(*it)};
    }

    static std::optional<std::int64_t> place(const json& row, const std::string& name) {
        const auto it = row.find(name);
        if (it == row.end() || it->is_null()) return std::nullopt;
        if (it->is_number_integer() && it->get<double>() >= 0 && it->get<double>() < 0x1p53)
            return it->get<std::int64_t>();
        throw Bad{"field \"" + name + "\" should be a row number from 0, got " + shortened(*it)};
    }

    static std::optional<double> number(const std::string& name, json value) {
        if (value.is_array() && value.size() == 1) value = json(value.front());
        if (value.is_null()) return std::nullopt;
        if (value.is_number()) {
            if (std::isfinite(value.get<double>())) return value.get<double>();
            throw Bad{"field \"" + name + "\" is not finite"};
        }
        throw Bad{"field \"" + name + "\" should be a finite number, got " + shortened(value)};
    }

    const std::filesystem::path& file_;
    const ConfidenceColumns& columns_;
};

}  // namespace

ReadReport readConfidences(const std::filesystem::path& file, const ConfidenceColumns& columns,
                           const std::function<void(ConfidenceRow&&)>& take, std::stop_token stop) {
    LineReader lines(file);
    const Format format = detectFormat(file, lines.peek(std::size_t(64) << 10), {});
    if (format == Format::PlainText)
        throw InputError("bad_format", "expected JSONL, or CSV or TSV with a header", file.string());
    Rows rows(file, columns);
    ReadReport report;
    const auto one = [&](std::int64_t line, const auto& parse) {
        if (++report.rows % 128 == 0 && stop.stop_requested()) throw Stopped(file.string() + ": stopped");
        try {
            ConfidenceRow row = rows.read(parse());
            row.line = line;
            ++report.kept;
            take(std::move(row));
        } catch (const Bad& bad) {
            ++report.rejectedCount;
            if (report.rejected.size() < 100) report.rejected.push_back({file.string(), line, bad.reason});
        }
    };
    if (format == Format::JsonLines) {
        Line line;
        while (lines.next(line)) {
            if (!line.tooLong && line.text.find_first_not_of(" \t\r\v\f") == std::string_view::npos) continue;
            one(line.number, [&] {
                if (line.tooLong) throw Bad{tooLongReason(line)};
                json row = json::parse(line.text, nullptr, false);
                if (row.is_discarded()) throw Bad{"not JSON (NaN and Infinity are no JSON numbers: write null)"};
                return row;
            });
        }
        return report;
    }
    CsvReader csv(lines, format == Format::Tsv ? '\t' : ',');
    CsvRecord record;
    std::vector<std::string> header;
    while (csv.next(record)) {
        if (record.blank) continue;
        if (header.empty() && record.reason.empty()) {
            rows.checkHeader(header = record.fields);
            continue;
        }
        one(record.line, [&] {
            if (!record.reason.empty()) throw Bad{record.reason};
            if (record.fields.size() != header.size())
                throw Bad{"expected " + std::to_string(header.size()) + " columns as in the header, got " +
                          std::to_string(record.fields.size())};
            json row = json::object();
            for (std::size_t i = 0; i < header.size(); ++i) {
                const bool isText =
                    header[i] == columns.question || header[i] == columns.dataset || header[i] == columns.split;
                if (isText && record.fields[i].empty()) continue;
                row[header[i]] = isText ? json(record.fields[i]) : cell(record.fields[i]);
            }
            return row;
        });
    }
    return report;
}

}  // namespace candor
