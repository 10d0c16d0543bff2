// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/llm/torch/attention_plan.h"

#include <algorithm>

#include "core/llm/simd.h"

namespace candor {

namespace {

std::vector<std::int64_t> visibleKeys(const Packed& packed, std::int64_t segment) {
    std::vector<std::int64_t> path, keys;
    for (auto at = segment; at >= 0; at = packed.segments[at].parent) path.push_back(at);
    for (auto at = path.rbegin(); at != path.rend(); ++at)
        for (auto key = packed.segments[*at].begin; key < packed.segments[*at].end; ++key) keys.push_back(key);
    return keys;
}

AttentionItem::Query query(const Packed& packed, const AttentionItem& item, std::int64_t row, std::int64_t token,
                           std::int64_t window) {
    const auto& own = packed.segments[packed.segmentOf[token]];
    const auto before = static_cast<std::int64_t>(item.keys.size()) - (own.end - own.begin);
    AttentionItem::Query result{row, 0, before + token - own.begin + (packed.blind[token] ? 0 : 1)};
    while (window > 0 && result.first + 1 < result.end &&
           packed.positions[token] - packed.positions[item.keys[result.first]] >= window)
        ++result.first;
    return result;
}

}  // namespace

AttentionPlan planAttention(const Packed& packed, bool readOnly, std::int64_t window) {
    AttentionPlan plan;
    plan.tokens = packed.tokens();
    plan.queries = readOnly ? static_cast<std::int64_t>(packed.read.size()) : packed.tokens();
    std::vector<std::vector<std::int64_t>> rows(packed.segments.size());
    for (std::int64_t row = 0; row < plan.queries; ++row)
        rows[packed.segmentOf[readOnly ? packed.read[row] : row]].push_back(row);
    for (std::size_t segment = 0; segment < rows.size(); ++segment) {
        if (rows[segment].empty()) continue;
        AttentionItem item;
        item.keys = visibleKeys(packed, static_cast<std::int64_t>(segment));
        for (const auto row : rows[segment])
            item.queries.push_back(query(packed, item, row, readOnly ? packed.read[row] : row, window));
        item.width = simd::roundUp(static_cast<std::int64_t>(item.keys.size()));
        item.offset = plan.probabilities;
        plan.probabilities += item.width * static_cast<std::int64_t>(item.queries.size());
        plan.items.push_back(std::move(item));
    }
    return plan;
}

}  // namespace candor
