// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/llm/config.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/llm/files.h"

namespace candor {

namespace fs = std::filesystem;
using Json = nlohmann::json;

namespace {

constexpr const char* kCode = "bad_model";
constexpr std::size_t kLargestConfig = 16 << 20;

// A JSON object that says where it came from when a field is wrong. null and absent are the same.
class Fields {
  public:
    Fields(fs::path file, Json json) : file_(std::move(file)), json_(std::move(json)) {
        if (!json_.is_object()) fail("is no JSON object");
    }

    [[noreturn]] void fail(const std::string& what) const {
        throw InputError(kCode, file_.string() + ": " + what, file_.string());
    }
    const Json* get(const std::string& key) const {
        const auto found = json_.find(key);
        return found == json_.end() || found->is_null() ? nullptr : &*found;
    }
    bool present(const std::string& key) const { return json_.contains(key); }

    std::int64_t integer(const std::string& key, std::int64_t low, std::int64_t high,
                         std::optional<std::int64_t> fallback = {}) const {
        const Json* value = get(key);
        if (!value && fallback) return *fallback;
        if (!value) fail(key + " is missing");
        const bool fits = value->is_number_integer() &&
                          !(value->is_number_unsigned() && value->get<std::uint64_t>() > INT64_MAX) &&
                          value->get<std::int64_t>() >= low && value->get<std::int64_t>() <= high;
        if (!fits)
            fail(key + " is " + value->dump() + ", expected an integer from " + std::to_string(low) + " to " +
                 std::to_string(high));
        return value->get<std::int64_t>();
    }
    int small(const std::string& key, int low, int high, std::optional<int> fallback = {}) const {
        return static_cast<int>(integer(key, low, high, fallback));
    }
    double positive(const std::string& key, std::optional<double> fallback = {}) const {
        const Json* value = get(key);
        if (!value && fallback) return *fallback;
        if (!value) fail(key + " is missing");
        if (!value->is_number() || !(value->get<double>() > 0) || value->get<double>() > 1e18)
            fail(key + " is " + value->dump() + ", expected a number above 0");
        return value->get<double>();
    }
    bool flag(const std::string& key, bool fallback) const {
        const Json* value = get(key);
        if (value && !value->is_boolean()) fail(key + " is " + value->dump() + ", expected true or false");
        return value ? value->get<bool>() : fallback;
    }
    std::optional<std::string> text(const std::string& key) const {
        const Json* value = get(key);
        if (!value) return {};
        if (!value->is_string()) fail(key + " is " + value->dump().substr(0, 80) + ", expected a string");
        return value->get<std::string>();
    }
    std::optional<Fields> object(const std::string& key) const {
        const Json* value = get(key);
        if (!value) return {};
        if (!value->is_object()) fail(key + " is " + value->dump().substr(0, 80) + ", expected an object");
        return Fields(file_, *value);
    }

  private:
    fs::path file_;
    Json json_;
};

Family familyOf(const Fields& config) {
    const std::string type = config.text("model_type").value_or("");
    if (type == "llama") return Family::Llama;
    if (type == "qwen2") return Family::Qwen2;
    if (type == "qwen3") return Family::Qwen3;
    if (type == "mistral") return Family::Mistral;
    config.fail("model_type \"" + type + "\" is not supported; llama, qwen2, qwen3 and mistral are");
}

RopeConfig readRope(const Fields& config) {
    RopeConfig rope;
    rope.theta = config.positive("rope_theta", 10000.0);
    std::optional<Fields> given = config.object("rope_parameters");  // transformers 5
    if (given) rope.theta = given->positive("rope_theta", rope.theta);
    if (!given) given = config.object("rope_scaling");  // transformers 4
    for (const Fields* fields : {&config, given ? static_cast<const Fields*>(&*given) : nullptr})
        if (fields && fields->positive("partial_rotary_factor", 1.0) != 1.0)
            fields->fail("partial_rotary_factor is not supported");
    if (!given) return rope;
    if (given->present("full_attention") || given->present("sliding_attention"))
        config.fail("rope_parameters that differ by layer type are not supported");
    std::string type = given->text("rope_type").value_or("");
    if (type.empty()) type = given->text("type").value_or("default");
    if (type == "default") return rope;
    if (type != "linear" && type != "llama3")
        config.fail("rope type \"" + type + "\" is not supported; default, linear and llama3 are");
    rope.factor = given->positive("factor");
    rope.type = RopeType::Linear;
    if (type == "linear") return rope;
    rope.type = RopeType::Llama3;
    rope.lowFreqFactor = given->positive("low_freq_factor");
    rope.highFreqFactor = given->positive("high_freq_factor");
    rope.originalPositions = given->integer("original_max_position_embeddings", 1, INT32_MAX);
    if (rope.highFreqFactor <= rope.lowFreqFactor) config.fail("high_freq_factor must be larger than low_freq_factor");
    return rope;
}

// Which layers see a window only. Llama has none; mistral's is for all layers and 4096 where the key is absent (as in
// transformers); qwen's needs use_sliding_window and starts at max_window_layers unless layer_types says otherwise.
void readWindow(const Fields& config, ModelConfig& model) {
    if (model.family == Family::Llama) return;
    const bool qwen = model.family != Family::Mistral;
    if (qwen && !config.flag("use_sliding_window", false)) return;
    const std::optional<int> fallback = config.present("sliding_window") ? 0 : 4096;
    const int window = config.small("sliding_window", 1, INT32_MAX, fallback);
    if (window == 0) return;
    const auto layers = static_cast<std::size_t>(model.layers);
    std::vector<bool> slides(layers, true);
    const Json* types = config.get("layer_types");
    if (qwen && types) {
        if (!types->is_array() || types->size() != layers) config.fail("layer_types does not name every layer");
        for (std::size_t i = 0; i < layers; ++i) {
            if ((*types)[i] != "full_attention" && (*types)[i] != "sliding_attention")
                config.fail("layer type " + (*types)[i].dump().substr(0, 60) + " is not supported");
            slides[i] = (*types)[i] == "sliding_attention";
        }
    } else if (qwen) {
        const std::int64_t full = config.integer("max_window_layers", 0, INT32_MAX, 28);
        for (std::size_t i = 0; i < layers; ++i) slides[i] = static_cast<std::int64_t>(i) >= full;
    }
    if (std::ranges::find(slides, true) == slides.end()) return;
    model.slidingWindow = window;
    model.slidingLayers = std::move(slides);
}

void readSizes(const Fields& config, ModelConfig& model) {
    model.hiddenSize = config.small("hidden_size", 1, 1 << 20);
    model.layers = config.small("num_hidden_layers", 1, 4096);
    model.heads = config.small("num_attention_heads", 1, 1 << 16);
    model.kvHeads = config.small("num_key_value_heads", 1, 1 << 16, model.heads);
    const int usual = model.family == Family::Qwen3 ? 128 : model.hiddenSize / model.heads;
    model.headDim = config.small("head_dim", 1, 1 << 16, usual);
    model.intermediate = config.small("intermediate_size", 1, 1 << 24);
    model.vocab = config.small("vocab_size", 1, 1 << 26);
    model.maxPositions = config.integer("max_position_embeddings", 1, INT64_C(1) << 40, 32768);
    model.rmsEps = config.positive("rms_norm_eps", 1e-6);
    if (model.heads % model.kvHeads != 0)
        config.fail(std::to_string(model.heads) + " heads cannot share " + std::to_string(model.kvHeads) +
                    " key-value heads evenly");
    if (model.headDim < 2 || model.headDim % 2 != 0)
        config.fail("a head size of " + std::to_string(model.headDim) + " cannot be rotated: it must be even");
}

void readBiases(const Fields& config, ModelConfig& model) {
    const bool attention = config.flag("attention_bias", false);
    switch (model.family) {
        case Family::Llama:
            model.qkvBias = model.oBias = attention;
            model.mlpBias = config.flag("mlp_bias", false);
            break;
        case Family::Qwen2:
            model.qkvBias = true;
            break;
        case Family::Qwen3:
            model.qkvBias = model.oBias = attention;
            model.qkNorm = true;
            break;
        case Family::Mistral:
            break;
    }
}

Dtype readDtype(const Fields& config) {
    const auto given = config.text("dtype");
    std::string name = given ? *given : config.text("torch_dtype").value_or("float32");
    if (name.starts_with("torch.")) name.erase(0, 6);
    if (name == "float32" || name == "auto") return Dtype::F32;
    if (name == "bfloat16") return Dtype::BF16;
    if (name == "float16") return Dtype::F16;
    if (name == "float64") return Dtype::F64;
    config.fail("dtype \"" + name + "\" is not supported; float32, bfloat16 and float16 are");
}

std::vector<std::int32_t> readIds(const Fields& fields, const std::string& key) {
    const Json* value = fields.get(key);
    std::vector<std::int32_t> ids;
    if (!value) return ids;
    const Json list = value->is_array() ? *value : Json::array({*value});
    for (const Json& id : list) {
        if (!id.is_number_integer() || id.get<std::int64_t>() < 0 || id.get<std::int64_t>() > INT32_MAX)
            fields.fail(key + " holds " + id.dump().substr(0, 60) + ", expected token ids");
        ids.push_back(id.get<std::int32_t>());
    }
    std::ranges::sort(ids);
    ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
    return ids;
}

std::optional<std::int32_t> readId(const Fields& fields, const std::string& key) {
    const auto ids = readIds(fields, key);
    return ids.empty() ? std::nullopt : std::optional(ids.front());
}

void refuse(const Fields& config) {
    if (const auto quantised = config.object("quantization_config"))
        config.fail("quantised weights (" + quantised->text("quant_method").value_or("unknown method") +
                    ") are not supported; use the model in bf16, fp16 or fp32");
    const std::string activation = config.text("hidden_act").value_or("silu");
    if (activation != "silu" && activation != "swish")
        config.fail("activation \"" + activation + "\" is not supported; silu is");
}

}  // namespace

ModelConfig readConfig(const fs::path& folder) {
    const Fields config(folder / "config.json", readJson(folder / "config.json", kLargestConfig, kCode));
    ModelConfig model;
    model.family = familyOf(config);
    refuse(config);
    readSizes(config, model);
    model.rope = readRope(config);
    readBiases(config, model);
    readWindow(config, model);
    model.tieEmbeddings = config.flag("tie_word_embeddings", false);
    model.dtype = readDtype(config);
    model.bosId = readId(config, "bos_token_id");
    model.padId = readId(config, "pad_token_id");
    model.eosIds = readIds(config, "eos_token_id");
    const fs::path generation = folder / "generation_config.json";
    if (fs::exists(generation)) {
        const Fields fields(generation, readJson(generation, kLargestConfig, kCode));
        if (auto ids = readIds(fields, "eos_token_id"); !ids.empty()) model.eosIds = std::move(ids);
        model.repetitionPenalty = fields.positive("repetition_penalty", 1.0);
    }
    return model;
}

std::vector<ModuleSize> linearModules(const ModelConfig& config) {
    const int hidden = config.hiddenSize, inner = config.intermediate;
    const int query = config.heads * config.headDim, key = config.kvHeads * config.headDim;
    return {{"q_proj", "self_attn.q_proj", hidden, query}, {"k_proj", "self_attn.k_proj", hidden, key},
            {"v_proj", "self_attn.v_proj", hidden, key},   {"o_proj", "self_attn.o_proj", query, hidden},
            {"gate_proj", "mlp.gate_proj", hidden, inner}, {"up_proj", "mlp.up_proj", hidden, inner},
            {"down_proj", "mlp.down_proj", inner, hidden}};
}

}  // namespace candor
