// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/confidence/adapter_config.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "core/error.h"
#include "core/llm/files.h"

namespace candor {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;  // the order of patterns counts

namespace {

// Keys that say nothing about the numbers (or are read below).
const std::set<std::string> kHarmless = {"alpha_pattern",      "auto_mapping",      "base_model_name_or_path",
                                         "inference_mode",     "init_lora_weights", "lora_alpha",
                                         "lora_dropout",       "megatron_core",     "peft_type",
                                         "peft_version",       "qalora_group_size", "r",
                                         "rank_pattern",       "revision",          "target_modules",
                                         "task_type",          "use_rslora",        "bias",
                                         "ensure_weight_tying"};

bool idle(const Json& value) {  // null, false, empty: a variant that is not used
    return value.is_null() || value == false || ((value.is_array() || value.is_object()) && value.empty());
}

[[noreturn]] void fail(const fs::path& file, const std::string& what) {
    throw InputError("bad_adapter", file.string() + ": " + what, file.string());
}

// Initialisations that also change the base weights: without those the adapter means something else.
void checkInitialisation(const fs::path& file, const Json& json) {
    const Json value = json.value("init_lora_weights", Json(true));
    if (!value.is_string()) return;
    const auto name = value.get<std::string>();
    for (const char* harmless : {"gaussian", "orthogonal", "eva", "kaiming"})
        if (name == harmless) return;
    fail(file,
         "init_lora_weights \"" + name.substr(0, 60) + "\" changes the base model's weights; that is not supported");
}

void checkVariant(const fs::path& file, const Json& json) {
    const auto type = json.value("peft_type", Json());
    if (type != "LORA") fail(file, "peft_type is " + type.dump().substr(0, 60) + "; only LORA is supported");
    if (json.contains("use_dora") && !idle(json["use_dora"])) fail(file, "use_dora is set; DoRA is not supported");
    if (const auto bias = json.value("bias", Json("none")); bias != "none")
        fail(file, "bias is " + bias.dump().substr(0, 60) + "; only \"none\" is supported");
    for (const auto& [key, value] : json.items())
        if (!kHarmless.contains(key) && !idle(value))
            fail(file, key + " is " + value.dump().substr(0, 60) + "; this variant of LoRA is not supported");
    checkInitialisation(file, json);
}

double number(const fs::path& file, const std::string& key, const Json& value, double low, double high) {
    if (!value.is_number()) fail(file, key + " is " + value.dump().substr(0, 60) + ", expected a number");
    const double result = value.get<double>();
    if (!(result >= low && result <= high)) fail(file, key + " is " + value.dump().substr(0, 60) + ", out of range");
    return result;
}

int rank(const fs::path& file, const std::string& key, const Json& value) {
    if (!value.is_number_integer()) fail(file, key + " is " + value.dump().substr(0, 60) + ", expected an integer");
    return static_cast<int>(number(file, key, value, 1, 65536));
}

const Json& needed(const fs::path& file, const Json& json, const char* key) {
    const auto found = json.find(key);
    if (found == json.end() || found->is_null()) fail(file, std::string(key) + " is missing");
    return *found;
}

Json patterns(const fs::path& file, const Json& json, const char* key) {
    const auto found = json.find(key);
    if (found == json.end() || found->is_null()) return Json::object();
    if (!found->is_object()) fail(file, std::string(key) + " is no object");
    return *found;
}

// Python: re.match(rf"(.*\.)?({pattern})$", path)
Regex patternRegex(const fs::path& file, const std::string& pattern) {
    try {
        return Regex("(?:.*\\.)?(?:" + pattern + ")");
    } catch (const Error& error) {
        fail(file, error.what());
    }
}

template <class Value>
int firstMatch(const std::vector<Regex>& regexes, const std::vector<std::pair<std::string, Value>>& patterns,
               const std::string& path) {
    for (std::size_t i = 0; i < patterns.size(); ++i)
        if (regexes[i].matches(path)) return static_cast<int>(i);
    return -1;
}

}  // namespace

PeftConfig::PeftConfig(const fs::path& file) {
    const std::string text = readFile(file, 1 << 20, "bad_adapter");
    parseJson(text, file, "bad_adapter");  // its errors and its limit of depth
    const Json json = Json::parse(text);
    if (!json.is_object()) fail(file, "is no JSON object");
    checkVariant(file, json);
    config_.r = rank(file, "r", needed(file, json, "r"));
    config_.alpha = number(file, "lora_alpha", needed(file, json, "lora_alpha"), 1e-9, 1e9);
    config_.rslora = json.contains("use_rslora") && json["use_rslora"] == true;
    if (const Json dropout = json.value("lora_dropout", Json(0)); !dropout.is_null())
        config_.dropout = number(file, "lora_dropout", dropout, 0, 1);
    if (const Json base = json.value("base_model_name_or_path", Json()); base.is_string())
        config_.baseModel = base.get<std::string>();
    readTargets(file, needed(file, json, "target_modules").dump());
    const Json ranks = patterns(file, json, "rank_pattern"), alphas = patterns(file, json, "alpha_pattern");
    for (const auto& [pattern, value] : ranks.items()) {
        config_.rankPattern.emplace_back(pattern, rank(file, "rank_pattern " + pattern, value));
        rankRegexes_.push_back(patternRegex(file, pattern));
    }
    for (const auto& [pattern, value] : alphas.items()) {
        config_.alphaPattern.emplace_back(pattern, number(file, "alpha_pattern " + pattern, value, 1e-9, 1e9));
        alphaRegexes_.push_back(patternRegex(file, pattern));
    }
}

void PeftConfig::readTargets(const fs::path& file, const std::string& text) {
    const Json targets = Json::parse(text);
    if (targets == "all-linear") {
        targetList_ = {"q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"};
    } else if (targets.is_string()) {
        try {
            targetRegex_.emplace(targets.get<std::string>());
        } catch (const Error& error) {
            fail(file, "target_modules: " + std::string(error.what()));
        }
    } else if (targets.is_array() && !targets.empty()) {
        for (const Json& target : targets) {
            if (!target.is_string() || target.get<std::string>().empty())
                fail(file, "target_modules holds " + target.dump().substr(0, 60) + ", expected names");
            targetList_.push_back(target.get<std::string>());
        }
    } else {
        fail(file, "target_modules is neither a list of names nor a regular expression");
    }
}

bool PeftConfig::targets(const std::string& target, const std::string& path) const {
    return path == target ||
           (path.size() > target.size() && path.ends_with(target) && path[path.size() - target.size() - 1] == '.');
}

std::optional<ModuleAdapter> PeftConfig::module(const std::string& path) const {
    const bool wanted = targetRegex_
                            ? targetRegex_->matches(path)
                            : std::ranges::any_of(targetList_, [&](const auto& t) { return targets(t, path); });
    if (!wanted) return {};
    const int r = firstMatch(rankRegexes_, config_.rankPattern, path);
    const int a = firstMatch(alphaRegexes_, config_.alphaPattern, path);
    ModuleAdapter adapter{r < 0 ? config_.r : config_.rankPattern[static_cast<std::size_t>(r)].second, 0};
    const double alpha = a < 0 ? config_.alpha : config_.alphaPattern[static_cast<std::size_t>(a)].second;
    adapter.scale = alpha / (config_.rslora ? std::sqrt(adapter.r) : adapter.r);
    return adapter;
}

std::vector<std::string> PeftConfig::unmatchedTargets(const std::vector<std::string>& paths) const {
    std::vector<std::string> unmatched;
    for (const std::string& target : targetList_)
        if (std::ranges::none_of(paths, [&](const auto& path) { return targets(target, path); }))
            unmatched.push_back(target);
    if (targetRegex_ && std::ranges::none_of(paths, [&](const auto& path) { return targetRegex_->matches(path); }))
        unmatched.push_back("the regular expression");
    return unmatched;
}

std::vector<std::string> PeftConfig::unmatchedPatterns(const std::vector<std::string>& paths) const {
    std::vector<std::string> unmatched;
    const auto collect = [&](const auto& regexes, const auto& patterns, const char* key) {
        for (std::size_t i = 0; i < patterns.size(); ++i)
            if (std::ranges::none_of(paths, [&](const auto& path) { return regexes[i].matches(path); }))
                unmatched.push_back(std::string(key) + " \"" + patterns[i].first + '"');
    };
    collect(rankRegexes_, config_.rankPattern, "rank_pattern");
    collect(alphaRegexes_, config_.alphaPattern, "alpha_pattern");
    return unmatched;
}

std::string peftConfigText(const AdapterConfig& config, const ModelConfig& model) {
    Json mapping;
    const auto base = [&](const char* name, const char* module) {
        mapping = {{"base_model_class", name},
                   {"parent_library", std::string("transformers.models.") + module + ".modeling_" + module}};
    };
    switch (model.family) {
        case Family::Llama:
            base("LlamaModel", "llama");
            break;
        case Family::Qwen2:
            base("Qwen2Model", "qwen2");
            break;
        case Family::Qwen3:
            base("Qwen3Model", "qwen3");
            break;
        case Family::Mistral:
            base("MistralModel", "mistral");
            break;
    }
    Json ranks = Json::object(), alphas = Json::object();
    for (const auto& [pattern, r] : config.rankPattern) ranks[pattern] = r;
    for (const auto& [pattern, alpha] : config.alphaPattern) alphas[pattern] = alpha;
    const Json json = {{"alpha_pattern", alphas},
                       {"auto_mapping", config.causalKeys ? Json() : mapping},
                       {"base_model_name_or_path", config.baseModel},
                       {"bias", "none"},
                       {"fan_in_fan_out", false},
                       {"inference_mode", true},
                       {"init_lora_weights", true},
                       {"layers_pattern", nullptr},
                       {"layers_to_transform", nullptr},
                       {"lora_alpha", config.alpha},
                       {"lora_dropout", config.dropout},
                       {"modules_to_save", nullptr},
                       {"peft_type", "LORA"},
                       {"r", config.r},
                       {"rank_pattern", ranks},
                       {"revision", nullptr},
                       {"target_modules", config.targets},
                       {"task_type", config.causalKeys ? Json("CAUSAL_LM") : Json()},
                       {"use_dora", false},
                       {"use_rslora", config.rslora}};
    return json.dump(2) + '\n';
}

}  // namespace candor
