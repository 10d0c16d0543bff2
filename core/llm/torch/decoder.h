// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <ATen/ATen.h>

#include <vector>

#include "core/llm/torch/ops.h"
#include "core/llm/torch/packing.h"
#include "core/llm/torch/weights.h"

namespace candor {

// An adapter's terms of one layer, placed in the joined matrices of LayerWeights.
struct LayerLora {
    LoraParts qkv, o, gateUp, down;
};

struct DecoderInput {
    const Packed& packed;
    const std::vector<LayerLora>* lora = nullptr;  // one a layer, or none
    double dropout = 0;                            // of the LoRA input; 0 in evaluation
    std::uint64_t dropoutSeed = 0;
};

// A decoder of the Llama kind over packed prompts. Numbers as transformers' eager forward pass: residual stream,
// norms, rotation and softmax in fp32, matrix products in the weights' dtype. Differentiable in the LoRA matrices
// unless gradients are off. Const use by one thread at a time.
class Decoder {
  public:
    explicit Decoder(DecoderWeights weights);

    // Hidden states fp32 [rows, width] at each row's read token. `layer` counts as transformers' hidden_states do: 0
    // the embeddings, k the output of the k-th layer, `layers` (or -1) after the final norm; negative from the end.
    at::Tensor atRead(const DecoderInput& input, int layer = -1) const;
    // The same for every packed token [tokens, width].
    at::Tensor everywhere(const DecoderInput& input, int layer = -1) const;
    // Next-token logits fp32 [n, vocab] of final hidden states [n, width].
    at::Tensor logits(const at::Tensor& hidden) const;

    const DecoderWeights& weights() const { return weights_; }
    const ModelConfig& config() const { return weights_.config; }
    // Uses ATen operations under autograd where a kernel of our own exists (tests compare the two).
    void setPlain(bool plain) { plain_ = plain; }
    bool plain() const { return plain_ || !weights_.device.is_cpu(); }
    const at::Tensor& inverseFrequency() const { return inverseFrequency_; }  // [headDim / 2]

  private:
    struct Pass;
    Pass prepare(const DecoderInput& input) const;
    at::Tensor run(const DecoderInput& input, int layer, bool readOnly) const;
    at::Tensor layer(const Pass& pass, int index, const at::Tensor& x, bool readOnly) const;
    at::Tensor plainAttention(const Pass& pass, int index, const at::Tensor& normed, bool readOnly) const;
    at::Tensor cpuAttention(const Pass& pass, int index, const at::Tensor& normed, bool readOnly) const;
    at::Tensor norm(const Pass& pass, const at::Tensor& x, const at::Tensor& weight, at::ScalarType type) const;
    bool slides(const Pass& pass, int index) const;  // a layer whose sliding window binds

    DecoderWeights weights_;
    at::Tensor inverseFrequency_;  // [headDim / 2], double
    bool plain_ = false;
};

}  // namespace candor
