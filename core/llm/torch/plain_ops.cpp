// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/llm/torch/ops.h"

namespace candor {

namespace plain {

at::Tensor rmsNorm(const at::Tensor& x, const at::Tensor& weight, double eps) {
    return x * at::rsqrt(x.pow(2).mean(-1, true) + eps) * weight;
}

at::Tensor linear(const at::Tensor& x, const FrozenLinear& frozen, const LoraParts& lora, const at::Tensor& keep) {
    const auto type = frozen.weight.scalar_type();
    const at::Tensor input = x.to(type);
    at::Tensor y = at::linear(input, frozen.weight, frozen.bias.defined() ? frozen.bias.to(type) : at::Tensor());
    if (lora.empty()) return y;
    const at::Tensor dropped = keep.defined() ? input * keep.to(type) : input;
    std::vector<at::Tensor> pieces;
    std::int64_t next = 0;
    for (const auto& part : lora) {
        if (part.offset > next) pieces.push_back(y.narrow(1, next, part.offset - next));
        const at::Tensor low = at::linear(dropped, part.a.to(type));
        pieces.push_back(y.narrow(1, part.offset, part.b.size(0)) + at::linear(low, part.b.to(type)) * part.scale);
        next = part.offset + part.b.size(0);
    }
    if (next < y.size(1)) pieces.push_back(y.narrow(1, next, y.size(1) - next));
    return pieces.size() == 1 ? pieces[0] : at::cat(pieces, 1);
}

at::Tensor swiGlu(const at::Tensor& gateUp) {
    const auto half = gateUp.size(1) / 2;
    return at::silu(gateUp.narrow(1, 0, half)) * gateUp.narrow(1, half, half);
}

at::Tensor rotate(const at::Tensor& x, const at::Tensor& cos, const at::Tensor& sin) {
    const auto half = x.size(2) / 2;
    const at::Tensor first = x.narrow(2, 0, half), second = x.narrow(2, half, half);
    const at::Tensor c = cos.unsqueeze(1), s = sin.unsqueeze(1);
    return at::cat({first * c - second * s, second * c + first * s}, 2);
}

at::Tensor attention(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v, const at::Tensor& mask) {
    const auto queries = q.size(0), heads = q.size(1), dim = q.size(2), tokens = k.size(0), kvHeads = k.size(1);
    const auto groups = heads / kvHeads;
    const at::Tensor grouped =
        q.view({queries, kvHeads, groups, dim}).permute({1, 2, 0, 3}).reshape({kvHeads, groups * queries, dim});
    at::Tensor scores = at::bmm(grouped, k.permute({1, 2, 0})) * (1.0 / std::sqrt(static_cast<double>(dim)));
    scores = scores.view({kvHeads, groups, queries, tokens}) + mask;
    const at::Tensor weights = at::softmax(scores, -1).view({kvHeads, groups * queries, tokens});
    return at::bmm(weights, v.transpose(0, 1))
        .view({kvHeads, groups, queries, dim})
        .permute({2, 0, 1, 3})
        .reshape({queries, heads * dim});
}

}  // namespace plain

at::Tensor attentionMask(const Packed& packed, const std::vector<std::int64_t>& queries, std::int64_t window) {
    const auto rows = queries.empty() ? packed.tokens() : static_cast<std::int64_t>(queries.size());
    at::Tensor mask = at::full({rows, packed.tokens()}, -std::numeric_limits<float>::infinity());
    float* out = mask.data_ptr<float>();
    for (std::int64_t row = 0; row < rows; ++row, out += packed.tokens()) {
        const auto query = queries.empty() ? row : queries[row];
        auto end = query + (packed.blind[query] ? 0 : 1);
        for (auto at = packed.segmentOf[query]; at >= 0; at = packed.segments[at].parent) {
            const auto& segment = packed.segments[at];
            for (auto key = segment.begin; key < std::min(end, segment.end); ++key)
                if (window <= 0 || packed.positions[query] - packed.positions[key] < window) out[key] = 0;
            end = segment.begin;
        }
    }
    return mask;
}

}  // namespace candor
