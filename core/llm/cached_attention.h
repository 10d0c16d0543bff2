// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <span>

#include "core/llm/simd.h"

// Attention of single queries to keys that lie scattered in a cache, without copying them; fp32 arithmetic.
namespace candor::kernels {

struct CachedShape {
    std::int64_t heads = 0, kvHeads = 0, dim = 0;
};

// One query (scaled and rotated, `heads` heads of `dim` values) and the cache rows that it sees, in order. Cache rows
// hold `kvHeads` heads. `scores` has room for 16 values more than `rows`. The result depends on these alone.
void attendCached(const CachedShape& shape, const float* query, std::span<const std::int32_t> rows, const float* keys,
                  const float* values, float* scores, float* out);
void attendCached(const CachedShape& shape, const float* query, std::span<const std::int32_t> rows,
                  const simd::Bf16* keys, const simd::Bf16* values, float* scores, float* out);

}  // namespace candor::kernels
