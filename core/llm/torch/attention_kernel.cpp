// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/llm/torch/attention_kernel.h"

#include <algorithm>

#include "core/llm/simd.h"

namespace candor::kernels {

using namespace simd;

namespace {

// What one call works on: sizes, and where the rows of its key head are.
struct Work {
    const AttentionItem& item;
    std::int64_t count, width;            // keys, and rounded up
    std::int64_t dim, padded;             // of a head, and rounded up
    std::int64_t groups, rows;            // query heads of this key head, and queries times groups
    std::int64_t queryStride, keyStride;  // between rows of q and of k
    std::int64_t queryHead, keyHead;      // offsets into such rows
    std::int64_t probability;             // offset into the probabilities

    Work(const AttentionHeads& shape, const AttentionPlan& plan, const AttentionItem& it, std::int64_t head)
        : item(it),
          count(static_cast<std::int64_t>(it.keys.size())),
          width(it.width),
          dim(shape.dim),
          padded(roundUp(shape.dim)),
          groups(shape.groups()),
          rows(static_cast<std::int64_t>(it.queries.size()) * shape.groups()),
          queryStride(shape.heads * shape.dim),
          keyStride(shape.kvHeads * shape.dim),
          queryHead(head * shape.groups() * shape.dim),
          keyHead(head * shape.dim),
          probability((head * plan.probabilities + it.offset) * shape.groups()) {}

    const AttentionItem::Query& query(std::int64_t row) const { return item.queries[row / groups]; }
    std::int64_t at(std::int64_t row) const {  // of a query row's values in q, out and their gradients
        return query(row).row * queryStride + queryHead + row % groups * dim;
    }
};

// Room for a call's copies, kept by each thread; holds what was there before.
float* scratch(std::size_t index, std::int64_t count) {
    thread_local std::vector<float> rooms[6];
    auto& room = rooms[index];
    if (room.size() < static_cast<std::size_t>(count)) room.resize(count);
    return room.data();
}

// A head's values, and zeros up to whole vectors.
void copyPadded(const Work& work, const float* from, float* to) {
    std::copy_n(from, work.dim, to);
    std::fill(to + work.dim, to + work.padded, 0.0F);
}

const float* gatherKeys(const Work& work, const float* from, std::size_t index) {
    float* to = scratch(index, work.count * work.padded);
    for (std::int64_t j = 0; j < work.count; ++j)
        copyPadded(work, from + work.item.keys[j] * work.keyStride + work.keyHead, to + j * work.padded);
    return to;
}

const float* gatherTurned(const Work& work, const float* from, std::size_t index) {
    float* to = scratch(index, work.dim * work.width);
    for (std::int64_t j = 0; j < work.count; ++j) {
        const float* row = from + work.item.keys[j] * work.keyStride + work.keyHead;
        for (std::int64_t d = 0; d < work.dim; ++d) to[d * work.width + j] = row[d];
    }
    for (std::int64_t d = 0; d < work.dim; ++d)
        std::fill(to + d * work.width + work.count, to + (d + 1) * work.width, 0.0F);
    return to;
}

const float* gatherQueries(const Work& work, const float* from, std::size_t index) {
    float* to = scratch(index, work.rows * work.padded);
    for (std::int64_t row = 0; row < work.rows; ++row) copyPadded(work, from + work.at(row), to + row * work.padded);
    return to;
}

// Scores to probabilities over [first, end), zero elsewhere.
CANDOR_INLINE void softmax(float* scores, std::int64_t first, std::int64_t end, std::int64_t width) {
    float top = scores[first];
    for (auto j = first; j < end; ++j) top = std::max(top, scores[j]);
    std::fill(scores, scores + first, -1e30F);
    std::fill(scores + end, scores + width, -1e30F);
    Floats total{};
    for (std::int64_t j = 0; j < width; j += kLanes) {
        Floats s, e;
        load(s, scores + j);
        exp(e, s - top);
        store(scores + j, e);
        total += e;
    }
    const float scale = 1 / sum(total);
    for (std::int64_t j = 0; j < width; j += kLanes) {
        Floats s;
        load(s, scores + j);
        store(scores + j, s * scale);
    }
}

CANDOR_CLONES void forward(const Work& work, const float* q, const float* turnedKeys, const float* values,
                           float* weights, float* row, float* out) {
    for (std::int64_t i = 0; i < work.rows; ++i) {
        const auto& query = work.query(i);
        float* p = weights + i * work.width;
        combine(q + work.at(i), 1, work.dim, turnedKeys, work.width, work.width, p, false);
        softmax(p, query.first, query.end, work.width);
        combine(p + query.first, 1, query.end - query.first, values + query.first * work.padded, work.padded,
                work.padded, row, false);
        std::copy_n(row, work.dim, out + work.at(i));
    }
}

// The softmax's gradient of each row into `slopes`, and dq from it.
CANDOR_CLONES void backwardQueries(const Work& work, const float* dOut, const float* turnedValues, const float* keys,
                                   const float* weights, float* slopes, float* row, float* dq) {
    for (std::int64_t i = 0; i < work.rows; ++i) {
        const auto& query = work.query(i);
        const float* p = weights + i * work.width;
        float* s = slopes + i * work.width;
        combine(dOut + i * work.padded, 1, work.dim, turnedValues, work.width, work.width, s, false);
        Floats dots{};
        for (std::int64_t j = 0; j < work.width; j += kLanes) {
            Floats a, b;
            load(a, p + j);
            load(b, s + j);
            dots += a * b;
        }
        const float mean = sum(dots);
        for (std::int64_t j = 0; j < work.width; j += kLanes) {
            Floats a, b;
            load(a, p + j);
            load(b, s + j);
            store(s + j, a * (b - mean));
        }
        combine(s + query.first, 1, query.end - query.first, keys + query.first * work.padded, work.padded, work.padded,
                row, false);
        std::copy_n(row, work.dim, dq + work.at(i));
    }
}

// to[key] += sum over query rows of factors[row][key] * rows[row].
CANDOR_CLONES void backwardKeys(const Work& work, const float* factors, const float* rows, float* row, float* to) {
    for (std::int64_t j = 0; j < work.count; ++j) {
        combine(factors + j, work.width, work.rows, rows, work.padded, work.padded, row, false);
        float* target = to + work.item.keys[j] * work.keyStride + work.keyHead;
        for (std::int64_t d = 0; d < work.dim; ++d) target[d] += row[d];
    }
}

}  // namespace

void attend(const AttentionHeads& shape, const AttentionPlan& plan, const AttentionItem& item, std::int64_t keyHead,
            const float* q, const float* k, const float* v, float* probabilities, float* out) {
    const Work work(shape, plan, item, keyHead);
    const float* turnedKeys = gatherTurned(work, k, 0);
    const float* values = gatherKeys(work, v, 1);
    forward(work, q, turnedKeys, values, probabilities + work.probability, scratch(2, work.padded), out);
}

void attendBackward(const AttentionHeads& shape, const AttentionPlan& plan, const AttentionItem& item,
                    std::int64_t keyHead, const float* q, const float* k, const float* v, const float* probabilities,
                    const float* dOut, float* dq, float* dk, float* dv) {
    const Work work(shape, plan, item, keyHead);
    const float* weights = probabilities + work.probability;
    float* row = scratch(0, work.padded);
    float* slopes = scratch(1, work.rows * work.width);
    const float* dRows = gatherQueries(work, dOut, 2);
    backwardQueries(work, dRows, gatherTurned(work, v, 3), gatherKeys(work, k, 4), weights, slopes, row, dq);
    backwardKeys(work, weights, dRows, row, dv);
    backwardKeys(work, slopes, gatherQueries(work, q, 5), row, dk);
}

std::vector<std::int64_t> splitWork(const AttentionHeads& shape, const AttentionPlan& plan, std::int64_t parts) {
    double total = 0;
    for (const auto& item : plan.items)
        total += static_cast<double>(shape.kvHeads * item.width *
                                     (static_cast<std::int64_t>(item.queries.size()) * shape.groups() + 8));
    std::vector<std::int64_t> starts = {0};
    double done = 0;
    std::int64_t index = 0;
    for (const auto& item : plan.items)
        for (std::int64_t head = 0; head < shape.kvHeads; ++head) {
            done +=
                static_cast<double>(item.width * (static_cast<std::int64_t>(item.queries.size()) * shape.groups() + 8));
            ++index;
            if (done * static_cast<double>(parts) >= total * static_cast<double>(starts.size()) &&
                static_cast<std::int64_t>(starts.size()) < parts)
                starts.push_back(index);
        }
    while (static_cast<std::int64_t>(starts.size()) < parts) starts.push_back(index);
    starts.push_back(index);
    return starts;
}

}  // namespace candor::kernels
