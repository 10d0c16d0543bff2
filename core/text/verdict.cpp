// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/verdict.h"

#include <algorithm>
#include <array>

#include "core/text/match.h"
#include "core/text/unicode.h"

namespace candor {
namespace {

constexpr std::array<std::string_view, 13> kNegations = {
    "not", "un", "non", "no", "never", "nor", "neither", "t", "cannot", "hardly", "barely", "without", "nt"};

// Calls `word` for each run of letters, marks and digits, lower case, with whether a sentence ended before it.
template <typename Word>
void eachWord(std::string_view text, const Word& word) {
    std::string current;
    bool ended = false;
    const auto flush = [&] {
        if (current.empty()) return;
        word(current, ended);
        current.clear();
        ended = false;
    };
    for (std::size_t at = 0; at < text.size();) {
        const char32_t c = decodeAt(text, at);
        const Category k = category(c);
        if (isLetter(k) || isMark(k) || isNumber(k)) {
            appendUtf8(current, lower(c));
            continue;
        }
        flush();
        if (c == '.' || c == '!' || c == '?' || c == ';' || c == '\n') ended = true;
    }
    flush();
}

bool contains(std::span<const std::string> words, std::string_view word) {
    return std::any_of(words.begin(), words.end(), [&](const std::string& w) { return lower(w) == word; });
}

}  // namespace

VerdictWords correctnessWords() { return {{"certain", "correct"}, {"uncertain", "incorrect"}}; }

ParsedVerdict parseVerdict(std::string_view reply, const VerdictWords& words) {
    ParsedVerdict out;
    bool negated = false, refused = false;
    eachWord(nfkc(reply), [&](std::string_view word, bool sentenceEnded) {
        if (sentenceEnded) negated = false;
        const bool no = contains(words.no, word);
        if (no || contains(words.yes, word)) {
            const Verdict said = no ? Verdict::No : Verdict::Yes;
            if (refused) return;
            if (out.verdict != Verdict::Unparsed)
                out.contradiction |= said != out.verdict && !negated;
            else if (negated)
                refused = true;
            else
                out.verdict = said;
        } else if (std::find(kNegations.begin(), kNegations.end(), word) != kNegations.end()) {
            negated = true;
        }
    });
    return out;
}

ParsedVerdict parseVerdict(const std::optional<std::string>& reply, const VerdictWords& words) {
    return reply ? parseVerdict(std::string_view(*reply), words) : ParsedVerdict{};
}

bool elicalVerdict(const std::optional<std::string>& reply) {
    static const std::array<std::string, 16> kNegative = {"sorry",
                                                          "apologize",
                                                          "apologies",
                                                          "uncertain",
                                                          "false",
                                                          "no",
                                                          "unsure",
                                                          "cannot",
                                                          "unknown",
                                                          "no specific answer",
                                                          "not provide",
                                                          "cannot answer",
                                                          "no information provided",
                                                          "no answer",
                                                          "not contain",
                                                          "no definitive answer"};
    return reply && !elicalHasAnswer(kNegative, *reply);
}

}  // namespace candor
