// SPDX-License-Identifier: GPL-3.0-or-later
#include "db/truth.h"

#include "db/answer_store.h"
#include "db/connection.h"

namespace candor::db {

std::optional<std::int64_t> answerSetFor(Connection& c, const std::string& model, std::int64_t split, int k) {
    return c.integer(
        "SELECT s.answer_set FROM answer_stat s JOIN answer_set a ON a.id = s.answer_set JOIN model m ON m.id = "
        "a.model "
        "WHERE m.name = ? AND s.split = ? ORDER BY s.k >= ? DESC, s.answered DESC, s.answer_set DESC LIMIT 1",
        model, split, k);
}

std::optional<LabelSource> labelSource(Connection& c, const std::string& name, std::int64_t answerSet,
                                       VerdictPart part) {
    if (name == kHumanLabels) return LabelSource{0, true};
    const auto has = [&](std::int64_t set) {
        return c
            .integer(
                "SELECT 1 FROM judgement_stat WHERE label_set = ?1 AND answer_set = ?2 AND "
                "CASE ?3 WHEN 0 THEN correctness ELSE agreement END > 0 LIMIT 1",
                set, answerSet, part)
            .has_value();
    };
    const bool byDefault = name.empty() || name == kImportLabels;
    const auto named = c.integer("SELECT id FROM label_set WHERE name = ?", byDefault ? kImportLabels : name);
    if (named && (!byDefault || has(*named))) return LabelSource{*named, false};
    if (!byDefault) return std::nullopt;
    Statement latest = c.query("SELECT id FROM label_set WHERE name NOT IN ('import', 'human') ORDER BY id DESC");
    while (latest.step())
        if (has(latest.integer(0))) return LabelSource{latest.integer(0), false};
    return std::nullopt;
}

std::optional<LabelRecord> labelsOf(Connection& c, const LabelSource& source, std::int64_t answerSet,
                                    std::int64_t question) {
    if (!source.human) return judgement(c, source.labelSet, answerSet, question);
    Statement s = c.query(
        "SELECT kind, sample, verdict FROM human_label h WHERE question = ?1 AND answer_set = ?2 AND verdict IS NOT "
        "NULL "
        "AND id = (SELECT max(id) FROM human_label WHERE question = ?1 AND answer_set = ?2 AND kind = h.kind AND "
        "sample = h.sample)",
        question, answerSet);
    std::optional<LabelRecord> labels;
    while (s.step()) {
        if (!labels) labels.emplace();
        const auto sample = s.integer(1);
        if (sample < 0) {
            if (s.as<VerdictPart>(0) == VerdictPart::Correctness) labels->greedyCorrect = s.as<Verdict>(2);
            continue;
        }
        auto& list = s.as<VerdictPart>(0) == VerdictPart::Correctness ? labels->sampleCorrect : labels->agreement;
        if (list.size() <= static_cast<std::size_t>(sample))
            list.resize(static_cast<std::size_t>(sample) + 1, Verdict::Unparsed);
        list[static_cast<std::size_t>(sample)] = s.as<Verdict>(2);
    }
    return labels;
}

}  // namespace candor::db
