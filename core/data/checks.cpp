// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/checks.h"

#include <algorithm>
#include <unordered_set>

#include "core/text/match.h"
#include "core/text/normalise.h"

namespace candor {
namespace {

// FNV-1a over 64 bits with a finishing mix; two seeds make 128 bits, enough to tell texts apart.
std::uint64_t hash64(std::string_view text, std::uint64_t seed) {
    std::uint64_t h = 0xcbf29ce484222325u ^ seed;
    for (const char c : text) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
    h ^= h >> 33;
    h *= 0xff51afd7ed558ccdu;
    return h ^ h >> 33;
}

constexpr std::uint64_t kSecondSeed = 0x9e3779b97f4a7c15u;

}  // namespace

RowFindings checkRow(std::string_view question, std::span<const std::string> gold) {
    RowFindings found;
    found.noGold = gold.empty();
    const std::string asked = normalised(question);
    for (const std::string& text : gold) {
        const std::string answer = normalised(text);
        if (answer.empty())
            found.emptyGold = true;
        else if (isFunctionWords(answer))
            found.functionWordGold = true;
        if (standsIn(answer, asked)) found.goldInQuestion = true;
    }
    return found;
}

SetChecks::Hash SetChecks::hashOf(std::string_view text) { return {hash64(text, 0), hash64(text, kSecondSeed)}; }

// Order and repetition do not matter: the hash is of the set.
SetChecks::Hash SetChecks::hashOf(std::span<const std::string> gold) {
    std::vector<std::string_view> sorted(gold.begin(), gold.end());
    std::sort(sorted.begin(), sorted.end());
    sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
    Hash h{static_cast<std::uint64_t>(sorted.size()), 0};
    for (const std::string_view text : sorted) {
        const Hash one = hashOf(text);
        h.a = (h.a ^ one.a) * kSecondSeed + one.b;
        h.b = (h.b ^ one.b) * 0xff51afd7ed558ccdu + one.a;
    }
    return h;
}

void SetChecks::add(std::string_view question, std::span<const std::string> gold) {
    ++rows_;
    const auto [place, isNew] = texts_.try_emplace(hashOf(question), Text{hashOf(gold), false});
    if (!isNew && !(place->second.gold == hashOf(gold))) place->second.conflicting = true;
    const RowFindings found = checkRow(question, gold);
    emptyGold_ += found.emptyGold;
    goldInQuestion_ += found.goldInQuestion;
    functionWordGold_ += found.functionWordGold;
    noGold_ += found.noGold;
}

std::int64_t SetChecks::conflictingDuplicates() const {
    return std::count_if(texts_.begin(), texts_.end(), [](const auto& entry) { return entry.second.conflicting; });
}

std::int64_t overlap(std::span<const std::string> train, std::span<const std::string> eval) {
    const std::unordered_set<std::string_view> seen(train.begin(), train.end());
    return std::count_if(eval.begin(), eval.end(), [&](const std::string& text) { return seen.contains(text); });
}

}  // namespace candor
