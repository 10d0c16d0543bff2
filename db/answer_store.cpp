// SPDX-License-Identifier: GPL-3.0-or-later
#include "db/answer_store.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <vector>

#include "db/connection.h"
#include "db/filesystem.h"
#include "db/pack.h"

namespace candor::db {
namespace {

constexpr const char* kImportSettings = R"({"source":"import"})";

struct PackedAnswer {
    double sum = 0;
    std::int64_t kinds = 0;
    std::optional<double> sumColumn, cumulativeColumn;
    std::string tokens, logprobs, samples;

    explicit PackedAnswer(const AnswerRecord& a)
        : tokens(packTokens(a.greedyTokens)), logprobs(packDoubles(a.greedyLogprobs)), samples(packTexts(a.samples)) {
        sum = std::accumulate(a.greedyLogprobs.begin(), a.greedyLogprobs.end(), 0.0);
        kinds = packKinds(std::array{sum, a.greedyCumulative.value_or(0)});
        if (!a.greedyLogprobs.empty()) sumColumn = finite(sum);
        if (a.greedyCumulative) cumulativeColumn = finite(*a.greedyCumulative);
    }
};

std::optional<double> optionalReal(const Statement& s, int column, Kind kind) {
    if (s.isNull(column) && kind == Kind::Plain) return std::nullopt;
    return restore(s.realOrNone(column), kind);
}

// Adds (sign 1) a judgement to its split's counts, or takes it off (sign -1).
void count(Connection& c, std::int64_t labelSet, std::int64_t answerSet, std::int64_t split, const LabelRecord& l,
           int sign) {
    const auto share = yesShare(l.sampleCorrect), agreement = yesShare(l.agreement);
    const bool parsed = l.greedyCorrect && *l.greedyCorrect != Verdict::Unparsed;
    const bool yes = l.greedyCorrect == Verdict::Yes;
    const bool correctness = l.greedyCorrect || !l.sampleCorrect.empty();
    c.run(
        "INSERT INTO judgement_stat VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11) ON CONFLICT DO UPDATE SET "
        "correctness = correctness + ?4, agreement = agreement + ?5, greedy_count = greedy_count + ?6, "
        "greedy_yes = greedy_yes + ?7, share_count = share_count + ?8, share_sum = share_sum + ?9, "
        "agreement_count = agreement_count + ?10, agreement_sum = agreement_sum + ?11",
        labelSet, answerSet, split, sign * correctness, sign * !l.agreement.empty(), sign * parsed, sign * yes,
        sign * share.has_value(), sign * share.value_or(0.0), sign * agreement.has_value(),
        sign * agreement.value_or(0.0));
}

LabelRecord readLabels(const Statement& s) {
    LabelRecord labels;
    if (!s.isNull(0)) labels.greedyCorrect = s.as<Verdict>(0);
    labels.sampleCorrect = unpackVerdicts(s.view(1));
    labels.agreement = unpackVerdicts(s.view(2));
    return labels;
}

Match match(const std::optional<LabelRecord>& stored, const LabelRecord& labels) {
    if (!stored) return Match::Missing;
    Match result = Match::Equal;
    const auto part = [&](bool has, bool hasNew, bool equal) {
        if (has && hasNew && !equal) result = Match::Different;
        if (!has && hasNew && result == Match::Equal) result = Match::Missing;
    };
    part(stored->greedyCorrect.has_value(), labels.greedyCorrect.has_value(),
         stored->greedyCorrect == labels.greedyCorrect);
    part(!stored->sampleCorrect.empty(), !labels.sampleCorrect.empty(), stored->sampleCorrect == labels.sampleCorrect);
    part(!stored->agreement.empty(), !labels.agreement.empty(), stored->agreement == labels.agreement);
    return result;
}

}  // namespace

std::optional<double> yesShare(const std::vector<Verdict>& verdicts, std::size_t k) {
    const auto end = verdicts.begin() + static_cast<std::ptrdiff_t>(std::min(k, verdicts.size()));
    const auto yes = std::count(verdicts.begin(), end, Verdict::Yes);
    const auto no = std::count(verdicts.begin(), end, Verdict::No);
    if (yes + no == 0) return std::nullopt;
    return static_cast<double>(yes) / static_cast<double>(yes + no);
}

std::int64_t makeModel(Connection& c, const std::string& name) {
    c.run("INSERT INTO model(name) VALUES(?) ON CONFLICT DO NOTHING", name);
    return c.integer("SELECT id FROM model WHERE name = ?", name).value();
}

std::int64_t makeAnswerSet(Connection& c, std::int64_t model, const std::string& promptHash,
                           const std::string& settings, int k) {
    c.run(
        "INSERT INTO answer_set(model, prompt_hash, settings, k, created_ms) VALUES(?, ?, ?, ?, ?) "
        "ON CONFLICT DO UPDATE SET k = max(k, excluded.k)",
        model, promptHash, settings, k, nowMs());
    return c
        .integer("SELECT id FROM answer_set WHERE model = ? AND prompt_hash = ? AND settings = ?", model, promptHash,
                 settings)
        .value();
}

std::int64_t makeLabelSet(Connection& c, const std::string& name, const std::string& settings) {
    c.run("INSERT INTO label_set(name, settings, created_ms) VALUES(?, ?, ?) ON CONFLICT DO NOTHING", name, settings,
          nowMs());
    return c.integer("SELECT id FROM label_set WHERE name = ?", name).value();
}

std::optional<std::int64_t> importedAnswerSet(Connection& c, const std::string& model) {
    return c.integer(
        "SELECT a.id FROM answer_set a JOIN model m ON m.id = a.model WHERE m.name = ? AND "
        "a.prompt_hash = '' AND a.settings = ?",
        model, kImportSettings);
}

std::int64_t makeImportedAnswerSet(Connection& c, const std::string& model, int k) {
    return makeAnswerSet(c, makeModel(c, model), "", kImportSettings, k);
}

Match matchAnswer(Connection& c, std::int64_t answerSet, std::int64_t question, const AnswerRow& row) {
    Statement s = c.query(
        "SELECT sample_count, kinds, cumulative, greedy, extra, token_ids, logprobs, samples FROM answer JOIN "
        "answer_body "
        "ON answer = id "
        "WHERE question = ? AND answer_set = ?",
        question, answerSet);
    if (!s.step()) return Match::Missing;
    const PackedAnswer packed(row.answer);
    const auto sameText = [&](int column, const std::optional<std::string>& text) {
        return s.isNull(column) ? !text : text && s.view(column) == *text;
    };
    const bool equal = s.integer(0) == static_cast<std::int64_t>(row.answer.samples.size()) &&
                       s.integer(1) == packed.kinds && s.realOrNone(2) == packed.cumulativeColumn &&
                       sameText(3, row.answer.greedy) && sameText(4, row.extra) && s.view(5) == packed.tokens &&
                       s.view(6) == packed.logprobs && s.view(7) == packed.samples;
    return equal ? Match::Equal : Match::Different;
}

Match putAnswer(Connection& c, std::int64_t answerSet, std::int64_t question, std::int64_t split, const AnswerRow& row,
                std::optional<std::int64_t> import) {
    const AnswerRecord& a = row.answer;
    const PackedAnswer packed(a);
    c.run(
        "INSERT INTO answer(question, answer_set, tokens, sample_count, kinds, logprob_sum, cumulative, import, "
        "greedy, "
        "extra) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
        question, answerSet, a.greedyLogprobs.size(), a.samples.size(), packed.kinds, packed.sumColumn,
        packed.cumulativeColumn, import, a.greedy, row.extra);
    if (c.changes() == 0) return matchAnswer(c, answerSet, question, row);
    c.run("INSERT INTO answer_body(answer, token_ids, logprobs, samples) VALUES(?, ?, ?, ?)", c.lastId(),
          Blob{packed.tokens}, Blob{packed.logprobs}, Blob{packed.samples});
    c.run(
        "INSERT INTO answer_stat VALUES(?1, ?2, 1, ?3) ON CONFLICT DO UPDATE SET answered = answered + 1, k = max(k, "
        "?3)",
        answerSet, split, a.samples.size());
    return Match::Missing;
}

std::optional<AnswerRow> answerRow(Connection& c, std::int64_t answerSet, std::int64_t question) {
    Statement s = c.query(
        "SELECT kinds, cumulative, greedy, extra, token_ids, logprobs, samples FROM answer JOIN answer_body ON answer "
        "= id "
        "WHERE question = ? AND answer_set = ?",
        question, answerSet);
    if (!s.step()) return std::nullopt;
    AnswerRow row;
    row.answer.greedyCumulative = optionalReal(s, 1, kindAt(s.integer(0), 1));
    if (!s.isNull(2)) row.answer.greedy = s.text(2);
    if (!s.isNull(3)) row.extra = s.text(3);
    row.answer.greedyTokens = unpackTokens(s.view(4));
    row.answer.greedyLogprobs = unpackDoubles(s.view(5));
    row.answer.samples = unpackTexts(s.view(6));
    return row;
}

std::optional<LabelRecord> judgement(Connection& c, std::int64_t labelSet, std::int64_t answerSet,
                                     std::int64_t question) {
    Statement s = c.query(
        "SELECT greedy, correct, agreement FROM judgement WHERE label_set = ? AND answer_set = ? AND question = ?",
        labelSet, answerSet, question);
    if (!s.step()) return std::nullopt;
    return readLabels(s);
}

Match matchJudgement(Connection& c, std::int64_t labelSet, std::int64_t answerSet, std::int64_t question,
                     const LabelRecord& labels) {
    return match(judgement(c, labelSet, answerSet, question), labels);
}

Match putJudgement(Connection& c, std::int64_t labelSet, std::int64_t answerSet, std::int64_t question,
                   std::int64_t split, const LabelRecord& labels, std::optional<std::int64_t> import) {
    const auto part = [](const std::string& bytes) {
        return bytes.empty() ? std::nullopt : std::optional(Blob{bytes});
    };
    const std::string correct = packVerdicts(labels.sampleCorrect), agreement = packVerdicts(labels.agreement);
    c.run(
        "INSERT INTO judgement(label_set, answer_set, question, greedy, correct, agreement, import) "
        "VALUES(?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
        labelSet, answerSet, question, labels.greedyCorrect, part(correct), part(agreement), import);
    if (c.changes() == 1) {
        count(c, labelSet, answerSet, split, labels, 1);
        return Match::Missing;
    }
    const auto stored = judgement(c, labelSet, answerSet, question);
    const Match found = match(stored, labels);
    if (found != Match::Missing) return found;
    count(c, labelSet, answerSet, split, *stored, -1);
    c.run(
        "UPDATE judgement SET greedy = coalesce(greedy, ?), correct = coalesce(correct, ?), "
        "agreement = coalesce(agreement, ?) WHERE label_set = ? AND answer_set = ? AND question = ?",
        labels.greedyCorrect, part(correct), part(agreement), labelSet, answerSet, question);
    count(c, labelSet, answerSet, split, judgement(c, labelSet, answerSet, question).value(), 1);
    return Match::Missing;
}

void recountAnswers(Connection& c, std::int64_t split) {
    c.run("DELETE FROM answer_stat WHERE split = ?", split);
    c.run(
        "INSERT INTO answer_stat SELECT a.answer_set, q.split, count(*), max(a.sample_count) FROM question q "
        "JOIN answer a ON a.question = q.id WHERE q.split = ? GROUP BY a.answer_set",
        split);
    c.run("DELETE FROM judgement_stat WHERE split = ?", split);
    Statement s = c.query(
        "SELECT j.greedy, j.correct, j.agreement, j.label_set, j.answer_set FROM question q "
        "JOIN judgement j ON j.question = q.id WHERE q.split = ?",
        split);
    while (s.step()) count(c, s.integer(3), s.integer(4), split, readLabels(s), 1);
}

}  // namespace candor::db
