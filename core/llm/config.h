// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/llm/safetensors.h"

namespace candor {

enum class Family : std::uint8_t { Llama, Qwen2, Qwen3, Mistral };
enum class RopeType : std::uint8_t { Default, Linear, Llama3 };

// Rotary position embedding, as transformers' modeling_rope_utils defines the types.
struct RopeConfig {
    RopeType type = RopeType::Default;
    double theta = 10000;
    double factor = 1;                   // Linear, Llama3
    double lowFreqFactor = 1;            // Llama3
    double highFreqFactor = 4;           // Llama3
    std::int64_t originalPositions = 0;  // Llama3
};

// What config.json and generation_config.json say about a decoder of the Llama kind (SwiGLU, RMSNorm, grouped heads).
struct ModelConfig {
    Family family = Family::Llama;
    int hiddenSize = 0, layers = 0, heads = 0, kvHeads = 0, headDim = 0, intermediate = 0;
    int vocab = 0;  // rows of the embedding matrix; may be larger than the tokenizer's vocabulary
    double rmsEps = 1e-6;
    RopeConfig rope;
    bool tieEmbeddings = false;
    bool qkvBias = false, oBias = false, mlpBias = false;
    bool qkNorm = false;               // RMSNorm over each head of query and key (qwen3)
    std::optional<int> slidingWindow;  // tokens a position sees, itself included
    std::vector<bool> slidingLayers;   // one a layer: which layers the window is for; empty: none
    std::int64_t maxPositions = 0;
    std::vector<std::int32_t> eosIds;  // of generation_config.json, else of config.json; sorted
    std::optional<std::int32_t> bosId, padId;
    Dtype dtype = Dtype::F32;      // as the config says the weights are stored
    double repetitionPenalty = 1;  // generation_config.json
};

// Reads both spellings (transformers 4: rope_theta, rope_scaling, torch_dtype; 5: rope_parameters, dtype). Throws
// InputError ("bad_model") naming what is missing, out of range or not supported (another model_type, activation,
// rope type, quantised weights).
ModelConfig readConfig(const std::filesystem::path& folder);

// The linear modules of a layer that an adapter may target, with their sizes.
struct ModuleSize {
    std::string name;  // "q_proj"
    std::string path;  // "self_attn.q_proj"
    int in = 0, out = 0;
};
std::vector<ModuleSize> linearModules(const ModelConfig& config);  // q, k, v, o, gate, up, down

}  // namespace candor
