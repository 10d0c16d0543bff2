// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "core/llm/config.h"

namespace candor {

// One adapted linear module: y = W x + scale * b (a x).
struct LoraWeights {
    int layer = 0;
    std::string module;  // "q_proj", ...
    int r = 0;
    double scale = 1;  // alpha / r, or alpha / sqrt(r) with rsLoRA
    int in = 0, out = 0;
    std::vector<float> a;  // r x in, row-major
    std::vector<float> b;  // out x r
};

struct LinearWeights {
    int in = 0, out = 0;
    std::vector<float> weight;  // out x in, row-major
    std::vector<float> bias;    // out
};

// One linear layer to a logit, or three with ReLU between (d -> d/2 -> d/4 -> 1).
struct HeadWeights {
    std::vector<LinearWeights> layers;
};

struct AdapterConfig {
    int r = 8;
    double alpha = 16;
    double dropout = 0;
    bool rslora = false;
    std::vector<std::string> targets;                      // module names, in the order of linearModules()
    std::vector<std::pair<std::string, int>> rankPattern;  // the first that matches counts
    std::vector<std::pair<std::string, double>> alphaPattern;
    std::string baseModel;    // base_model_name_or_path
    bool causalKeys = false;  // tensors named base_model.model.model.layers...
};

struct Adapter {
    AdapterConfig config;
    std::vector<LoraWeights> lora;  // by layer, then in the order of linearModules()
    HeadWeights head;
    std::filesystem::path headFile;
    std::vector<std::string> warnings;  // e.g. a pattern that matches nothing
};

// Reads a PEFT folder and its head (vector_head*.pt or .safetensors in the folder, its parent or beside it).
// Every tensor the config implies must be there in the right shape, and no other. With `forScoring` an adapter whose
// B matrices are all zero is refused too (it does nothing). Throws InputError ("bad_adapter") naming the fault.
Adapter readAdapter(const std::filesystem::path& folder, const ModelConfig& model, bool forScoring);

// A head file alone. `width` is the hidden size it must fit.
HeadWeights readHead(const std::filesystem::path& file, int width);

// Writes adapter_config.json, adapter_model.safetensors, vector_head.pt, vector_head.safetensors and
// honesty_run.json (`sidecarJson`, an object) so that PEFT and torch.load(weights_only=True) read them. The folder
// appears whole or not at all; an existing adapter folder is replaced.
void writeAdapter(const std::filesystem::path& folder, const Adapter& adapter, const ModelConfig& model,
                  const std::string& sidecarJson);

}  // namespace candor
