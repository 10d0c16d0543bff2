// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <vector>

#include "core/llm/torch/packing.h"

namespace candor {

// The queries of one segment and the keys that they see: its ancestors' tokens and its own, in order of position.
struct AttentionItem {
    std::vector<std::int64_t> keys;  // packed tokens
    struct Query {
        std::int64_t row;    // of the query matrix
        std::int64_t first;  // sees keys [first, end)
        std::int64_t end;
    };
    std::vector<Query> queries;
    std::int64_t width = 0;   // keys rounded up to whole vectors: the row length of its probabilities
    std::int64_t offset = 0;  // of its probabilities, for one head
};

// Which query sees which key, for all heads of all layers of a pass. Query rows are the packed tokens, or the rows of
// `Packed::read`.
struct AttentionPlan {
    std::vector<AttentionItem> items;
    std::int64_t probabilities = 0;  // values for one head
    std::int64_t queries = 0, tokens = 0;
};

// `window`: tokens a position sees, itself included; 0: all before it.
AttentionPlan planAttention(const Packed& packed, bool readOnly, std::int64_t window = 0);

}  // namespace candor
