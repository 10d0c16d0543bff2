// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <ATen/ATen.h>

#include <span>
#include <vector>

#include "core/llm/torch/cpu_ops.h"
#include "core/llm/torch/decoder.h"

namespace candor {

// Tokens that one pass computes. Each names the cache rows of its whole history, itself last; several may share them.
struct CachedTokens {
    std::vector<std::int64_t> ids;
    std::vector<std::span<const std::int32_t>> rows;  // one a token; its position is their number less one
    std::vector<std::int64_t> read;                   // tokens whose successor is asked for
    void clear() { ids.clear(), rows.clear(), read.clear(); }
};

// A decoder that keeps keys and values, for generation. Numbers as Decoder's; no gradients. Prompts and single new
// tokens of many histories go through one pass together. One thread at a time; `decoder` must outlive it.
class CachedDecoder {
  public:
    explicit CachedDecoder(const Decoder& decoder);

    std::int64_t rowBytes() const;  // memory of one cached token, all layers
    // Makes room for this many tokens; what was cached is lost if it grows.
    void reserve(std::int64_t rows);
    std::int64_t capacity() const { return capacity_; }
    // Logits fp32 [read, vocab] on the CPU.
    at::Tensor forward(const CachedTokens& tokens);

  private:
    struct Pass;
    at::Tensor layer(const Pass& pass, int index, const at::Tensor& x, bool readOnly);
    at::Tensor attention(const Pass& pass, int index, const at::Tensor& query, bool readOnly) const;
    at::Tensor norm(const at::Tensor& x, const at::Tensor& weight, at::ScalarType type) const;
    at::Tensor product(const at::Tensor& x, const FrozenLinear& frozen) const;
    at::Tensor heads(const at::Tensor& x, const at::Tensor& weight, const cpu::Rotation& turn, double scale) const;

    const Decoder& decoder_;
    at::Tensor head_;                        // the language-model head in the dtype of the products
    std::vector<at::Tensor> keys_, values_;  // one a layer: [capacity, kvHeads * headDim] in it
    std::int64_t capacity_ = 0;
};

}  // namespace candor
