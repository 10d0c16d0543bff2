// SPDX-License-Identifier: GPL-3.0-or-later
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <nlohmann/json.hpp>
#include <ostream>

#include "core/confidence/adapter_config.h"
#include "core/confidence/adapter_files.h"
#include "core/confidence/pt_file.h"
#include "core/error.h"
#include "core/llm/files.h"

namespace candor {

namespace fs = std::filesystem;

namespace {

TensorView viewOf(std::string name, std::vector<std::int64_t> shape, const std::vector<float>& values) {
    return {std::move(name), Dtype::F32, std::move(shape), reinterpret_cast<const std::byte*>(values.data()),
            values.size() * sizeof(float)};
}

std::vector<TensorView> loraTensors(const Adapter& adapter, const ModelConfig& model) {
    std::vector<TensorView> tensors;
    const std::vector<ModuleSize> modules = linearModules(model);
    for (const LoraWeights& lora : adapter.lora) {
        const auto module = std::ranges::find(modules, lora.module, &ModuleSize::name);
        const bool fits = module != modules.end() && lora.in == module->in && lora.out == module->out && lora.r > 0 &&
                          lora.layer >= 0 && lora.layer < model.layers &&
                          lora.a.size() == static_cast<std::size_t>(lora.r) * static_cast<std::size_t>(lora.in) &&
                          lora.b.size() == static_cast<std::size_t>(lora.out) * static_cast<std::size_t>(lora.r);
        if (!fits)
            throw Error("the adapter of layer " + std::to_string(lora.layer) + " " + lora.module +
                        " does not fit the model");
        const std::string key = std::string(adapter.config.causalKeys ? "base_model.model.model" : "base_model.model") +
                                ".layers." + std::to_string(lora.layer) + "." + module->path;
        tensors.push_back(viewOf(key + ".lora_A.weight", {lora.r, lora.in}, lora.a));
        tensors.push_back(viewOf(key + ".lora_B.weight", {lora.out, lora.r}, lora.b));
    }
    return tensors;
}

std::vector<TensorView> headTensors(const HeadWeights& head) {
    std::vector<TensorView> tensors;
    for (std::size_t i = 0; i < head.layers.size(); ++i) {
        const LinearWeights& layer = head.layers[i];
        const std::string prefix = head.layers.size() == 1 ? std::string() : std::to_string(2 * i) + ".";
        tensors.push_back(viewOf(prefix + "weight", {layer.out, layer.in}, layer.weight));
        tensors.push_back(viewOf(prefix + "bias", {layer.out}, layer.bias));
    }
    if (tensors.empty()) throw Error("the head has no layers");
    return tensors;
}

void writeText(const fs::path& file, const std::string& text) {
    writeAtomically(file, [&](std::ostream& out) { out << text; });
}

// Puts `made` where `folder` is, in one step where the file system can exchange two names.
void replaceFolder(const fs::path& made, const fs::path& folder) {
    if (!fs::exists(folder)) return fs::rename(made, folder);
    if (::renameat2(AT_FDCWD, made.c_str(), AT_FDCWD, folder.c_str(), RENAME_EXCHANGE) == 0) {
        fs::remove_all(made);
        return;
    }
    const fs::path old = temporaryBeside(folder);
    fs::rename(folder, old);
    fs::rename(made, folder);
    fs::remove_all(old);
}

}  // namespace

void writeAdapter(const fs::path& target, const Adapter& adapter, const ModelConfig& model,
                  const std::string& sidecarJson) {
    const fs::path folder = fs::absolute(target / "x").lexically_normal().parent_path();
    if (fs::exists(folder) && !fs::is_empty(folder) && !fs::exists(folder / "adapter_config.json"))
        throw Error(folder.string() + ": holds something that is no adapter; choose another folder");
    const std::vector<TensorView> lora = loraTensors(adapter, model), head = headTensors(adapter.head);
    const fs::path made = temporaryBeside(folder);
    try {
        fs::create_directories(made);
        writeText(made / "adapter_config.json", peftConfigText(adapter.config, model));
        writeSafetensors(made / "adapter_model.safetensors", lora);
        writePt(made / "vector_head.pt", head);
        writeSafetensors(made / "vector_head.safetensors", head);
        writeText(made / "honesty_run.json", sidecarJson.empty() ? "{}\n" : sidecarJson + "\n");
        replaceFolder(made, folder);
    } catch (const fs::filesystem_error& error) {
        std::error_code ignored;
        fs::remove_all(made, ignored);
        throw Error(folder.string() + ": cannot be written: " + error.code().message());
    } catch (...) {
        std::error_code ignored;
        fs::remove_all(made, ignored);
        throw;
    }
}

}  // namespace candor
