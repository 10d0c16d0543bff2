// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/confidence/adapter_files.h"

#include <algorithm>
#include <set>
#include <unordered_map>

#include "core/confidence/adapter_config.h"
#include "core/confidence/adapter_parts.h"
#include "core/error.h"

namespace candor {

namespace fs = std::filesystem;

namespace {

[[noreturn]] void fail(const fs::path& file, const std::string& what) {
    throw InputError("bad_adapter", file.string() + ": " + what, file.string());
}

const std::string kPrefix = "base_model.model.";

fs::path tensorFile(const fs::path& folder) {
    for (const char* name : {"adapter_model.safetensors", "adapter_model.bin"})
        if (fs::exists(folder / name)) return folder / name;
    fail(folder, "no adapter_model.safetensors and no adapter_model.bin here");
}

// Whether keys are those of a causal model, which wraps the layers once more.
bool causalSpelling(const fs::path& file, const std::vector<TensorView>& tensors) {
    std::set<bool> spellings;
    for (const TensorView& tensor : tensors) {
        if (tensor.name.starts_with(kPrefix + "layers."))
            spellings.insert(false);
        else if (tensor.name.starts_with(kPrefix + "model.layers."))
            spellings.insert(true);
        else
            fail(file, "has an extra tensor \"" + tensor.name.substr(0, 200) + "\", which belongs to no layer");
    }
    if (spellings.empty()) fail(file, "holds no tensor");
    if (spellings.size() > 1) fail(file, "mixes the key spellings of a causal and of a plain model");
    return *spellings.begin();
}

class AdapterReader {
  public:
    AdapterReader(const fs::path& folder, const ModelConfig& model)
        : model_(model),
          peft_(folder / "adapter_config.json"),
          file_(tensorFile(folder)),
          tensors_(readTensors(file_)) {
        for (const TensorView& view : tensors_.views) byName_.emplace(view.name, &view);
    }

    Adapter read() {
        adapter_.config = peft_.config();
        adapter_.config.causalKeys = causalSpelling(file_, tensors_.views);
        const std::string wrap = adapter_.config.causalKeys ? "model." : "";
        std::vector<std::string> paths;
        std::set<std::string> targets;
        for (int layer = 0; layer < model_.layers; ++layer)
            for (const ModuleSize& module : linearModules(model_)) {
                paths.push_back(wrap + "layers." + std::to_string(layer) + "." + module.path);
                const auto wanted = peft_.module(paths.back());
                if (!wanted) continue;
                targets.insert(module.name);
                readModule(layer, module, *wanted, kPrefix + paths.back());
            }
        checkNames(paths);
        for (const ModuleSize& module : linearModules(model_))
            if (targets.contains(module.name)) adapter_.config.targets.push_back(module.name);
        return std::move(adapter_);
    }

  private:
    void readModule(int layer, const ModuleSize& module, const ModuleAdapter& wanted, const std::string& key) {
        LoraWeights lora{layer, module.name, wanted.r, wanted.scale, module.in, module.out, {}, {}};
        lora.a = take(key + ".lora_A.weight", {wanted.r, module.in});
        lora.b = take(key + ".lora_B.weight", {module.out, wanted.r});
        adapter_.lora.push_back(std::move(lora));
    }

    std::vector<float> take(const std::string& name, const std::vector<std::int64_t>& shape) {
        const auto found = byName_.find(name);
        if (found == byName_.end()) {
            if (missing_.empty()) missing_ = name;
            return {};
        }
        const TensorView& view = *found->second;
        byName_.erase(found);
        return checkedFloats(file_, view, shape);
    }

    // Says first what explains most: a target that the model does not have, then what is missing, then what is extra.
    void checkNames(const std::vector<std::string>& paths) {
        const auto unknown = peft_.unmatchedTargets(paths);
        if (!unknown.empty())
            fail(file_.parent_path() / "adapter_config.json",
                 "unknown target \"" + unknown.front() + "\" in target_modules: the model has no such linear module");
        if (!missing_.empty()) fail(file_, "missing tensor \"" + missing_ + "\", which target_modules asks for");
        if (!byName_.empty()) {
            std::string first = byName_.begin()->first;
            for (const auto& [name, view] : byName_) first = std::min(first, name);
            fail(file_, "has an extra tensor \"" + first.substr(0, 200) + "\", which target_modules does not ask for");
        }
        for (const std::string& pattern : peft_.unmatchedPatterns(paths))
            adapter_.warnings.push_back(pattern + " matches no module");
    }

    const ModelConfig& model_;
    PeftConfig peft_;
    fs::path file_;
    NamedTensors tensors_;
    std::unordered_map<std::string, const TensorView*> byName_;
    std::string missing_;
    Adapter adapter_;
};

bool allZero(const std::vector<LoraWeights>& lora) {
    return std::ranges::all_of(lora, [](const LoraWeights& weights) {
        return std::ranges::all_of(weights.b, [](float value) { return value == 0; });
    });
}

}  // namespace

Adapter readAdapter(const fs::path& folder, const ModelConfig& model, bool forScoring) {
    std::error_code error;
    if (!fs::is_directory(folder, error)) fail(folder, "no such folder; expected a PEFT adapter folder");
    if (!fs::exists(folder / "adapter_config.json")) fail(folder, "no adapter_config.json here");
    Adapter adapter = AdapterReader(folder, model).read();
    adapter.headFile = findHead(folder);
    adapter.head = readHead(adapter.headFile, model.hiddenSize);
    if (forScoring && allZero(adapter.lora))
        fail(folder,
             "all B matrices are zero: the adapter was never trained (or was loaded under other key names) and "
             "does nothing");
    return adapter;
}

}  // namespace candor
