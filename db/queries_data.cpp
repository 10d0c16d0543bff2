// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/fields.h"
#include "db/answer_store.h"
#include "db/connection.h"
#include "db/pack.h"
#include "db/queries.h"
#include "db/question_store.h"
#include "db/truth.h"

namespace candor::db {
namespace {

std::optional<double> ratio(double sum, std::int64_t count) {
    return count > 0 ? std::optional(sum / static_cast<double>(count)) : std::nullopt;
}

QuestionRow readQuestion(const Statement& s) {
    return {s.integer(0),           {s.text(1), s.text(2), s.integer(3)}, s.as<Role>(4), s.as<Domain>(5), s.text(6),
            goldFromJson(s.view(7))};
}

constexpr const char* kQuestion =
    "SELECT q.id, d.name, s.name, q.row, s.role, s.domain, q.text, q.gold, q.split, q.extra FROM question q "
    "JOIN split s ON s.id = q.split JOIN dataset d ON d.id = s.dataset WHERE q.id = ?";

// Accuracy and mean share from the default truth, mean consistency from the default agreement.
void addStatistics(Connection& c, std::int64_t split, AnswerSetRow& row) {
    if (const auto source = labelSource(c, "", row.id, VerdictPart::Correctness)) {
        Statement s = c.query(
            "SELECT correctness, greedy_yes, greedy_count, share_sum, share_count FROM judgement_stat "
            "WHERE label_set = ? AND answer_set = ? AND split = ?",
            source->labelSet, row.id, split);
        if (s.step()) {
            row.judged = s.integer(0);
            row.accuracy = ratio(s.real(1), s.integer(2));
            row.meanSampleShare = ratio(s.real(3), s.integer(4));
        }
    }
    if (const auto source = labelSource(c, "", row.id, VerdictPart::Agreement)) {
        Statement s = c.query(
            "SELECT agreement_sum, agreement_count FROM judgement_stat WHERE label_set = ? AND answer_set = ? AND "
            "split = ?",
            source->labelSet, row.id, split);
        if (s.step()) row.meanConsistency = ratio(s.real(0), s.integer(1));
    }
}

void addConfidences(Connection& c, std::int64_t question, const std::string& model, QuestionDetail& detail) {
    Statement s = c.query(
        "SELECT r.id, r.method, r.budget, r.seed, c.kind, c.value FROM run r JOIN confidence c ON c.run = r.id AND "
        "c.question = ? WHERE r.model = ? ORDER BY r.id",
        question, model);
    while (s.step())
        detail.confidences.push_back(
            {s.integer(0), s.text(1), s.integer(2), s.as<int>(3), restore(s.realOrNone(5), s.as<Kind>(4))});
}

}  // namespace

std::vector<DatasetRow> datasets(Connection& c) {
    std::vector<DatasetRow> rows;
    Statement s = c.query(
        "SELECT d.name, s.name, role, domain, rows, duplicates, conflicting, empty_gold, gold_in_question, overlap, "
        "function_word_gold, near_duplicates FROM split s JOIN dataset d ON d.id = s.dataset ORDER BY s.id");
    while (s.step())
        rows.push_back({s.text(0), s.text(1), s.as<Role>(2), s.as<Domain>(3), s.integer(4), s.integer(5), s.integer(6),
                        s.integer(7), s.integer(8), s.integer(9), s.integer(10),
                        s.isNull(11) ? std::nullopt : std::optional(s.integer(11))});
    return rows;
}

std::vector<AnswerSetRow> answerSets(Connection& c) {
    const Snapshot snapshot(c);
    std::vector<AnswerSetRow> rows;
    Statement s = c.query(
        "SELECT a.id, m.name, d.name, s.name, t.k, t.answered, s.id FROM answer_stat t JOIN answer_set a ON a.id = "
        "t.answer_set "
        "JOIN model m ON m.id = a.model JOIN split s ON s.id = t.split JOIN dataset d ON d.id = s.dataset "
        "ORDER BY a.id, s.id");
    while (s.step()) {
        AnswerSetRow row;
        row.id = s.integer(0);
        row.model = s.text(1);
        row.dataset = s.text(2);
        row.split = s.text(3);
        row.k = s.as<int>(4);
        row.answered = s.integer(5);
        addStatistics(c, s.integer(6), row);
        rows.push_back(std::move(row));
    }
    return rows;
}

std::vector<ModelRow> models(Connection& c) {
    std::vector<ModelRow> rows;
    Statement s = c.query("SELECT id, name, content_hash, path FROM model ORDER BY id");
    while (s.step()) rows.push_back({s.integer(0), s.text(1), s.text(2), s.text(3)});
    return rows;
}

std::vector<std::string> labelSets(Connection& c) {
    std::vector<std::string> names;
    Statement s = c.query("SELECT name FROM label_set ORDER BY id");
    while (s.step()) names.push_back(s.text(0));
    return names;
}

std::optional<QuestionDetail> questionDetail(Connection& c, std::int64_t question, const std::string& model,
                                             const std::string& labelSet) {
    const Snapshot snapshot(c);
    Statement s = c.query(kQuestion, question);
    if (!s.step()) return std::nullopt;
    QuestionDetail detail;
    detail.question = readQuestion(s);
    detail.model = model;
    detail.extra = s.text(9);
    if (const auto set = answerSetFor(c, model, s.integer(8))) {
        if (auto row = answerRow(c, *set, question)) {
            detail.answers = std::move(row->answer);
            if (row->extra) detail.extra = *row->extra;
        }
        const auto source = labelSource(c, labelSet, *set, VerdictPart::Correctness);
        if (source) detail.labels = labelsOf(c, *source, *set, question);
    }
    detail.extra = withoutOriginal(detail.extra);
    addConfidences(c, question, model, detail);
    return detail;
}

std::vector<QuestionRow> questions(Connection& c, const std::vector<std::int64_t>& ids) {
    const Snapshot snapshot(c);
    std::vector<QuestionRow> rows;
    rows.reserve(ids.size());
    Statement s = c.query(kQuestion);
    for (const std::int64_t id : ids) {
        s.bindAll(id);
        if (s.step()) rows.push_back(readQuestion(s));
        s.reset();
    }
    return rows;
}

}  // namespace candor::db
