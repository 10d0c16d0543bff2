// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/data/record.h"

// Answer sets, answers, label sets and judgements. What writes must run inside a write of the project.
namespace candor::db {

class Connection;

inline constexpr const char* kImportLabels = "import";  // label set of a file's own verdicts
inline constexpr const char* kHumanLabels = "human";    // label set that is a view of the human label log

std::int64_t makeModel(Connection& c, const std::string& name);  // finds or makes
// Finds or makes. `settings`: decoding as JSON, of generated answers with "k" in it. `k` only grows.
std::int64_t makeAnswerSet(Connection& c, std::int64_t model, const std::string& promptHash,
                           const std::string& settings, int k);
std::int64_t makeLabelSet(Connection& c, const std::string& name, const std::string& settings = "{}");

// The answer set that a file's answers of a model belong to.
std::optional<std::int64_t> importedAnswerSet(Connection& c, const std::string& model);
std::int64_t makeImportedAnswerSet(Connection& c, const std::string& model, int k);

enum class Match : std::uint8_t { Missing, Equal, Different };

// `extra`: unknown fields of the row where they are not the question's.
struct AnswerRow {
    AnswerRecord answer;
    std::optional<std::string> extra;
};
Match matchAnswer(Connection& c, std::int64_t answerSet, std::int64_t question, const AnswerRow& row);
// Stores what is missing; throws nothing for Different and changes nothing then. `split` is the question's.
Match putAnswer(Connection& c, std::int64_t answerSet, std::int64_t question, std::int64_t split, const AnswerRow& row,
                std::optional<std::int64_t> import = {});
std::optional<AnswerRow> answerRow(Connection& c, std::int64_t answerSet, std::int64_t question);

// A stored judgement without a part (say, agreement) takes that part from a later one: Missing. Different: both have
// a part and disagree.
Match matchJudgement(Connection& c, std::int64_t labelSet, std::int64_t answerSet, std::int64_t question,
                     const LabelRecord& labels);
Match putJudgement(Connection& c, std::int64_t labelSet, std::int64_t answerSet, std::int64_t question,
                   std::int64_t split, const LabelRecord& labels, std::optional<std::int64_t> import = {});
std::optional<LabelRecord> judgement(Connection& c, std::int64_t labelSet, std::int64_t answerSet,
                                     std::int64_t question);

// Counts a split's answers and judgements again (they are kept up to date otherwise).
void recountAnswers(Connection& c, std::int64_t split);

// Share of Yes among the first k parsed verdicts; none if there is none.
std::optional<double> yesShare(const std::vector<Verdict>& verdicts, std::size_t k = SIZE_MAX);

}  // namespace candor::db
