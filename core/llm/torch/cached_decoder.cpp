// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/llm/torch/cached_decoder.h"

#include <cmath>
#include <limits>

#include "core/llm/cached_attention.h"
#include "core/llm/kernels.h"
#include "core/llm/torch/cpu_ops.h"
#include "core/llm/torch/parallel.h"

namespace candor {

// What all layers of one pass share.
struct CachedDecoder::Pass {
    const CachedTokens& tokens;
    bool everything = true;  // every token is read
    at::Tensor own, read;    // cache row of each token; indices of the read ones
    cpu::Rotation all, atRead;
    std::int64_t window = 0;  // of sliding-window layers; 0: never binds

    // What token `index` sees in a layer.
    std::span<const std::int32_t> seen(std::size_t index, bool sliding) const {
        const auto rows = tokens.rows[index];
        const auto size = static_cast<std::size_t>(window);
        return sliding && window > 0 && rows.size() > size ? rows.last(size) : rows;
    }
};

CachedDecoder::CachedDecoder(const Decoder& decoder)
    : decoder_(decoder), head_(decoder.weights().lmHead.to(decoder.weights().dtype)) {}

std::int64_t CachedDecoder::rowBytes() const {
    const auto& c = decoder_.config();
    return std::int64_t{2} * c.layers * c.kvHeads * c.headDim * (decoder_.weights().dtype == at::kFloat ? 4 : 2);
}

void CachedDecoder::reserve(std::int64_t rows) {
    if (rows <= capacity_) return;
    const auto& c = decoder_.config();
    const auto options = at::TensorOptions(decoder_.weights().dtype).device(decoder_.weights().device);
    keys_.clear();
    values_.clear();
    for (int i = 0; i < c.layers; ++i) {
        keys_.push_back(at::empty({rows, std::int64_t{c.kvHeads} * c.headDim}, options));
        values_.push_back(at::empty_like(keys_.back()));
    }
    capacity_ = rows;
}

at::Tensor CachedDecoder::norm(const at::Tensor& x, const at::Tensor& weight, at::ScalarType type) const {
    const double eps = decoder_.config().rmsEps;
    return decoder_.plain() ? plain::rmsNorm(x, weight, eps).to(type) : cpu::rmsNorm(x, weight, eps, type);
}

at::Tensor CachedDecoder::product(const at::Tensor& x, const FrozenLinear& frozen) const {
    return decoder_.plain() ? plain::linear(x, frozen, {}, {}) : cpu::linear(x, frozen, {});
}

// [n, heads * dim] -> fp32 [n, heads, dim], normed where the model does, rotated, scaled.
at::Tensor CachedDecoder::heads(const at::Tensor& x, const at::Tensor& weight, const cpu::Rotation& turn,
                                double scale) const {
    const std::int64_t dim = decoder_.config().headDim, n = x.size(0), count = x.size(1) / dim;
    at::Tensor values = x.to(at::kFloat).reshape({n * count, dim});
    if (weight.defined()) values = norm(values, weight, at::kFloat);
    values = values.view({n, count, dim});
    if (decoder_.plain()) return plain::rotate(values, turn.cos, turn.sin) * scale;
    at::Tensor out = at::empty({n, count, dim}, at::kFloat);
    const float *from = values.data_ptr<float>(), *cos = turn.cos.data_ptr<float>(), *sin = turn.sin.data_ptr<float>();
    float* to = out.data_ptr<float>();
    parallelRows(n, 32, [&](auto begin, auto end) {
        kernels::rotate(from, count * dim, cos, sin, count, dim, 1, static_cast<float>(scale), to, count * dim, begin,
                        end);
    });
    return out;
}

at::Tensor CachedDecoder::forward(const CachedTokens& tokens) {
    const auto& weights = decoder_.weights();
    const auto& c = weights.config;
    std::vector<std::int64_t> own, positions;
    for (const auto& rows : tokens.rows) {
        own.push_back(rows.back());
        positions.push_back(static_cast<std::int64_t>(rows.size()) - 1);
    }
    const auto onDevice = [&](const std::vector<std::int64_t>& values) {
        return at::tensor(values, at::kLong).to(weights.device);
    };
    Pass pass{tokens, tokens.read.size() == tokens.ids.size(), onDevice(own), onDevice(tokens.read), {}, {}, 0};
    if (c.slidingWindow) pass.window = *c.slidingWindow;
    const at::Tensor angles = onDevice(positions).to(at::kFloat).unsqueeze(1) * decoder_.inverseFrequency();
    pass.all = {angles.cos(), angles.sin()};
    pass.atRead = {pass.all.cos.index_select(0, pass.read), pass.all.sin.index_select(0, pass.read)};
    at::Tensor x = weights.embedding.index_select(0, onDevice(tokens.ids)).to(at::kFloat);
    for (int i = 0; i < c.layers; ++i) x = layer(pass, i, x, i + 1 == c.layers && !pass.everything);
    return at::linear(norm(x, weights.finalNorm, weights.dtype), head_).to(at::kCPU, at::kFloat);
}

// In the last layer only the read tokens need more than their keys and values.
at::Tensor CachedDecoder::layer(const Pass& pass, int index, const at::Tensor& x, bool readOnly) {
    const LayerWeights& weights = decoder_.weights().layers[index];
    const auto& c = decoder_.config();
    const auto type = decoder_.weights().dtype;
    const std::int64_t queryWidth = std::int64_t{c.headDim} * c.heads, keyWidth = std::int64_t{c.headDim} * c.kvHeads;
    const at::Tensor qkv = product(norm(x, weights.inputNorm, type), weights.qkv);
    keys_[index].index_copy_(
        0, pass.own,
        heads(qkv.narrow(1, queryWidth, keyWidth), weights.keyNorm, pass.all, 1).view({x.size(0), keyWidth}).to(type));
    values_[index].index_copy_(0, pass.own, qkv.narrow(1, queryWidth + keyWidth, keyWidth));
    at::Tensor query = qkv.narrow(1, 0, queryWidth);
    if (readOnly) query = query.index_select(0, pass.read);
    query = heads(query, weights.queryNorm, readOnly ? pass.atRead : pass.all, 1 / std::sqrt(double(c.headDim)));
    const at::Tensor residual = readOnly ? x.index_select(0, pass.read) : x;
    const at::Tensor middle = residual + product(attention(pass, index, query, readOnly).to(type), weights.o);
    const at::Tensor inner = product(norm(middle, weights.postNorm, type), weights.gateUp);
    return middle + product(decoder_.plain() ? plain::swiGlu(inner) : cpu::swiGlu(inner), weights.down);
}

// query fp32 [n, heads, dim], scaled -> fp32 [n, heads * dim].
at::Tensor CachedDecoder::attention(const Pass& pass, int index, const at::Tensor& query, bool readOnly) const {
    const auto& c = decoder_.config();
    const std::int64_t n = query.size(0), dim = c.headDim, groups = c.heads / c.kvHeads;
    const bool sliding = c.slidingLayers.empty() || c.slidingLayers[index];
    const auto seen = [&](std::int64_t i) { return pass.seen(readOnly ? pass.tokens.read[i] : i, sliding); };
    std::size_t longest = 0;
    for (std::int64_t i = 0; i < n; ++i) longest = std::max(longest, seen(i).size());
    if (decoder_.plain()) {
        const auto width = static_cast<std::int64_t>(longest);
        at::Tensor rows = at::zeros({n, width}, at::kLong);
        at::Tensor mask = at::full({n, 1, 1, width}, -std::numeric_limits<float>::infinity());
        for (std::int64_t i = 0; i < n; ++i) {
            const auto keys = seen(i);
            std::copy(keys.begin(), keys.end(), rows.data_ptr<std::int64_t>() + i * width);
            std::fill_n(mask.data_ptr<float>() + i * width, keys.size(), 0.0F);
        }
        rows = rows.flatten().to(query.device());
        const auto chosen = [&](const at::Tensor& cache) {  // [n, kvHeads, keys, dim]
            return cache.index_select(0, rows).to(at::kFloat).view({n, width, c.kvHeads, dim}).transpose(1, 2);
        };
        const at::Tensor scores =
            at::matmul(query.view({n, c.kvHeads, groups, dim}), chosen(keys_[index]).transpose(2, 3));
        const at::Tensor shares = at::softmax(scores + mask.to(query.device()), -1);
        return at::matmul(shares, chosen(values_[index])).reshape({n, c.heads * dim});
    }
    at::Tensor out = at::empty({n, c.heads * dim}, at::kFloat);
    const kernels::CachedShape shape{c.heads, c.kvHeads, dim};
    const float* q = query.data_ptr<float>();
    float* to = out.data_ptr<float>();
    const auto run = [&](const auto* keys, const auto* values) {
        parallelRows(n, 1, [&](auto begin, auto end) {
            std::vector<float> scores(longest + simd::kLanes);
            for (auto i = begin; i < end; ++i)
                kernels::attendCached(shape, q + i * c.heads * dim, seen(i), keys, values, scores.data(),
                                      to + i * c.heads * dim);
        });
    };
    const void *keys = keys_[index].data_ptr(), *values = values_[index].data_ptr();
    if (decoder_.weights().dtype == at::kBFloat16)
        run(static_cast<const simd::Bf16*>(keys), static_cast<const simd::Bf16*>(values));
    else
        run(static_cast<const float*>(keys), static_cast<const float*>(values));
    return out;
}

}  // namespace candor
