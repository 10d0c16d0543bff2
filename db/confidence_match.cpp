// SPDX-License-Identifier: GPL-3.0-or-later
#include "db/confidence_match.h"

#include <optional>
#include <vector>

#include "db/connection.h"
#include "db/pack.h"
#include "db/question_store.h"

namespace candor::db {
namespace {

constexpr std::size_t kListed = 100;

struct Place {
    std::vector<std::int64_t> questions;
    std::string why;  // not empty: none
};

class Matcher {
  public:
    Matcher(Connection& c, const ConfidenceOptions& options) : c_(c), options_(options) {
        const auto splits = c.integer("SELECT count(*) FROM split");
        if (splits != 1) return;
        Statement s = c.query("SELECT d.name, s.name FROM split s JOIN dataset d ON d.id = s.dataset");
        if (s.step()) only_ = {s.text(0), s.text(1)};
    }

    Place find(const ConfidenceRow& row) {
        std::string dataset = row.dataset.value_or(options_.dataset), split = row.split.value_or(options_.split);
        if (row.row) {
            if (only_ && dataset.empty()) dataset = only_->first;
            if (only_ && split.empty()) split = only_->second;
            if (!dataset.empty() && split.empty()) split = onlySplitOf(dataset);
            if (!dataset.empty() && !split.empty()) return byPlace(dataset, split, row);
            if (!row.question)
                return {{}, "row " + std::to_string(*row.row) + " of which set? Name --dataset and --split"};
        }
        return byText(dataset, split, *row.question);
    }

  private:
    std::string onlySplitOf(const std::string& dataset) {
        return c_
            .text(
                "SELECT min(s.name) FROM split s JOIN dataset d ON d.id = s.dataset WHERE d.name = ? HAVING "
                "count(*) = 1",
                dataset)
            .value_or("");
    }

    Place byPlace(const std::string& dataset, const std::string& split, const ConfidenceRow& row) {
        const std::string name = dataset + "/" + split;
        auto known = splits_.find(name);
        if (known == splits_.end()) known = splits_.emplace(name, findSplit(c_, dataset, split)).first;
        if (!known->second) return {{}, "the project has no set " + name};
        Statement s =
            c_.query("SELECT id, text FROM question WHERE split = ? AND row = ?", known->second->id, *row.row);
        if (!s.step()) return {{}, name + " has no row " + std::to_string(*row.row)};
        if (row.question && s.view(1) != *row.question)
            return {{}, name + " row " + std::to_string(*row.row) + " is another question: \"" + s.text(1) + "\""};
        return {{s.integer(0)}, {}};
    }

    Place byText(const std::string& dataset, const std::string& split, const std::string& text) {
        Place place;
        Statement s = c_.query(
            "SELECT q.id, q.text FROM question q JOIN split s ON s.id = q.split JOIN dataset d ON d.id = s.dataset "
            "WHERE q.text_hash = ?1 AND (?2 = '' OR d.name = ?2) AND (?3 = '' OR s.name = ?3)",
            textHash(text), dataset, split);
        while (s.step())
            if (s.view(1) == text) place.questions.push_back(s.integer(0));
        if (place.questions.empty()) place.why = "no question of the project has this text: \"" + text + "\"";
        return place;
    }

    Connection& c_;
    const ConfidenceOptions& options_;
    std::optional<std::pair<std::string, std::string>> only_;  // the project's one split
    std::map<std::string, std::optional<SplitRow>> splits_;
};

void list(std::vector<Rejected>& to, const std::filesystem::path& file, std::int64_t line, std::string reason) {
    if (to.size() < kListed) to.push_back({file.string(), line, std::move(reason)});
}

// Questions of the sets that got some confidence, but not these.
void countMissing(Connection& c, const std::map<std::int64_t, double>& values, ConfidenceReport& report) {
    std::map<std::int64_t, bool> splits;
    for (const auto& [question, value] : values)
        splits[c.integer("SELECT split FROM question WHERE id = ?", question).value()] = true;
    for (const auto& [split, used] : splits) {
        Statement s = c.query(
            "SELECT q.id, d.name, s.name, q.row FROM question q JOIN split s ON s.id = q.split JOIN dataset d ON d.id "
            "= "
            "s.dataset WHERE q.split = ? ORDER BY q.row",
            split);
        while (s.step()) {
            if (values.contains(s.integer(0))) continue;
            if (++report.missingCount <= static_cast<std::int64_t>(kListed))
                report.missing.push_back({s.text(1), s.text(2), s.integer(3)});
        }
    }
}

}  // namespace

MatchedConfidences matchConfidences(Connection& c, const std::filesystem::path& file, const ConfidenceOptions& options,
                                    ConfidenceReport& report, std::stop_token stop) {
    const Snapshot snapshot(c);
    Matcher matcher(c, options);
    MatchedConfidences result;
    std::map<std::int64_t, double> values;
    std::string firstWhy;
    const auto take = [&](ConfidenceRow&& row) {
        const Place place = matcher.find(row);
        if (place.questions.empty()) {
            ++report.unmatchedCount;
            list(report.unmatched, file, row.line, place.why);
            return;
        }
        if (!row.value) {
            ++report.withoutValue;
            return;
        }
        result.scores |= row.isScore;
        bool added = false;
        double before = 0;
        for (const std::int64_t question : place.questions) {
            const auto [at, isNew] = values.try_emplace(question, *row.value);
            added |= isNew;
            before = at->second;
        }
        if (added) {
            ++report.matched;
            return;
        }
        ++report.duplicates;
        list(report.repeated, file, row.line,
             before == *row.value ? "the question has this confidence already"
                                  : "the question has another confidence already, which stands");
    };
    const ReadReport read = readConfidences(file, options.columns, take, stop);
    report.rows = read.rows;
    report.rejectedCount = read.rejectedCount;
    report.rejected = read.rejected;
    if (values.empty()) {
        const std::string why = !report.unmatched.empty()  ? report.unmatched.front().reason
                                : !report.rejected.empty() ? report.rejected.front().reason
                                : report.rows == 0         ? "the file holds no row"
                                                           : "none of its rows has a value";
        throw InputError("no_match",
                         "nothing imported: none of the " + std::to_string(report.rows) +
                             " rows gives a question of the project a confidence (" + why + ")",
                         file.string());
    }
    report.questions = static_cast<std::int64_t>(values.size());
    countMissing(c, values, report);
    result.pairs.assign(values.begin(), values.end());
    return result;
}

}  // namespace candor::db
