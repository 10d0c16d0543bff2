// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <ATen/ATen.h>

#include <memory>

#include "core/llm/torch/attention_kernel.h"
#include "core/llm/torch/ops.h"

// The operations of `plain` with kernels of our own and hand-written gradients, for the CPU: the frozen weights get
// no gradient, activations are kept once and in the dtype of the products, attention works segment by segment.
namespace candor::cpu {

// x fp32 [n, width] -> [n, width] in `type`, which matrix products take.
at::Tensor rmsNorm(const at::Tensor& x, const at::Tensor& weight, double eps, at::ScalarType type);

// x [T, in] in the weights' dtype -> [T, out] in it.
at::Tensor linear(const at::Tensor& x, const FrozenLinear& frozen, const LoraParts& lora);

at::Tensor swiGlu(const at::Tensor& gateUp);

struct Rotation {
    at::Tensor cos, sin;  // fp32 [n, dim / 2], of query or key rows
};

// Rotation and attention. `query` holds the query heads in its first columns; key and value heads follow in it, or are
// the columns of `keysValues` where that is defined. -> [queries, heads * dim] in the dtype of `query`.
at::Tensor attention(const at::Tensor& query, const at::Tensor& keysValues, const Rotation& queryTurn,
                     const Rotation& keyTurn, const kernels::AttentionHeads& shape,
                     const std::shared_ptr<const AttentionPlan>& plan);

}  // namespace candor::cpu
