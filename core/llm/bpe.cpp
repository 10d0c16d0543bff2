// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/llm/bpe.h"

#include <mutex>
#include <queue>

#include "core/error.h"
#include "core/llm/byte_level.h"

namespace candor {

namespace {

constexpr std::size_t kLongestCached = 64;
constexpr std::size_t kCacheSize = 1 << 17;

std::uint64_t pairKey(std::int32_t left, std::int32_t right) {
    return static_cast<std::uint64_t>(static_cast<std::uint32_t>(left)) << 32 | static_cast<std::uint32_t>(right);
}

}  // namespace

Bpe::Bpe(const BpeParts& parts) : ignoreMerges_(parts.ignoreMerges), fuseUnknown_(parts.fuseUnknown) {
    const auto& vocabulary = parts.vocabulary;
    const auto idOf = [&](const std::string& token) {
        const auto found = vocabulary.find(token);
        if (found == vocabulary.end()) throw Error("a merge needs the token \"" + token.substr(0, 100) + "\"");
        return found->second;
    };
    for (int byte = 0; byte < 256; ++byte) {
        const char c = static_cast<char>(byte);
        const auto found = vocabulary.find(spellingOfBytes({&c, 1}));
        ofByte_[byte] = found == vocabulary.end() ? -1 : found->second;
    }
    if (parts.unknown) unknown_ = idOf(*parts.unknown);
    merges_.reserve(parts.merges.size());
    std::int32_t rank = 0;
    for (const auto& [left, right] : parts.merges)
        merges_.insert_or_assign(pairKey(idOf(left), idOf(right)), Merge{rank++, idOf(left + right)});
    if (!ignoreMerges_) return;
    ofBytes_.reserve(vocabulary.size());
    for (const auto& [token, id] : vocabulary)
        if (auto bytes = bytesOfSpelling(token)) ofBytes_.emplace(std::move(*bytes), id);
}

void Bpe::encode(std::string_view piece, std::vector<std::int32_t>& ids) const {
    if (piece.empty()) return;
    if (ignoreMerges_) {
        if (const auto found = ofBytes_.find(piece); found != ofBytes_.end()) {
            ids.push_back(found->second);
            return;
        }
    }
    const bool cached = piece.size() <= kLongestCached;
    if (cached) {
        const std::shared_lock lock(mutex_);
        if (const auto found = cache_.find(piece); found != cache_.end()) {
            ids.insert(ids.end(), found->second.begin(), found->second.end());
            return;
        }
    }
    std::vector<std::int32_t> result = merged(piece);
    ids.insert(ids.end(), result.begin(), result.end());
    if (!cached) return;
    const std::unique_lock lock(mutex_);
    if (cache_.size() < kCacheSize) cache_.emplace(std::string(piece), std::move(result));
}

// A byte that has no token of its own is left out, or becomes the unknown token where there is one: one for each
// character, as Hugging Face does (it looks up the characters of the byte alphabet, which are bytes here).
std::vector<std::int32_t> Bpe::symbols(std::string_view piece) const {
    std::vector<std::int32_t> ids;
    ids.reserve(piece.size());
    bool fused = false;
    for (const char c : piece) {
        const std::int32_t id = ofByte_[static_cast<unsigned char>(c)];
        if (id >= 0) ids.push_back(id);
        if (id < 0 && unknown_ >= 0 && !(fuseUnknown_ && fused)) ids.push_back(unknown_);
        fused = id < 0;
    }
    return ids;
}

const Bpe::Merge* Bpe::mergeOf(std::int32_t left, std::int32_t right) const {
    const auto found = merges_.find(pairKey(left, right));
    return found == merges_.end() ? nullptr : &found->second;
}

std::vector<std::int32_t> Bpe::merged(std::string_view piece) const {
    std::vector<std::int32_t> ids = symbols(piece);
    const auto count = static_cast<std::int32_t>(ids.size());
    std::vector<std::int32_t> previous(ids.size()), next(ids.size());
    struct Candidate {
        std::int32_t rank, at, left, right, id;
        bool operator>(const Candidate& other) const { return rank != other.rank ? rank > other.rank : at > other.at; }
    };
    std::priority_queue<Candidate, std::vector<Candidate>, std::greater<>> queue;
    const auto consider = [&](std::int32_t at) {
        if (at < 0 || next[at] >= count) return;
        if (const Merge* merge = mergeOf(ids[at], ids[next[at]]))
            queue.push({merge->rank, at, ids[at], ids[next[at]], merge->id});
    };
    for (std::int32_t i = 0; i < count; ++i) previous[i] = i - 1, next[i] = i + 1;
    for (std::int32_t i = 0; i < count; ++i) consider(i);
    while (!queue.empty()) {
        const Candidate best = queue.top();
        queue.pop();
        // Either side may have been merged since: the ids tell (a swallowed symbol is -1).
        if (ids[best.at] != best.left || next[best.at] >= count || ids[next[best.at]] != best.right) continue;
        const std::int32_t gone = next[best.at];
        ids[best.at] = best.id;
        ids[gone] = -1;
        next[best.at] = next[gone];
        if (next[gone] < count) previous[next[gone]] = best.at;
        consider(previous[best.at]);
        consider(best.at);
    }
    std::erase(ids, -1);
    return ids;
}

}  // namespace candor
