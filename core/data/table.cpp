// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/table.h"

#include <algorithm>
#include <optional>

#include "core/data/csv.h"
#include "core/data/fields.h"
#include "core/data/format.h"
#include "core/data/json_row.h"
#include "core/data/json_text.h"
#include "core/error.h"
#include "core/text/unicode.h"

namespace candor {
namespace {

// Question, options, letter: as the EliCal repository writes it into one question.
std::optional<Record> mmluRecord(const std::vector<std::string>& fields, const std::string& subject,
                                 std::string& reason) {
    const std::size_t options = fields.size() - 2;
    const std::string& letter = fields.back();
    if (letter.size() != 1 || letter[0] < 'A' || static_cast<std::size_t>(letter[0] - 'A') >= options) {
        reason = "expected a letter A to " + std::string(1, static_cast<char>('A' + options - 1)) +
                 " in the last column, got \"" + letter + "\"";
        return std::nullopt;
    }
    Record record;
    record.question = fields[0] + "\n";
    for (std::size_t i = 0; i < options; ++i)
        record.question += std::string(1, static_cast<char>('A' + i)) + ". " + fields[i + 1] + "\n";
    record.gold = {letter};
    record.extra.assign(1, '{');
    appendJsonKey(record.extra, "subject");
    appendJsonString(record.extra, subject);
    record.extra += "}";
    return record;
}

class Table {
  public:
    Table(const std::vector<std::string>& header, const ReadOptions& options, const std::string& file)
        : names_(header), rows_(options, false) {
        const std::vector<Mapping> map = resolveMap(options.map);
        for (std::size_t i = 0; i < names_.size(); ++i) {
            std::string name = names_[i];
            for (int copy = 2; std::find(names_.begin(), names_.begin() + i, name) != names_.begin() + i; ++copy)
                name = names_[i] + "." + std::to_string(copy);
            names_[i] = name;
            isText_.push_back(holdsText(name, map));
        }
        const auto wanted =
            std::find_if(map.begin(), map.end(), [](const Mapping& m) { return m.field == Field::Question; });
        const std::string question = wanted == map.end() ? "question" : wanted->theirs;
        if (std::find(names_.begin(), names_.end(), question) != names_.end()) return;
        std::string columns;
        for (const std::string& name : names_) columns += (columns.empty() ? "" : ", ") + name;
        throw InputError("no_question",
                         "no column \"" + question + "\" in the header; it has: " + columns.substr(0, 500) +
                             ". Name the right one with --map question=COLUMN",
                         file, 1);
    }

    bool parse(const std::vector<std::string>& fields, Record& record, std::string& reason) {
        if (fields.size() != names_.size()) {
            reason = "expected " + std::to_string(names_.size()) + " columns as in the header, got " +
                     std::to_string(fields.size());
            return false;
        }
        json_.assign(1, '{');
        for (std::size_t i = 0; i < fields.size(); ++i) {
            appendJsonKey(json_, names_[i]);
            json_ += cellToJson(fields[i], isText_[i]);
        }
        json_ += "}";
        const std::size_t size = json_.size();
        json_.append(LineReader::kPadding, ' ');
        return rows_.parse(std::string_view(json_).substr(0, size), record, reason);
    }

    const JsonRows& rows() const { return rows_; }

  private:
    static bool holdsText(const std::string& name, const std::vector<Mapping>& map) {
        std::optional<Field> field = honestyBenchField(name);
        for (const Mapping& mapping : map)
            if (mapping.theirs == name) field = mapping.field;
        return field == Field::Question || field == Field::Gold || field == Field::Greedy || field == Field::Samples;
    }

    std::vector<std::string> names_;
    std::vector<bool> isText_;
    JsonRows rows_;
    std::string json_;
};

}  // namespace

std::vector<std::string> readTable(LineReader& lines, char delimiter, const std::filesystem::path& file,
                                   const ReadOptions& options, Intake& intake) {
    CsvReader csv(lines, delimiter);
    CsvRecord row;
    std::optional<Table> table;
    bool mmlu = false;
    while (csv.next(row)) {
        if (row.blank) continue;
        std::string reason = row.reason;
        if (!table && !mmlu && reason.empty()) {
            mmlu = options.map.empty() && looksLikeMmlu(row.fields);
            if (!mmlu) {
                table.emplace(row.fields, options, file.string());
                continue;
            }
        }
        Record record;
        bool kept = false;
        if (reason.empty() && mmlu) {
            std::optional<Record> made;
            if (row.fields.size() < 4)
                reason =
                    "expected a question, options and a letter, got " + std::to_string(row.fields.size()) + " columns";
            else if (!std::all_of(row.fields.begin(), row.fields.end(), [](const auto& f) { return isValidUtf8(f); }))
                reason = "invalid UTF-8";
            else
                made = mmluRecord(row.fields, mmluSubject(file), reason);
            if ((kept = made.has_value())) record = std::move(*made);
        } else if (reason.empty()) {
            kept = table->parse(row.fields, record, reason);
        }
        if (kept)
            intake.keep(std::move(record), row.line);
        else
            intake.reject(row.line, std::move(reason));
    }
    return table ? table->rows().unseen() : std::vector<std::string>();
}

}  // namespace candor
