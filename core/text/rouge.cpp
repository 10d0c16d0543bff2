// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/rouge.h"

#include <algorithm>
#include <string>
#include <unordered_set>
#include <vector>

#include "core/text/normalise.h"
#include "core/text/unicode.h"

namespace candor {
namespace {

using Words = std::vector<std::string_view>;

Words wordsOf(std::string_view text) {
    Words words;
    std::size_t start = 0;
    for (std::size_t at = 0, next = 0; at <= text.size(); at = next) {
        const bool gap = at == text.size() || isSpace(decodeAt(text, next));
        if (gap && at > start) words.push_back(text.substr(start, at - start));
        if (at == text.size()) break;
        if (gap) start = next;
    }
    return words;
}

double lcsF1(const Words& a, const Words& b) {
    if (a.empty() || b.empty()) return 0;
    std::vector<int> row(b.size() + 1, 0);
    for (const std::string_view word : a) {
        int diagonal = 0;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const int above = row[j];
            row[j] = word == b[j - 1] ? diagonal + 1 : std::max(above, row[j - 1]);
            diagonal = above;
        }
    }
    return 2.0 * row[b.size()] / static_cast<double>(a.size() + b.size());
}

// Sentences as the package cuts them: a segment of white space alone is a sentence with one empty word.
std::vector<Words> sentencesOf(std::string_view text) {
    std::vector<Words> sentences;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('.'), text.size());
        if (end > 0) {
            Words words = wordsOf(text.substr(0, end));
            if (words.empty()) words.emplace_back();
            sentences.push_back(std::move(words));
        }
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return sentences;
}

// Adds the words of one longest common subsequence; ties go left, as in the package.
void addCommon(const Words& a, const Words& b, std::unordered_set<std::string_view>& common) {
    const std::size_t width = b.size() + 1;
    std::vector<int> table((a.size() + 1) * width, 0);
    for (std::size_t i = 1; i <= a.size(); ++i)
        for (std::size_t j = 1; j <= b.size(); ++j)
            table[i * width + j] = a[i - 1] == b[j - 1]
                                       ? table[(i - 1) * width + j - 1] + 1
                                       : std::max(table[(i - 1) * width + j], table[i * width + j - 1]);
    for (std::size_t i = a.size(), j = b.size(); i > 0 && j > 0;) {
        if (a[i - 1] == b[j - 1]) {
            common.insert(a[i - 1]);
            --i, --j;
        } else if (table[(i - 1) * width + j] > table[i * width + j - 1]) {
            --i;
        } else {
            --j;
        }
    }
}

std::size_t distinct(const std::vector<Words>& sentences) {
    std::unordered_set<std::string_view> words;
    for (const Words& sentence : sentences) words.insert(sentence.begin(), sentence.end());
    return words.size();
}

}  // namespace

double rougeL(std::string_view a, std::string_view b) { return lcsF1(wordsOf(a), wordsOf(b)); }

double rougeLNormalised(std::string_view a, std::string_view b) {
    const std::string plainA = normalised(a), plainB = normalised(b);
    return lcsF1(splitTokens(plainA), splitTokens(plainB));
}

std::optional<double> elicalRougeL(std::string_view hypothesis, std::string_view reference) {
    const std::vector<Words> ours = sentencesOf(hypothesis), theirs = sentencesOf(reference);
    if (ours.empty() || theirs.empty()) return std::nullopt;
    std::unordered_set<std::string_view> common;
    for (const Words& expected : theirs)
        for (const Words& given : ours) addCommon(expected, given, common);
    const auto shared = static_cast<double>(common.size());
    const double precision = shared / static_cast<double>(distinct(ours));
    const double recall = shared / static_cast<double>(distinct(theirs));
    return 2 * precision * recall / (precision + recall + 1e-8);
}

}  // namespace candor
