// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/table.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
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
        if (std::filesystem::is_directory(file))
            throw InputError("unreadable", "this is a folder: name a CSV or JSONL file in it", file);
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

std::string textOf(const nlohmann::json& value) {
    return value.is_string() ? value.get<std::string>()
                             : value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

// One row of CSV, which quotes may spread over several lines. A quote opens only at the start of a field.
class CsvRow {
  public:
    explicit CsvRow(char separator) : separator_(separator) {}
    void add(const std::string& line) {
        if (quoted_) fields_.back() += '\n';
        for (std::size_t i = 0; i < line.size(); ++i) {
            const char c = line[i];
            if (quoted_ && c == '"' && i + 1 < line.size() && line[i + 1] == '"')
                fields_.back() += line[++i];
            else if (c == '"' && (quoted_ || fields_.back().find_first_not_of(" \t") == std::string::npos))
                quoted_ = !quoted_;
            else if (c == separator_ && !quoted_)
                fields_.emplace_back();
            else
                fields_.back() += c;
        }
    }
    bool open() const { return quoted_; }
    const std::vector<std::string>& fields() const { return fields_; }
    void clear() { fields_.assign(1, {}); }

  private:
    char separator_;
    bool quoted_ = false;
    std::vector<std::string> fields_ = std::vector<std::string>(1);
};

std::size_t columnOf(const std::vector<std::string>& header, const std::string& name, const std::string& file) {
    const auto found = std::find(header.begin(), header.end(), name);
    if (found == header.end()) {
        std::string names;
        for (const auto& column : header) names += (names.empty() ? "" : ", ") + column;
        throw InputError("missing_column", "no column '" + name + "'; the file has: " + names, file, 1);
    }
    return static_cast<std::size_t>(found - header.begin());
}

class TableReader {
  public:
    TableReader(const std::string& file, const std::vector<std::string>& numeric, const std::vector<std::string>& text)
        : numeric_(numeric), text_(text) {
        table_.file = file;
        table_.numbers.resize(numeric.size());
        table_.unread.resize(numeric.size());
        table_.text.resize(text.size());
    }
    void take(const std::string& line, std::int64_t number) {
        if (form_ == Form::Unknown) {
            form_ = line[line.find_first_not_of(" \t")] == '{' ? Form::Jsonl : Form::Csv;
            if (form_ == Form::Csv) return header(line);
        }
        form_ == Form::Jsonl ? json(line, number) : csv(line, number);
    }
    Table finish() {
        if (row_.open()) throw InputError("bad_line", "a quote opened here is never closed", table_.file, begun_);
        return std::move(table_);
    }

  private:
    enum class Form { Unknown, Jsonl, Csv };

    void header(const std::string& line) {
        row_ = CsvRow(line.find('\t') != std::string::npos ? '\t' : ',');
        row_.add(line);
        for (const auto& name : numeric_) numberColumns_.push_back(columnOf(row_.fields(), name, table_.file));
        for (const auto& name : text_) textColumns_.push_back(columnOf(row_.fields(), name, table_.file));
        row_.clear();
    }
    void json(const std::string& line, std::int64_t number) {
        const auto row = nlohmann::json::parse(line, nullptr, false);
        if (!row.is_object()) throw InputError("bad_line", "expected a JSON object", table_.file, number);
        for (std::size_t i = 0; i < numeric_.size(); ++i) {
            const auto cell = row.find(numeric_[i]);
            const bool absent = cell == row.end() || cell->is_null();
            const double value = absent ? kMissing : numberOf(*cell);
            addNumber(i, value, std::isfinite(value) || absent ? std::string() : textOf(*cell));
        }
        for (std::size_t i = 0; i < text_.size(); ++i) {
            const auto cell = row.find(text_[i]);
            if (cell == row.end())
                throw InputError("missing_column", "no field '" + text_[i] + "'", table_.file, number);
            table_.text[i].push_back(textOf(*cell));
        }
        table_.lines.push_back(number);
    }
    void csv(const std::string& line, std::int64_t number) {
        if (!row_.open()) begun_ = number;
        row_.add(line);
        if (row_.open()) return;
        const auto& fields = row_.fields();
        const auto at = [&](std::size_t column) { return column < fields.size() ? fields[column] : std::string(); };
        for (std::size_t i = 0; i < numeric_.size(); ++i)
            addNumber(i, parseNumber(at(numberColumns_[i])), at(numberColumns_[i]));
        for (std::size_t i = 0; i < text_.size(); ++i) table_.text[i].push_back(at(textColumns_[i]));
        table_.lines.push_back(begun_);
        row_.clear();
    }
    void addNumber(std::size_t column, double value, const std::string& text) {
        if (!std::isfinite(value) && !table_.unread[column])
            table_.unread[column] = Table::Unread{table_.numbers[column].size(), text};
        table_.numbers[column].push_back(value);
    }

    const std::vector<std::string>&numeric_, &text_;
    Table table_;
    std::vector<std::size_t> numberColumns_, textColumns_;
    Form form_ = Form::Unknown;
    CsvRow row_{','};
    std::int64_t begun_ = 0;  // line of the row that is being read
};

}  // namespace

InputError Table::located(const RowError& error) const {
    std::string found;
    char number[32];
    if (std::isfinite(error.value()))
        found = std::string(number, std::to_chars(number, number + sizeof number, error.value()).ptr);
    for (const auto& cell : unread)  // the rule tells the column: only a cell of that column can be this row's first
        if (found.empty() && cell && cell->row == error.row())
            found = cell->text.empty() ? "nothing" : "\"" + cell->text + "\"";
    return InputError(error.code(),
                      error.rule() + ": got " + found + (error.advice().empty() ? "" : "; " + error.advice()), file,
                      error.row() < lines.size() ? lines[error.row()] : 0);
}

Table readTable(const std::string& file, const std::vector<std::string>& numeric,
                const std::vector<std::string>& text) {
    TableReader reader(file, numeric, text);
    forEachLine(file, [&](std::string& line, std::int64_t number) { reader.take(line, number); });
    return reader.finish();
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
