// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/llm/torch/weights.h"

#include <sstream>

#include "core/error.h"

namespace candor {

namespace {

at::ScalarType scalarType(const TensorView& view) {
    switch (view.dtype) {
        case Dtype::F32:
            return at::kFloat;
        case Dtype::F16:
            return at::kHalf;
        case Dtype::BF16:
            return at::kBFloat16;
        case Dtype::F64:
            return at::kDouble;
        default:
            throw InputError("bad_model", "tensor " + view.name + ": expected floating-point weights, got " +
                                              dtypeName(view.dtype) + "; quantised models are not supported");
    }
}

std::string shapeText(const std::vector<std::int64_t>& shape) {
    std::ostringstream text;
    for (const auto size : shape) text << (text.tellp() > 0 ? " x " : "") << size;
    return text.str();
}

class Loader {
  public:
    Loader(DecoderWeights& out, const std::filesystem::path& folder) : out_(out), folder_(folder) {
        if (!out.files->find("model.embed_tokens.weight")) prefix_ = "";  // saved from a model without its LM head
    }

    const TensorView& view(const std::string& name, const std::vector<std::int64_t>& shape) const {
        const TensorView* found = out_.files->find(name);
        if (!found) throw InputError("bad_model", "tensor " + name + " is missing in " + folder_.string());
        if (found->shape != shape)
            throw InputError("bad_model", "tensor " + name + ": expected " + shapeText(shape) +
                                              " from config.json, got " + shapeText(found->shape));
        return *found;
    }

    // As stored: a view of the mapping where alignment allows, on the device otherwise.
    at::Tensor stored(const std::string& name, const std::vector<std::int64_t>& shape) const {
        const TensorView& found = view(name, shape);
        const auto type = scalarType(found);
        if (reinterpret_cast<std::uintptr_t>(found.data) % dtypeSize(found.dtype) == 0)
            return at::from_blob(const_cast<std::byte*>(found.data), shape, at::TensorOptions(type)).to(out_.device);
        at::Tensor copy = at::empty(shape, at::TensorOptions(type));
        std::copy_n(found.data, found.bytes, static_cast<std::byte*>(copy.data_ptr()));
        return copy.to(out_.device);
    }

    at::Tensor floats(const std::string& name, std::vector<std::int64_t> shape) const {
        return stored(prefix_ + name, shape).to(at::kFloat);
    }

    // Matrices of equal input size below each other.
    FrozenLinear linear(const std::string& layer, const std::vector<ModuleSize>& parts, bool bias) const {
        std::vector<at::Tensor> weights, biases;
        for (const auto& part : parts) {
            const std::string name = prefix_ + layer + part.path;
            weights.push_back(stored(name + ".weight", {part.out, part.in}).to(out_.dtype));
            if (bias) biases.push_back(stored(name + ".bias", {part.out}).to(at::kFloat));
        }
        return {weights.size() == 1 ? weights[0] : at::cat(weights), bias ? at::cat(biases) : at::Tensor()};
    }

    const std::string& prefix() const { return prefix_; }

  private:
    DecoderWeights& out_;
    const std::filesystem::path& folder_;
    std::string prefix_ = "model.";
};

LayerWeights loadLayer(const Loader& loader, const ModelConfig& config, int index) {
    const std::string name = "layers." + std::to_string(index) + ".";
    const auto modules = linearModules(config);  // q, k, v, o, gate, up, down
    const std::int64_t width = config.hiddenSize;
    LayerWeights layer;
    layer.inputNorm = loader.floats(name + "input_layernorm.weight", {width});
    layer.postNorm = loader.floats(name + "post_attention_layernorm.weight", {width});
    if (config.qkNorm) {
        layer.queryNorm = loader.floats(name + "self_attn.q_norm.weight", {config.headDim});
        layer.keyNorm = loader.floats(name + "self_attn.k_norm.weight", {config.headDim});
    }
    layer.qkv = loader.linear(name, {modules[0], modules[1], modules[2]}, config.qkvBias);
    layer.o = loader.linear(name, {modules[3]}, config.oBias);
    layer.gateUp = loader.linear(name, {modules[4], modules[5]}, config.mlpBias);
    layer.down = loader.linear(name, {modules[6]}, config.mlpBias);
    return layer;
}

}  // namespace

DecoderWeights loadWeights(const std::filesystem::path& folder, at::ScalarType dtype, at::Device device) {
    DecoderWeights weights;
    weights.config = readConfig(folder);
    weights.dtype = dtype;
    weights.device = device;
    weights.files = std::make_shared<const TensorFiles>(folder);
    const Loader loader(weights, folder);
    const auto& config = weights.config;
    const std::vector<std::int64_t> matrix = {config.vocab, config.hiddenSize};
    weights.embedding = loader.stored(loader.prefix() + "embed_tokens.weight", matrix);
    weights.finalNorm = loader.floats("norm.weight", {config.hiddenSize});
    const bool own = !config.tieEmbeddings && weights.files->find("lm_head.weight");
    weights.lmHead = own ? loader.stored("lm_head.weight", matrix) : weights.embedding;
    for (int i = 0; i < config.layers; ++i) weights.layers.push_back(loadLayer(loader, config, i));
    return weights;
}

}  // namespace candor
