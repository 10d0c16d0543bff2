// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <ATen/ATen.h>

#include <filesystem>
#include <memory>
#include <vector>

#include "core/llm/config.h"
#include "core/llm/safetensors.h"

namespace candor {

// A frozen linear map: weight [out, in] in the compute dtype, bias [out] fp32 or undefined.
struct FrozenLinear {
    at::Tensor weight, bias;
};

// One decoder layer; q, k, v and gate, up lie below each other in one matrix so that they are one product.
struct LayerWeights {
    at::Tensor inputNorm, postNorm, queryNorm, keyNorm;  // fp32; the last two undefined without qk-norm
    FrozenLinear qkv, o, gateUp, down;
};

// A model's frozen weights on a device. Matrices that need no conversion are views of the mapped files.
struct DecoderWeights {
    ModelConfig config;
    at::ScalarType dtype = at::kFloat;  // fp32 or bf16, of the matrix products
    at::Device device = at::kCPU;
    at::Tensor embedding;  // [vocab, width] as stored
    at::Tensor finalNorm;  // fp32
    at::Tensor lmHead;     // [vocab, width] as stored; the embedding where they are tied
    std::vector<LayerWeights> layers;
    std::shared_ptr<const TensorFiles> files;  // keeps the views alive
};

// Throws InputError ("bad_model") naming a tensor that is missing or has another shape than the config implies.
DecoderWeights loadWeights(const std::filesystem::path& folder, at::ScalarType dtype, at::Device device);

}  // namespace candor
