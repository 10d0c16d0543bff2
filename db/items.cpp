// SPDX-License-Identifier: GPL-3.0-or-later
#include "db/items.h"

#include <cmath>
#include <map>
#include <optional>
#include <unordered_map>

#include "db/answer_store.h"
#include "db/connection.h"
#include "db/pack.h"
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

struct Source {
    std::optional<std::int64_t> answers;
    std::optional<LabelSource> correctness, agreement;
};

Source sourceFor(Connection& c, std::int64_t split, const std::string& model, const LabelChoice& labels, int k) {
    Source source;
    source.answers = answerSetFor(c, model, split, k);
    if (!source.answers) return source;
    source.correctness = labelSource(c, labels.correctness, *source.answers, VerdictPart::Correctness);
    source.agreement = labelSource(c, labels.agreement, *source.answers, VerdictPart::Agreement);
    return source;
}

void setGreedy(std::optional<Verdict> verdict, Item& item) {
    if (verdict && *verdict != Verdict::Unparsed) item.greedyCorrect = *verdict == Verdict::Yes;
}

// Columns 6 to 8 hold the judgements of label sets; what people said is read from their log.
void addLabels(Connection& c, const Statement& s, const Source& source, std::size_t k, Item& item) {
    if (source.correctness && source.correctness->human) {
        if (const auto labels = labelsOf(c, *source.correctness, *source.answers, item.id)) {
            item.sampleShare = yesShare(labels->sampleCorrect, k);
            setGreedy(labels->greedyCorrect, item);
        }
    } else {
        item.sampleShare = yesShare(unpackVerdicts(s.view(7)), k);
        if (!s.isNull(6)) setGreedy(s.as<Verdict>(6), item);
    }
    if (source.agreement && source.agreement->human) {
        if (const auto labels = labelsOf(c, *source.agreement, *source.answers, item.id))
            item.consistency = yesShare(labels->agreement, k);
    } else {
        item.consistency = yesShare(unpackVerdicts(s.view(8)), k);
    }
}

// Of the raw distribution, over all tokens of the greedy answer; without tokens there is none.
void addProbabilities(const Statement& s, Item& item) {
    const std::int64_t tokens = s.isNull(3) ? 0 : s.integer(3);
    if (tokens == 0) return;
    const double sum = restore(s.realOrNone(5), kindAt(s.integer(4), 0));
    if (std::isnan(sum)) return;
    item.prob = std::exp(sum);
    item.nProb = std::exp(sum / static_cast<double>(tokens));
}

// What imports of label-free confidences say about a split's questions, by method; of several runs the latest counts.
using ImportedScores = std::map<std::string, std::unordered_map<std::int64_t, double>>;
ImportedScores importedScores(Connection& c, const std::string& model, std::int64_t split) {
    ImportedScores scores;
    Statement runs = c.query(
        "SELECT r.id, r.method FROM run r JOIN run_state s ON s.id = r.id WHERE r.model = ? AND r.budget = 0 AND "
        "s.status = ? AND json_extract(r.settings, '$.source') = 'import' ORDER BY r.id",
        model, RunStatus::Finished);
    while (runs.step()) {
        Statement s = c.query(
            "SELECT x.question, x.kind, x.value FROM confidence x JOIN question q ON q.id = x.question "
            "WHERE x.run = ? AND q.split = ?",
            runs.integer(0), split);
        while (s.step()) scores[runs.text(1)][s.integer(0)] = restore(s.realOrNone(2), s.as<Kind>(1));
    }
    return scores;
}

// Consistency has a place of its own: it stands in where no verdicts on agreement are there to count.
void addScores(const ImportedScores& scores, bool judged, Item& item) {
    for (const auto& [method, values] : scores) {
        const auto at = values.find(item.id);
        if (at == values.end()) continue;
        if (method == "consis-sem" && !judged && !item.consistency && at->second >= 0 && at->second <= 1)
            item.consistency = at->second;
        if (method != "consis-sem") item.scores.emplace_back(method, at->second);
    }
}

}  // namespace

std::vector<std::int64_t> splitsOf(Connection& c, const std::string& set, Role role) {
    std::vector<std::int64_t> ids;
    Statement byDataset = c.query(
        "SELECT s.id FROM split s JOIN dataset d ON d.id = s.dataset WHERE d.name = ? AND s.role = ? ORDER BY s.id",
        set, role);
    while (byDataset.step()) ids.push_back(byDataset.integer(0));
    const auto slash = set.rfind('/');
    if (ids.empty() && slash != std::string::npos)
        if (const auto split = findSplit(c, set.substr(0, slash), set.substr(slash + 1))) ids.push_back(split->id);
    if (!ids.empty()) return ids;
    throw InputError("unknown_set", "the project has no " +
                                        std::string(role == Role::Train ? "training" : "evaluation") + " set \"" + set +
                                        "\"; it has " +
                                        listOf(c,
                                               "SELECT d.name || '/' || s.name || CASE s.role WHEN 0 THEN ' (train)' "
                                               "ELSE ' (eval)' END FROM split s JOIN dataset d ON d.id = s.dataset "
                                               "ORDER BY s.id"));
}

std::vector<Item> readItems(Connection& c, const std::string& set, Role role, const std::string& model,
                            const LabelChoice& labels, int k) {
    const Snapshot snapshot(c);
    if (!c.integer("SELECT id FROM model WHERE name = ?", model))
        throw InputError("unknown_model", "the project has no answers of a model \"" + model + "\"; it has " +
                                              listOf(c, "SELECT name FROM model ORDER BY id"));
    std::vector<Item> items;
    for (const std::int64_t split : splitsOf(c, set, role)) {
        const Source source = sourceFor(c, split, model, labels, k);
        const ImportedScores scores = importedScores(c, model, split);
        Statement names =
            c.query("SELECT d.name, s.name FROM split s JOIN dataset d ON d.id = s.dataset WHERE s.id = ?", split);
        names.step();
        const auto setOf = [](const std::optional<LabelSource>& l) { return l ? l->labelSet : 0; };
        Statement s = c.query(
            "SELECT q.id, q.row, q.text, a.tokens, a.kinds, a.logprob_sum, jc.greedy, jc.correct, ja.agreement FROM "
            "question q LEFT JOIN answer a ON a.question = q.id AND a.answer_set = ?1 "
            "LEFT JOIN judgement jc ON jc.label_set = ?2 AND jc.answer_set = ?1 AND jc.question = q.id "
            "LEFT JOIN judgement ja ON ja.label_set = ?3 AND ja.answer_set = ?1 AND ja.question = q.id "
            "WHERE q.split = ?4 ORDER BY q.row",
            source.answers.value_or(0), setOf(source.correctness), setOf(source.agreement), split);
        while (s.step()) {
            Item item;
            item.id = s.integer(0);
            item.key = {names.text(0), names.text(1), s.integer(1)};
            item.question = s.text(2);
            addProbabilities(s, item);
            addLabels(c, s, source, k > 0 ? static_cast<std::size_t>(k) : SIZE_MAX, item);
            addScores(scores, source.agreement.has_value(), item);
            items.push_back(std::move(item));
        }
    }
    return items;
}

}  // namespace candor::db
