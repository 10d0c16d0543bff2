// SPDX-License-Identifier: GPL-3.0-or-later
#include "db/export.h"

#include <chrono>
#include <vector>

#include "db/answer_store.h"
#include "db/connection.h"
#include "db/question_store.h"
#include "db/truth.h"

namespace candor::db {
namespace {

std::string listOf(Connection& c, std::string_view sql) {
    std::string names;
    Statement s = c.query(sql);
    while (s.step()) names += (names.empty() ? "" : ", ") + s.text(0);
    return names.empty() ? "none" : names;
}

std::vector<std::int64_t> splitsNamed(Connection& c, const std::string& set) {
    std::vector<std::int64_t> ids;
    Statement s = c.query(
        "SELECT s.id FROM split s JOIN dataset d ON d.id = s.dataset WHERE d.name = ?1 OR d.name || '/' || s.name = ?1 "
        "ORDER BY d.name <> ?1, s.id",
        set);
    while (s.step()) ids.push_back(s.integer(0));
    if (ids.empty())
        throw InputError("unknown_set", "the project has no dataset \"" + set + "\"; it has " +
                                            listOf(c, "SELECT name FROM dataset ORDER BY id"));
    return ids;
}

class Exporter {
  public:
    Exporter(Connection& c, const ExportOptions& options) : c_(c), options_(options) {
        if (options.model.empty()) return;
        if (!c.integer("SELECT id FROM model WHERE name = ?", options.model))
            throw InputError("unknown_model", "the project has no answers of a model \"" + options.model +
                                                  "\"; it has " + listOf(c, "SELECT name FROM model ORDER BY id"));
    }

    // Answers of the import before generated ones: those are what came in.
    void begin(std::int64_t split) {
        answers_ = importedAnswerSet(c_, options_.model);
        if (answers_ && !c_.integer("SELECT 1 FROM answer_stat WHERE answer_set = ? AND split = ?", *answers_, split))
            answers_.reset();
        if (!answers_) answers_ = answerSetFor(c_, options_.model, split);
        labels_.reset();
        if (options_.labels == kHumanLabels) {
            labels_ = LabelSource{0, true};
        } else if (const auto id = c_.integer("SELECT id FROM label_set WHERE name = ?", options_.labels)) {
            labels_ = LabelSource{*id, false};
        } else if (options_.labels != kImportLabels) {
            throw InputError("unknown_labels", "the project has no label set \"" + options_.labels + "\"; it has " +
                                                   listOf(c_, "SELECT name FROM label_set ORDER BY id"));
        }
    }

    // Whether the row belongs to the model's file: it has an answer, or came with an import of that model.
    bool fill(const Statement& question, Record& record) {
        record = {};
        const std::int64_t id = question.integer(0);
        record.line = question.integer(1) + 1;
        record.question = question.text(2);
        record.gold = goldFromJson(question.view(3));
        record.extra = question.text(4);
        if (options_.model.empty()) return true;
        auto row = answers_ ? answerRow(c_, *answers_, id) : std::nullopt;
        if (!row) return question.text(5) == options_.model;
        record.answers = std::move(row->answer);
        if (row->extra) record.extra = std::move(*row->extra);
        if (labels_) record.labels = labelsOf(c_, *labels_, *answers_, id);
        return true;
    }

  private:
    Connection& c_;
    const ExportOptions& options_;
    std::optional<std::int64_t> answers_;
    std::optional<LabelSource> labels_;
};

}  // namespace

ExportReport exportRecords(Connection& c, const ExportOptions& options, const std::function<void(const Record&)>& take,
                           const EventSink& events, std::stop_token stop) {
    using Clock = std::chrono::steady_clock;
    const Snapshot snapshot(c);
    Exporter exporter(c, options);
    const auto splits = splitsNamed(c, options.dataset);
    Event progress{.kind = EventKind::Progress, .text = "rows", .stage = "export"};
    for (const std::int64_t split : splits)
        progress.total += c.integer("SELECT rows FROM split WHERE id = ?", split).value_or(0);
    const auto start = Clock::now();
    auto last = start;
    ExportReport report;
    Record record;
    for (const std::int64_t split : splits) {
        exporter.begin(split);
        Statement s = c.query(
            "SELECT q.id, q.row, q.text, q.gold, q.extra, i.model FROM question q LEFT JOIN import i ON i.id = "
            "q.import WHERE q.split = ? ORDER BY q.row",
            split);
        while (s.step()) {
            if (stop.stop_requested()) throw Stopped("the export was stopped; nothing was written");
            if (exporter.fill(s, record)) {
                take(record);
                ++report.rows;
            } else {
                ++report.without;
            }
            ++progress.done;
            if (!events || Clock::now() - last < std::chrono::milliseconds(100)) continue;
            last = Clock::now();
            progress.rate = static_cast<double>(progress.done) / std::chrono::duration<double>(last - start).count();
            events(progress);
        }
    }
    return report;
}

}  // namespace candor::db
