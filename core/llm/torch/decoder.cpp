// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/llm/torch/decoder.h"

#include <cmath>

#include "core/error.h"
#include "core/llm/torch/cpu_ops.h"

namespace candor {

namespace {

// Frequencies of rotary embeddings in fp32, as transformers' default, linear and llama3 types compute them.
at::Tensor inverseFrequencies(const RopeConfig& rope, int headDim) {
    at::Tensor frequency = at::empty({headDim / 2}, at::kFloat);
    float* out = frequency.data_ptr<float>();
    for (int i = 0; i < headDim / 2; ++i) {
        double f = 1.0 / std::pow(rope.theta, 2.0 * i / headDim);
        if (rope.type == RopeType::Linear) f /= rope.factor;
        if (rope.type == RopeType::Llama3) {
            const double turns = static_cast<double>(rope.originalPositions) * f / (2 * M_PI);
            const double smooth = (turns - rope.lowFreqFactor) / (rope.highFreqFactor - rope.lowFreqFactor);
            const double share = std::min(1.0, std::max(0.0, smooth));
            f = (1 - share) * f / rope.factor + share * f;
        }
        out[i] = static_cast<float>(f);
    }
    return frequency;
}

at::Tensor indices(const std::vector<std::int64_t>& values, at::Device device) {
    return at::tensor(values, at::kLong).to(device);
}

// What attention is told for all queries and for the read tokens, and the same of layers whose window binds.
template <class T>
struct Views {
    T all, read, window, windowRead;

    template <class Make>
    void fill(std::int64_t size, const Make& make) {
        all = make(false, 0);
        read = make(true, 0);
        if (size > 0) window = make(false, size);
        if (size > 0) windowRead = make(true, size);
    }
    const T& of(bool sliding, bool readOnly) const {
        return sliding ? (readOnly ? windowRead : window) : (readOnly ? read : all);
    }
};

const LoraParts& partsOf(const DecoderInput& input, int layer, LoraParts LayerLora::*which) {
    static const LoraParts none;
    return input.lora ? (*input.lora)[layer].*which : none;
}

// Output rows [first, first + count) of a joined map, and the terms on them.
FrozenLinear rowsOf(const FrozenLinear& frozen, std::int64_t first, std::int64_t count) {
    return {frozen.weight.narrow(0, first, count),
            frozen.bias.defined() ? frozen.bias.narrow(0, first, count) : at::Tensor()};
}
LoraParts rowsOf(const LoraParts& parts, std::int64_t first, std::int64_t count) {
    LoraParts chosen;
    for (LoraPart part : parts) {
        if (part.offset < first || part.offset >= first + count) continue;
        part.offset -= first;
        chosen.push_back(part);
    }
    return chosen;
}

}  // namespace

// What all layers of one forward pass share.
struct Decoder::Pass {
    const DecoderInput& input;
    bool plain = false;       // ATen operations, not our kernels
    std::int64_t window = 0;  // of sliding-window layers; 0: never binds
    at::Tensor read{};        // packed index of each row's read token
    cpu::Rotation all{}, atRead{};
    Views<at::Tensor> masks{};                            // plain
    Views<std::shared_ptr<const AttentionPlan>> plans{};  // kernels
    mutable at::Generator dropout{};

    at::Tensor keep(const at::Tensor& x) const {
        if (input.dropout <= 0) return {};
        const double share = 1 - input.dropout;
        return at::empty_like(x, at::kFloat).bernoulli_(share, dropout).div_(share);
    }

    at::Tensor linear(const at::Tensor& x, const FrozenLinear& frozen, const LoraParts& lora) const {
        return plain ? plain::linear(x, frozen, lora, keep(x)) : cpu::linear(x, frozen, lora);
    }
};

Decoder::Decoder(DecoderWeights weights) : weights_(std::move(weights)) {
    inverseFrequency_ = inverseFrequencies(config().rope, config().headDim).to(weights_.device);
}

at::Tensor Decoder::atRead(const DecoderInput& input, int layer) const { return run(input, layer, true); }

at::Tensor Decoder::everywhere(const DecoderInput& input, int layer) const { return run(input, layer, false); }

at::Tensor Decoder::logits(const at::Tensor& hidden) const {
    const at::Tensor head = weights_.lmHead.to(weights_.dtype);
    return at::linear(hidden.to(weights_.dtype), head).to(at::kFloat);
}

Decoder::Pass Decoder::prepare(const DecoderInput& input) const {
    const Packed& packed = input.packed;
    const auto device = weights_.device;
    Pass pass{input};
    pass.plain = plain_ || !device.is_cpu() || input.dropout > 0;
    if (config().slidingWindow && packed.longest > *config().slidingWindow) pass.window = *config().slidingWindow;
    pass.read = indices(packed.read, device);
    const at::Tensor angles = indices(packed.positions, device).to(at::kFloat).unsqueeze(1) * inverseFrequency_;
    pass.all = {angles.cos(), angles.sin()};
    pass.atRead = {pass.all.cos.index_select(0, pass.read), pass.all.sin.index_select(0, pass.read)};
    if (pass.plain)
        pass.masks.fill(pass.window, [&](bool read, std::int64_t window) {
            return attentionMask(packed, read ? packed.read : std::vector<std::int64_t>(), window).to(device);
        });
    else
        pass.plans.fill(pass.window, [&](bool read, std::int64_t window) {
            return std::make_shared<const AttentionPlan>(planAttention(packed, read, window));
        });
    if (input.dropout > 0) {
        pass.dropout = at::globalContext().defaultGenerator(device).clone();
        pass.dropout.set_current_seed(input.dropoutSeed);
    }
    return pass;
}

at::Tensor Decoder::run(const DecoderInput& input, int layer, bool readOnly) const {
    const int layers = config().layers;
    const int last = layer < 0 ? layers + 1 + layer : layer;
    if (last < 0 || last > layers)
        throw InputError("bad_layer", "layer " + std::to_string(layer) + ": expected 0 to " + std::to_string(layers) +
                                          " or its negative counterpart");
    const Pass pass = prepare(input);
    at::Tensor x = weights_.embedding.index_select(0, indices(input.packed.ids, weights_.device)).to(at::kFloat);
    for (int i = 0; i < last; ++i) x = this->layer(pass, i, x, readOnly && i + 1 == last);
    if (readOnly && last == 0) x = x.index_select(0, pass.read);
    return last == layers ? norm(pass, x, weights_.finalNorm, at::kFloat) : x;
}

at::Tensor Decoder::norm(const Pass& pass, const at::Tensor& x, const at::Tensor& weight, at::ScalarType type) const {
    return pass.plain ? plain::rmsNorm(x, weight, config().rmsEps) : cpu::rmsNorm(x, weight, config().rmsEps, type);
}

// x fp32 [tokens, width] -> [tokens, width], or [rows, width] where only the read tokens are wanted.
at::Tensor Decoder::layer(const Pass& pass, int index, const at::Tensor& x, bool readOnly) const {
    const LayerWeights& weights = weights_.layers[index];
    const auto lora = [&](LoraParts LayerLora::*which) -> const LoraParts& {
        return partsOf(pass.input, index, which);
    };
    const auto type = weights_.dtype;
    const at::Tensor normed = norm(pass, x, weights.inputNorm, type);
    const at::Tensor attended =
        pass.plain ? plainAttention(pass, index, normed, readOnly) : cpuAttention(pass, index, normed, readOnly);
    const at::Tensor residual = readOnly ? x.index_select(0, pass.read) : x;
    const at::Tensor middle = residual + pass.linear(attended, weights.o, lora(&LayerLora::o));
    const at::Tensor inner =
        pass.linear(norm(pass, middle, weights.postNorm, type), weights.gateUp, lora(&LayerLora::gateUp));
    const at::Tensor gated = pass.plain ? plain::swiGlu(inner) : cpu::swiGlu(inner);
    return middle + pass.linear(gated, weights.down, lora(&LayerLora::down));
}

at::Tensor Decoder::plainAttention(const Pass& pass, int index, const at::Tensor& normed, bool readOnly) const {
    const LayerWeights& weights = weights_.layers[index];
    const auto& c = config();
    const std::int64_t dim = c.headDim, queryWidth = dim * c.heads, keyWidth = dim * c.kvHeads, tokens = normed.size(0);
    const at::Tensor qkv = pass.linear(normed, weights.qkv, partsOf(pass.input, index, &LayerLora::qkv)).to(at::kFloat);
    at::Tensor q = qkv.narrow(1, 0, queryWidth);
    if (readOnly) q = q.index_select(0, pass.read);
    q = q.reshape({q.size(0), c.heads, dim});
    at::Tensor k = qkv.narrow(1, queryWidth, keyWidth).reshape({tokens, c.kvHeads, dim});
    const at::Tensor v = qkv.narrow(1, queryWidth + keyWidth, keyWidth).reshape({tokens, c.kvHeads, dim});
    if (weights.queryNorm.defined()) {
        q = plain::rmsNorm(q, weights.queryNorm, c.rmsEps);
        k = plain::rmsNorm(k, weights.keyNorm, c.rmsEps);
    }
    const cpu::Rotation& turn = readOnly ? pass.atRead : pass.all;
    q = plain::rotate(q, turn.cos, turn.sin);
    k = plain::rotate(k, pass.all.cos, pass.all.sin);
    return plain::attention(q, k, v, pass.masks.of(slides(pass, index), readOnly));
}

// In the last layer queries are computed for the read tokens only, keys and values for all.
at::Tensor Decoder::cpuAttention(const Pass& pass, int index, const at::Tensor& normed, bool readOnly) const {
    const LayerWeights& weights = weights_.layers[index];
    const LoraParts& lora = partsOf(pass.input, index, &LayerLora::qkv);
    const auto& c = config();
    const std::int64_t dim = c.headDim, queryWidth = dim * c.heads, keyWidth = dim * c.kvHeads;
    at::Tensor query, keysValues;
    if (readOnly) {
        const at::Tensor chosen = normed.index_select(0, pass.read);
        query = cpu::linear(chosen, rowsOf(weights.qkv, 0, queryWidth), rowsOf(lora, 0, queryWidth));
        keysValues =
            cpu::linear(normed, rowsOf(weights.qkv, queryWidth, 2 * keyWidth), rowsOf(lora, queryWidth, 2 * keyWidth));
    } else {
        query = cpu::linear(normed, weights.qkv, lora);
    }
    if (weights.queryNorm.defined()) {
        const at::Tensor keys = keysValues.defined() ? keysValues : query.narrow(1, queryWidth, 2 * keyWidth);
        const auto normHeads = [&](const at::Tensor& x, const at::Tensor& weight) {
            return norm(pass, x.to(at::kFloat).reshape({-1, dim}), weight, weights_.dtype).view({x.size(0), x.size(1)});
        };
        query = normHeads(query.narrow(1, 0, queryWidth), weights.queryNorm);
        keysValues =
            at::cat({normHeads(keys.narrow(1, 0, keyWidth), weights.keyNorm), keys.narrow(1, keyWidth, keyWidth)}, 1);
    }
    return cpu::attention(query, keysValues, readOnly ? pass.atRead : pass.all, pass.all, {c.heads, c.kvHeads, dim},
                          pass.plans.of(slides(pass, index), readOnly));
}

bool Decoder::slides(const Pass& pass, int index) const {
    return pass.window > 0 && (config().slidingLayers.empty() || config().slidingLayers[index]);
}

}  // namespace candor
