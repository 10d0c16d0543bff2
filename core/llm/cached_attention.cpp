// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/llm/cached_attention.h"

#include <algorithm>

namespace candor::kernels {

using namespace simd;

namespace {

using Eight = float __attribute__((vector_size(32), aligned(4)));
using Four = float __attribute__((vector_size(16), aligned(4)));

CANDOR_INLINE float treeSum(const Floats& v) {
    Eight eight[2];
    std::memcpy(eight, &v, sizeof v);
    const Eight half = eight[0] + eight[1];
    Four four[2];
    std::memcpy(four, &half, sizeof half);
    const Four quarter = four[0] + four[1];
    return (quarter[0] + quarter[2]) + (quarter[1] + quarter[3]);
}

template <class T>
CANDOR_INLINE float dot(const float* q, const T* k, std::int64_t dim) {
    Floats total{};
    std::int64_t d = 0;
    for (; d + kLanes <= dim; d += kLanes) {
        Floats a, b;
        load(a, q + d);
        load(b, k + d);
        total += a * b;
    }
    float result = treeSum(total);
    for (; d < dim; ++d) result += q[d] * load1(k + d);
    return result;
}

// Scores to unscaled weights; returns their sum.
CANDOR_INLINE float weigh(float* scores, std::int64_t count) {
    float top = scores[0];
    for (std::int64_t i = 1; i < count; ++i) top = scores[i] > top ? scores[i] : top;
    for (auto i = count; i < count + kLanes; ++i) scores[i] = -1e30F;
    Floats total{};
    for (std::int64_t i = 0; i < count; i += kLanes) {
        Floats s, e;
        load(s, scores + i);
        exp(e, s - top);
        store(scores + i, e);
        total += e;
    }
    return treeSum(total);
}

template <int Blocks, class T>
CANDOR_INLINE void gather(const float* weights, std::span<const std::int32_t> rows, const T* values,
                          std::int64_t stride, float scale, float* out) {
    Floats total[Blocks];
    for (int b = 0; b < Blocks; ++b) total[b] = Floats{};
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const T* row = values + rows[i] * stride;
        for (int b = 0; b < Blocks; ++b) {
            Floats v;
            load(v, row + b * kLanes);
            total[b] += weights[i] * v;
        }
    }
    for (int b = 0; b < Blocks; ++b) store(out + b * kLanes, total[b] * scale);
}

template <class T>
CANDOR_INLINE void attend(const CachedShape& shape, const float* query, std::span<const std::int32_t> rows,
                          const T* keys, const T* values, float* scores, float* out) {
    const auto groups = shape.heads / shape.kvHeads, stride = shape.kvHeads * shape.dim, dim = shape.dim;
    for (std::int64_t head = 0; head < shape.heads; ++head) {
        const T *k = keys + head / groups * dim, *v = values + head / groups * dim;
        const float* q = query + head * dim;
        for (std::size_t i = 0; i < rows.size(); ++i) scores[i] = dot(q, k + rows[i] * stride, dim);
        const float scale = 1 / weigh(scores, static_cast<std::int64_t>(rows.size()));
        float* to = out + head * dim;
        std::int64_t d = 0;
        for (; d + 4 * kLanes <= dim; d += 4 * kLanes) gather<4>(scores, rows, v + d, stride, scale, to + d);
        for (; d + kLanes <= dim; d += kLanes) gather<1>(scores, rows, v + d, stride, scale, to + d);
        for (; d < dim; ++d) {
            float total = 0;
            for (std::size_t i = 0; i < rows.size(); ++i) total += scores[i] * load1(v + rows[i] * stride + d);
            to[d] = total * scale;
        }
    }
}

CANDOR_CLONES void attendFloats(const CachedShape& shape, const float* query, std::span<const std::int32_t> rows,
                                const float* keys, const float* values, float* scores, float* out) {
    attend(shape, query, rows, keys, values, scores, out);
}

CANDOR_CLONES void attendHalves(const CachedShape& shape, const float* query, std::span<const std::int32_t> rows,
                                const Bf16* keys, const Bf16* values, float* scores, float* out) {
    attend(shape, query, rows, keys, values, scores, out);
}

}  // namespace

void attendCached(const CachedShape& shape, const float* query, std::span<const std::int32_t> rows, const float* keys,
                  const float* values, float* scores, float* out) {
    attendFloats(shape, query, rows, keys, values, scores, out);
}

void attendCached(const CachedShape& shape, const float* query, std::span<const std::int32_t> rows, const Bf16* keys,
                  const Bf16* values, float* scores, float* out) {
    attendHalves(shape, query, rows, keys, values, scores, out);
}

}  // namespace candor::kernels
