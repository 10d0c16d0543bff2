// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace candor {

// All functions here are pure and reentrant.

// Rule `contains`: some gold answer's normalised tokens stand contiguously in the answer's. Gold answers that normalise
// to nothing are ignored; a gold answer yes or no must be the answer's first token.
bool containsAnswer(std::span<const std::string> gold, std::string_view answer);
// The same over a normalised answer, for callers that judge many answers of one question.
bool containsNormalised(std::span<const std::string> normalisedGold, std::string_view normalisedAnswer);

// What rule `contains` found, for the eyes of a judge.
struct Found {
    std::size_t gold = 0;  // which gold answer; 0 is the main one, the others are aliases
    bool negated = false;  // every place has a negation in the two words before it ("not Mark Twain")
};
std::optional<Found> findAnswer(std::span<const std::string> gold, std::string_view answer);

// Rule `exact`: equal after normalisation and not empty.
bool exactMatch(std::span<const std::string> gold, std::string_view answer);
// Best token F1 over the gold answers, bags of normalised tokens; 0 where one side is empty.
double tokenF1(std::span<const std::string> gold, std::string_view answer);

// The part of an answer that rule `core` reads: up to the first line break or the first . ! ? that follows one of
// [a-z0-9)"'] and stands before white space or the end.
std::string_view firstSentence(std::string_view answer);
// Rule `core` for the answers to one question. An answer's core is its normalised first sentence without the question's
// tokens and without function words.
class CoreRule {
  public:
    explicit CoreRule(std::string_view question);
    std::string core(std::string_view answer) const;

  private:
    std::vector<std::string> questionTokens_;  // sorted
};
// The same for a single answer.
std::string coreOf(std::string_view question, std::string_view answer);
// Whether a normalised text consists of function words only (the list of rule `core`); false for "".
bool isFunctionWords(std::string_view normalisedText);
// Two cores agree: one stands contiguously in the other, or 5c >= n + m (F1 of 0.4); empty only with empty.
bool coreAgrees(std::string_view coreA, std::string_view coreB);

// The paper's has_answer. A gold answer that normalises to nothing matches every text.
bool elicalHasAnswer(std::span<const std::string> gold, std::string_view answer);
// Its exact match and token F1 (both empty: 1), which the paper's pipeline has and does not use.
bool elicalExactMatch(std::span<const std::string> gold, std::string_view answer);
double elicalTokenF1(std::span<const std::string> gold, std::string_view answer);

}  // namespace candor
