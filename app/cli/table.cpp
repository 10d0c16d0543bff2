// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/table.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <functional>
#include <iostream>
#include <limits>
#include <nlohmann/json.hpp>

#include "core/error.h"

namespace candor::app {
namespace {

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

void forEachLine(const std::string& file, const std::function<void(std::string&, std::int64_t)>& take) {
    std::ifstream opened;
    if (file != "-") {
        opened.open(file, std::ios::binary);
        if (!opened) throw InputError("unreadable", "the file cannot be opened", file);
    }
    std::istream& in = file == "-" ? std::cin : opened;
    std::string line;
    for (std::int64_t number = 1; std::getline(in, line); ++number) {
        if (number == 1 && line.starts_with("\xEF\xBB\xBF")) line.erase(0, 3);
        if (!line.empty() && line.back() == '\r') line.pop_back();
        if (line.find_first_not_of(" \t") != std::string::npos) take(line, number);
    }
    if (in.bad()) throw InputError("unreadable", "reading failed", file);
}

double parseNumber(std::string text) {
    text.erase(0, text.find_first_not_of(" \t\""));
    text.erase(text.find_last_not_of(" \t\"") + 1);
    if (text == "true" || text == "True") return 1;
    if (text == "false" || text == "False") return 0;
    const char* first = text.data() + (text.starts_with('+') ? 1 : 0);
    const char* last = text.data() + text.size();
    double value = 0;
    const auto [end, error] = std::from_chars(first, last, value);
    if (error == std::errc::result_out_of_range) return std::strtod(text.c_str(), nullptr);
    return error == std::errc() && end == last ? value : kMissing;
}

double numberOf(const nlohmann::json& value) {
    if (value.is_number()) return value.get<double>();
    if (value.is_boolean()) return value.get<bool>() ? 1 : 0;
    return value.is_string() ? parseNumber(value.get<std::string>()) : kMissing;
}

std::vector<std::string> splitCsv(const std::string& line, char separator) {
    std::vector<std::string> fields(1);
    bool quoted = false;
    for (std::size_t i = 0; i < line.size(); ++i) {
        const char c = line[i];
        if (quoted && c == '"' && i + 1 < line.size() && line[i + 1] == '"') {
            fields.back() += line[++i];
        } else if (c == '"') {
            quoted = !quoted;
        } else if (c == separator && !quoted) {
            fields.emplace_back();
        } else {
            fields.back() += c;
        }
    }
    return fields;
}

std::size_t columnOf(const std::vector<std::string>& header, const std::string& name, const std::string& file) {
    const auto found = std::find(header.begin(), header.end(), name);
    if (found == header.end()) {
        std::string names;
        for (const auto& column : header) names += (names.empty() ? "" : ", ") + column;
        throw InputError("missing_column", "no column '" + name + "'; the file has: " + names, file, 1);
    }
    return static_cast<std::size_t>(found - header.begin());
}

}  // namespace

Table readTable(const std::string& file, const std::vector<std::string>& numeric, const std::string& group) {
    Table table;
    table.numbers.resize(numeric.size());
    std::vector<std::size_t> columns;
    std::size_t groupColumn = 0;
    enum { Unknown, Jsonl, Csv } form = Unknown;
    char separator = ',';

    forEachLine(file, [&](std::string& line, std::int64_t number) {
        if (form == Unknown) {
            form = line[line.find_first_not_of(" \t")] == '{' ? Jsonl : Csv;
            if (form == Csv) {
                separator = line.find('\t') != std::string::npos ? '\t' : ',';
                const auto header = splitCsv(line, separator);
                for (const auto& name : numeric) columns.push_back(columnOf(header, name, file));
                if (!group.empty()) groupColumn = columnOf(header, group, file);
                return;
            }
        }
        if (form == Jsonl) {
            const auto row = nlohmann::json::parse(line, nullptr, false);
            if (!row.is_object()) throw InputError("bad_line", "expected a JSON object", file, number);
            for (std::size_t i = 0; i < numeric.size(); ++i)
                table.numbers[i].push_back(row.contains(numeric[i]) ? numberOf(row[numeric[i]]) : kMissing);
            if (group.empty()) return;
            if (!row.contains(group)) throw InputError("missing_column", "no field '" + group + "'", file, number);
            table.group.push_back(row[group].is_string() ? row[group].get<std::string>() : row[group].dump());
        } else {
            const auto fields = splitCsv(line, separator);
            for (std::size_t i = 0; i < numeric.size(); ++i)
                table.numbers[i].push_back(columns[i] < fields.size() ? parseNumber(fields[columns[i]]) : kMissing);
            if (!group.empty()) table.group.push_back(groupColumn < fields.size() ? fields[groupColumn] : "");
        }
    });
    return table;
}

std::vector<std::string> readQuestions(const std::string& file) {
    std::vector<std::string> questions;
    forEachLine(file, [&](std::string& line, std::int64_t number) {
        if (line[line.find_first_not_of(" \t")] != '{') {
            questions.push_back(line);
            return;
        }
        const auto row = nlohmann::json::parse(line, nullptr, false);
        if (!row.is_object() || !row.contains("question") || !row["question"].is_string())
            throw InputError("bad_line", "expected a JSON object with a string `question`", file, number);
        questions.push_back(row["question"].get<std::string>());
    });
    if (questions.empty()) throw InputError("empty", "the file holds no question", file);
    return questions;
}

}  // namespace candor::app
