// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/match.h"

#include <algorithm>
#include <array>

#include "core/text/normalise.h"
#include "core/text/unicode.h"

namespace candor {
namespace {

// Sorted; the list of the rule `core`.
constexpr std::array<std::string_view, 57> kFunctionWords = {
    "also", "and",  "are",   "as",    "at",    "be",    "been",  "being", "but", "by",  "called", "did",
    "do",   "does", "for",   "from",  "had",   "has",   "have",  "he",    "her", "his", "how",    "i",
    "in",   "is",   "it",    "its",   "known", "name",  "not",   "of",    "on",  "one", "or",     "s",
    "she",  "than", "that",  "their", "then",  "there", "they",  "this",  "to",  "was", "we",     "were",
    "what", "when", "where", "which", "who",   "whom",  "whose", "with",  "you"};

bool isFunctionWord(std::string_view token) {
    return std::binary_search(kFunctionWords.begin(), kFunctionWords.end(), token);
}

// "isn't" has become "isn t".
bool isNegation(std::string_view token) {
    return token == "not" || token == "never" || token == "t" || token == "cannot" || token == "nor";
}

std::vector<std::string> normalisedAll(std::span<const std::string> texts) {
    std::vector<std::string> all;
    all.reserve(texts.size());
    for (const std::string& text : texts) all.push_back(normalised(text));
    return all;
}

// Size of the multiset intersection.
std::size_t common(std::vector<std::string_view> a, std::vector<std::string_view> b) {
    std::sort(a.begin(), a.end());
    std::sort(b.begin(), b.end());
    std::size_t count = 0;
    for (auto i = a.begin(), j = b.begin(); i != a.end() && j != b.end();) {
        if (*i < *j) {
            ++i;
        } else if (*j < *i) {
            ++j;
        } else {
            ++count, ++i, ++j;
        }
    }
    return count;
}

}  // namespace

bool containsNormalised(std::span<const std::string> gold, std::string_view answer) {
    return std::any_of(gold.begin(), gold.end(), [&](const std::string& g) {
        if (g == "yes" || g == "no") return answer.substr(0, answer.find(' ')) == g;
        return standsIn(g, answer);
    });
}

bool containsAnswer(std::span<const std::string> gold, std::string_view answer) {
    return containsNormalised(normalisedAll(gold), normalised(answer));
}

std::optional<Found> findAnswer(std::span<const std::string> gold, std::string_view answer) {
    const std::string text = normalised(answer);
    const std::vector<std::string_view> tokens = splitTokens(text);
    for (std::size_t i = 0; i < gold.size(); ++i) {
        const std::string wanted = normalised(gold[i]);
        if (!containsNormalised(std::span(&wanted, 1), text)) continue;
        const std::vector<std::string_view> part = splitTokens(wanted);
        bool negated = true;
        for (auto at = tokens.begin(); at != tokens.end(); ++at) {
            at = std::search(at, tokens.end(), part.begin(), part.end());
            if (at == tokens.end()) break;
            const auto before = at - std::min<std::ptrdiff_t>(2, at - tokens.begin());
            negated &= std::any_of(before, at, isNegation);
        }
        return Found{i, negated};
    }
    return std::nullopt;
}

bool exactMatch(std::span<const std::string> gold, std::string_view answer) {
    const std::string given = normalised(answer);
    return !given.empty() &&
           std::any_of(gold.begin(), gold.end(), [&](const std::string& g) { return normalised(g) == given; });
}

double tokenF1(std::span<const std::string> gold, std::string_view answer) {
    const std::string given = normalised(answer);
    const std::vector<std::string_view> tokens = splitTokens(given);
    double best = 0;
    for (const std::string& text : normalisedAll(gold)) {
        const std::vector<std::string_view> expected = splitTokens(text);
        if (expected.empty() || tokens.empty()) continue;
        const double both = static_cast<double>(expected.size() + tokens.size());
        best = std::max(best, 2.0 * static_cast<double>(common(expected, tokens)) / both);
    }
    return best;
}

std::string_view firstSentence(std::string_view answer) {
    const auto ends = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == ')' || c == '"' || c == '\'';
    };
    for (std::size_t i = 0; i < answer.size(); ++i) {
        const char c = answer[i];
        if (c == '\n') return answer.substr(0, i);
        if ((c != '.' && c != '!' && c != '?') || i == 0 || !ends(answer[i - 1])) continue;
        std::size_t next = i + 1;
        if (next == answer.size() || isSpace(decodeAt(answer, next))) return answer.substr(0, i + 1);
    }
    return answer;
}

CoreRule::CoreRule(std::string_view question) {
    const std::string asked = normalised(question);
    for (const std::string_view token : splitTokens(asked)) questionTokens_.emplace_back(token);
    std::sort(questionTokens_.begin(), questionTokens_.end());
}

std::string CoreRule::core(std::string_view answer) const {
    const std::string sentence = normalised(firstSentence(answer));
    std::string core;
    for (const std::string_view token : splitTokens(sentence)) {
        if (isFunctionWord(token) || std::binary_search(questionTokens_.begin(), questionTokens_.end(), token))
            continue;
        if (!core.empty()) core.push_back(' ');
        core.append(token);
    }
    return core;
}

std::string coreOf(std::string_view question, std::string_view answer) { return CoreRule(question).core(answer); }

bool isFunctionWords(std::string_view text) {
    const std::vector<std::string_view> tokens = splitTokens(text);
    return !tokens.empty() && std::all_of(tokens.begin(), tokens.end(), isFunctionWord);
}

bool coreAgrees(std::string_view a, std::string_view b) {
    if (a.empty() || b.empty()) return a.empty() && b.empty();
    if (standsIn(a, b) || standsIn(b, a)) return true;
    const std::vector<std::string_view> tokensA = splitTokens(a), tokensB = splitTokens(b);
    return 5 * common(tokensA, tokensB) >= tokensA.size() + tokensB.size();
}

bool elicalHasAnswer(std::span<const std::string> gold, std::string_view answer) {
    const std::vector<std::string> text = elicalTokens(elicalNormalised(answer));
    return std::any_of(gold.begin(), gold.end(), [&](const std::string& g) {
        const std::vector<std::string> tokens = elicalTokens(elicalNormalised(g));
        return std::search(text.begin(), text.end(), tokens.begin(), tokens.end()) != text.end() || tokens.empty();
    });
}

bool elicalExactMatch(std::span<const std::string> gold, std::string_view answer) {
    const std::string given = elicalNormalised(answer);
    return std::any_of(gold.begin(), gold.end(), [&](const std::string& g) { return elicalNormalised(g) == given; });
}

double elicalTokenF1(std::span<const std::string> gold, std::string_view answer) {
    const std::string given = elicalNormalised(answer);
    const std::vector<std::string_view> tokens = splitTokens(given);
    double best = 0;
    for (const std::string& g : gold) {
        const std::string text = elicalNormalised(g);
        const std::vector<std::string_view> expected = splitTokens(text);
        if (expected.empty() && tokens.empty()) best = 1;
        if (expected.empty() || tokens.empty()) continue;
        const double both = static_cast<double>(expected.size() + tokens.size());
        best = std::max(best, 2.0 * static_cast<double>(common(expected, tokens)) / both);
    }
    return best;
}

}  // namespace candor
