// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <ATen/ATen.h>

#include <vector>

#include "core/llm/torch/packing.h"
#include "core/llm/torch/weights.h"

namespace candor {

// A low-rank term on some output rows of a frozen map: y[:, offset : offset + out] += scale * (x a^T) b^T.
struct LoraPart {
    at::Tensor a, b;  // fp32 [r, in], [out, r]
    double scale = 1;
    std::int64_t offset = 0;
};
using LoraParts = std::vector<LoraPart>;

// Operations of a decoder layer, differentiable in their activations and in LoRA matrices, never in frozen weights.
// `plain` are ATen operations under autograd: any device, and the reference for the kernels.
namespace plain {
at::Tensor rmsNorm(const at::Tensor& x, const at::Tensor& weight, double eps);
// y = x W^T + bias + LoRA, in the dtype of W. `keep` (undefined: none) are dropout factors for the LoRA input [T, in].
at::Tensor linear(const at::Tensor& x, const FrozenLinear& frozen, const LoraParts& lora, const at::Tensor& keep);
at::Tensor swiGlu(const at::Tensor& gateUp);  // [T, 2f] -> silu(gate) * up [T, f]
// x [T, heads, headDim], cos and sin [T, headDim / 2]; the two halves of a head rotate against each other.
at::Tensor rotate(const at::Tensor& x, const at::Tensor& cos, const at::Tensor& sin);
// q [Q, heads, headDim], k and v [T, kvHeads, headDim] fp32, additive mask [Q, T] -> [Q, heads * headDim].
at::Tensor attention(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v, const at::Tensor& mask);
}  // namespace plain

// Additive mask [queries, tokens] of the packed tokens `queries` (all when empty).
at::Tensor attentionMask(const Packed& packed, const std::vector<std::int64_t>& queries, std::int64_t window);

}  // namespace candor
