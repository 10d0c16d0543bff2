// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace candor {

// One prompt as token ids. With `padPosition` >= 0 it is read at one more token, `padId` at that position, which
// sees the prompt's tokens but not itself: what a right-padded batch reads at its last position.
struct TokenRow {
    std::vector<std::int32_t> ids;
    std::int64_t padPosition = -1;
    std::int32_t padId = 0;
    std::size_t size() const { return ids.size() + (padPosition >= 0 ? 1 : 0); }
};

// A run of packed tokens that the same rows share. It sees its ancestors' tokens and its own, causally.
struct Segment {
    std::int64_t begin = 0, end = 0;  // packed tokens
    std::int64_t parent = -1;         // an earlier segment; -1: starts a prompt
};

// Several prompts without padding, each distinct prefix once: tokens with equal history have equal hidden states, so
// computing them once is exact, and so is their gradient, summed over the rows that use them.
struct Packed {
    std::vector<std::int64_t> ids, positions;  // one a packed token
    std::vector<std::uint8_t> blind;           // 1: does not see itself (a pad read-out)
    std::vector<Segment> segments;             // parents before children
    std::vector<std::int64_t> read;            // one a row: the packed token that it is read at
    std::vector<std::int64_t> segmentOf;       // one a packed token
    std::int64_t tokens() const { return static_cast<std::int64_t>(ids.size()); }
    std::int64_t longest = 0;  // highest position + 1
};

// Rows must not be empty. `read` is in the order of `rows`. With `share` false every row keeps its own tokens.
Packed pack(std::span<const TokenRow* const> rows, bool share = true);

// Groups rows so that a group packs into about `maxTokens` tokens and at most `maxRows` rows (0: no limit), rows with
// equal beginnings together. Returns indices into `rows`; every row appears once, a group has at least one.
std::vector<std::vector<std::int64_t>> planBatches(std::span<const TokenRow* const> rows, std::int64_t maxTokens,
                                                   std::int64_t maxRows = 0);

}  // namespace candor
