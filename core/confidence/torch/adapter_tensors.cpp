// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/confidence/torch/adapter_tensors.h"

#include <algorithm>
#include <cmath>
#include <random>

#include "core/error.h"

namespace candor {

namespace {

// Uniform in (-bound, bound) from 24 random bits, so that a seed gives the same values everywhere.
std::vector<float> uniform(std::mt19937_64& random, std::size_t count, double bound) {
    std::vector<float> values(count);
    for (auto& value : values)
        value = static_cast<float>(((static_cast<double>(random() >> 40) + 0.5) / (1 << 24) * 2 - 1) * bound);
    return values;
}

LinearWeights freshLinear(std::mt19937_64& random, int in, int out) {
    const double bound = 1 / std::sqrt(static_cast<double>(in));
    LinearWeights linear{in, out, {}, {}};
    linear.weight = uniform(random, static_cast<std::size_t>(in) * out, bound);
    linear.bias = uniform(random, out, bound);
    return linear;
}

HeadWeights freshHead(std::mt19937_64& random, const std::string& kind, int width) {
    HeadWeights head;
    if (kind == "linear") {
        head.layers.push_back(freshLinear(random, width, 1));
    } else if (kind == "mlp") {
        head.layers.push_back(freshLinear(random, width, width / 2));
        head.layers.push_back(freshLinear(random, width / 2, width / 4));
        head.layers.push_back(freshLinear(random, width / 4, 1));
    } else {
        throw InputError("bad_adapter", "adapter head \"" + kind + "\": expected \"linear\" or \"mlp\"");
    }
    return head;
}

void check(const AdapterOptions& options, const std::vector<ModuleSize>& modules) {
    if (options.r < 1)
        throw InputError("bad_adapter", "adapter r: expected at least 1, got " + std::to_string(options.r));
    if (!(options.dropout >= 0 && options.dropout < 1))
        throw InputError("bad_adapter",
                         "adapter dropout: expected 0 <= dropout < 1, got " + std::to_string(options.dropout));
    if (options.targets.empty()) throw InputError("bad_adapter", "adapter targets: expected at least one module");
    for (const auto& target : options.targets)
        if (std::none_of(modules.begin(), modules.end(), [&](const auto& module) { return module.name == target; }))
            throw InputError("bad_adapter",
                             "adapter target \"" + target +
                                 "\": expected q_proj, k_proj, v_proj, o_proj, gate_proj, up_proj or down_proj");
}

LoraParts& partsOf(LayerLora& layer, const std::string& module) {
    if (module == "o_proj") return layer.o;
    if (module == "down_proj") return layer.down;
    return module == "gate_proj" || module == "up_proj" ? layer.gateUp : layer.qkv;
}

// The first output row of a module in its joined matrix.
std::int64_t offsetOf(const ModelConfig& model, const std::string& module) {
    const std::int64_t query = static_cast<std::int64_t>(model.heads) * model.headDim;
    const std::int64_t key = static_cast<std::int64_t>(model.kvHeads) * model.headDim;
    if (module == "k_proj") return query;
    if (module == "v_proj") return query + key;
    return module == "up_proj" ? model.intermediate : 0;
}

}  // namespace

Adapter freshAdapter(const ModelConfig& model, const AdapterOptions& options, std::uint64_t seed) {
    const auto modules = linearModules(model);
    check(options, modules);
    std::mt19937_64 random(seed);
    Adapter adapter;
    adapter.config.r = options.r;
    adapter.config.alpha = options.alpha;
    adapter.config.dropout = options.dropout;
    for (const auto& module : modules)
        if (std::find(options.targets.begin(), options.targets.end(), module.name) != options.targets.end())
            adapter.config.targets.push_back(module.name);
    for (int layer = 0; layer < model.layers; ++layer)
        for (const auto& module : modules) {
            if (std::find(options.targets.begin(), options.targets.end(), module.name) == options.targets.end())
                continue;
            LoraWeights lora{layer, module.name, options.r, options.alpha / options.r, module.in, module.out, {}, {}};
            lora.a = uniform(random, static_cast<std::size_t>(options.r) * module.in, 1 / std::sqrt(double(module.in)));
            lora.b.assign(static_cast<std::size_t>(options.r) * module.out, 0.0F);
            adapter.lora.push_back(std::move(lora));
        }
    adapter.head = freshHead(random, options.head, model.hiddenSize);
    return adapter;
}

AdapterTensors::AdapterTensors(const Adapter& adapter, const ModelConfig& model, at::Device device, bool trainable)
    : adapter_(adapter), device_(device) {
    layOut(model);
    makeTensors(model, trainable);
}

void AdapterTensors::add(const std::string& name, std::vector<std::int64_t> shape, const std::vector<float>& values) {
    blocks_.push_back({name, parameters_.size(), shape, shape.size() > 1});
    parameters_.insert(parameters_.end(), values.begin(), values.end());
}

void AdapterTensors::layOut(const ModelConfig& model) {
    const auto modules = linearModules(model);
    for (const auto& lora : adapter_.lora) {
        const auto module =
            std::find_if(modules.begin(), modules.end(), [&](auto& m) { return m.name == lora.module; });
        const std::string name =
            "base_model.model.layers." + std::to_string(lora.layer) + "." + module->path + ".lora_";
        add(name + "A.weight", {lora.r, lora.in}, lora.a);
        add(name + "B.weight", {lora.out, lora.r}, lora.b);
    }
    for (std::size_t i = 0; i < adapter_.head.layers.size(); ++i) {
        const auto& linear = adapter_.head.layers[i];
        const std::string name = adapter_.head.layers.size() == 1 ? "head." : "head." + std::to_string(2 * i) + ".";
        add(name + "weight", {linear.out, linear.in}, linear.weight);
        add(name + "bias", {linear.out}, linear.bias);
    }
}

void AdapterTensors::makeTensors(const ModelConfig& model, bool trainable) {
    for (const auto& block : blocks_) {
        at::Tensor view = at::from_blob(parameters_.data() + block.offset, block.shape, at::TensorOptions(at::kFloat));
        if (!device_.is_cpu()) view = view.to(device_);
        leaves_.push_back(view.set_requires_grad(trainable));
    }
    layers_.resize(model.layers);
    for (std::size_t i = 0; i < adapter_.lora.size(); ++i) {
        const auto& lora = adapter_.lora[i];
        partsOf(layers_[lora.layer], lora.module)
            .push_back({leaves_[2 * i], leaves_[2 * i + 1], lora.scale, offsetOf(model, lora.module)});
    }
    for (auto& layer : layers_)
        for (LoraParts* parts : {&layer.qkv, &layer.gateUp})
            std::sort(parts->begin(), parts->end(), [](auto& a, auto& b) { return a.offset < b.offset; });
}

void AdapterTensors::refresh() {
    if (device_.is_cpu()) return;
    const at::NoGradGuard guard;
    for (std::size_t i = 0; i < blocks_.size(); ++i)
        leaves_[i].copy_(
            at::from_blob(parameters_.data() + blocks_[i].offset, blocks_[i].shape, at::TensorOptions(at::kFloat)));
}

at::Tensor AdapterTensors::logits(const at::Tensor& hidden) const {
    const std::size_t first = 2 * adapter_.lora.size(), layers = adapter_.head.layers.size();
    at::Tensor x = hidden;
    for (std::size_t i = 0; i < layers; ++i) {
        x = at::linear(x, leaves_[first + 2 * i], leaves_[first + 2 * i + 1]);
        if (i + 1 < layers) x = at::relu(x);
    }
    return x.squeeze(-1);
}

Adapter AdapterTensors::adapter() const {
    Adapter current = adapter_;
    std::size_t at = 0;
    const auto take = [&](std::vector<float>& values) {
        std::copy_n(parameters_.begin() + static_cast<std::ptrdiff_t>(at), values.size(), values.begin());
        at += values.size();
    };
    for (auto& lora : current.lora) {
        take(lora.a);
        take(lora.b);
    }
    for (auto& linear : current.head.layers) {
        take(linear.weight);
        take(linear.bias);
    }
    return current;
}

}  // namespace candor
