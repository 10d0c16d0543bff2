// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace candor {

// Lets a string_view be looked up without making a string.
struct TextHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
};
template <class Value>
using TextMap = std::unordered_map<std::string, Value, TextHash, std::equal_to<>>;

struct BpeParts {
    TextMap<std::int32_t> vocabulary;                         // spelling (byte alphabet) -> id
    std::vector<std::pair<std::string, std::string>> merges;  // by rank
    bool ignoreMerges = false;                                // a piece that is a token is that token
    bool fuseUnknown = false;
    std::optional<std::string> unknown;
};

// Byte-pair encoding of one piece of text. Remembers what it has encoded. Thread safe.
class Bpe {
  public:
    // Throws Error if a merge names a token that is not there.
    explicit Bpe(const BpeParts& parts);

    // Appends the ids of `piece` (raw bytes). Lowest rank first, leftmost among equals; O(n log n).
    void encode(std::string_view piece, std::vector<std::int32_t>& ids) const;

  private:
    struct Merge {
        std::int32_t rank = 0, id = 0;
    };
    std::vector<std::int32_t> merged(std::string_view piece) const;
    std::vector<std::int32_t> symbols(std::string_view piece) const;
    const Merge* mergeOf(std::int32_t left, std::int32_t right) const;

    std::array<std::int32_t, 256> ofByte_{};
    std::unordered_map<std::uint64_t, Merge> merges_;
    TextMap<std::int32_t> ofBytes_;  // only with ignoreMerges
    bool ignoreMerges_ = false, fuseUnknown_ = false;
    std::int32_t unknown_ = -1;

    mutable std::shared_mutex mutex_;
    mutable TextMap<std::vector<std::int32_t>> cache_;
};

}  // namespace candor
