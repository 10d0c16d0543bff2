// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>

#include "core/confidence/adapter_files.h"
#include "core/confidence/adapter_parts.h"
#include "core/confidence/pt_file.h"
#include "core/error.h"

namespace candor {

namespace fs = std::filesystem;

namespace {

[[noreturn]] void fail(const fs::path& file, const std::string& what) {
    throw InputError("bad_adapter", file.string() + ": " + what, file.string());
}

std::string shapeText(const std::vector<std::int64_t>& shape) {
    std::string text = "[";
    for (const std::int64_t size : shape) text += (text.size() > 1 ? ", " : "") + std::to_string(size);
    return text + "]";
}

// Head files in `folder`: a .pt counts before a .safetensors of the same name, since other tools rewrite only that.
std::vector<fs::path> headFiles(const fs::path& folder) {
    std::vector<fs::path> found;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(folder, error)) {
        const fs::path& path = entry.path();
        const bool named = path.filename().string().starts_with("vector_head");
        if (named && (path.extension() == ".pt" || path.extension() == ".safetensors")) found.push_back(path);
    }
    std::erase_if(found, [&](const fs::path& path) {
        return path.extension() == ".safetensors" && fs::exists(fs::path(path).replace_extension(".pt"));
    });
    std::ranges::sort(found);
    return found;
}

// "lora_epoch_best" and "vector_head_epoch_best.pt" belong together.
std::vector<fs::path> ofSameSuffix(const std::vector<fs::path>& files, const std::string& folder) {
    std::vector<fs::path> matching;
    const std::size_t at = folder.find('_');
    const std::string suffix = at == std::string::npos ? std::string() : folder.substr(at);
    for (const fs::path& file : files)
        if (file.stem().string() == "vector_head" + suffix) matching.push_back(file);
    return matching;
}

}  // namespace

const TensorView* NamedTensors::find(const std::string& name) const {
    for (const TensorView& tensor : views)
        if (tensor.name == name) return &tensor;
    return nullptr;
}

NamedTensors readTensors(const fs::path& file) {
    NamedTensors result;
    if (file.extension() == ".safetensors") {
        result.mapped = std::make_unique<TensorFiles>(file);
        result.views = result.mapped->tensors();
    } else {
        result.owned = readPt(file);
        for (const OwnedTensor& tensor : result.owned) result.views.push_back(tensor.view());
    }
    return result;
}

std::vector<float> checkedFloats(const fs::path& file, const TensorView& tensor,
                                 const std::vector<std::int64_t>& shape) {
    if (tensor.shape != shape)
        fail(file, "tensor \"" + tensor.name + "\" has the wrong shape: expected " + shapeText(shape) + ", got " +
                       shapeText(tensor.shape));
    std::vector<float> values;
    try {
        values = toFloats(tensor);
    } catch (const Error& error) {
        fail(file, error.what());
    }
    if (!std::ranges::all_of(values, [](float value) { return std::isfinite(value); }))
        fail(file, "tensor \"" + tensor.name + "\" holds a value that is not finite");
    return values;
}

HeadWeights readHead(const fs::path& file, int width) {
    NamedTensors tensors = readTensors(file);
    for (TensorView& view : tensors.views)  // a module saved from inside DistributedDataParallel
        if (view.name.starts_with("module.")) view.name.erase(0, 7);
    const bool linear = tensors.find("weight") != nullptr;
    const std::vector<std::string> prefixes =
        linear ? std::vector<std::string>{""} : std::vector<std::string>{"0.", "2.", "4."};
    HeadWeights head;
    int in = width;
    for (const std::string& prefix : prefixes) {
        const TensorView* weight = tensors.find(prefix + "weight");
        const TensorView* bias = tensors.find(prefix + "bias");
        if (!weight || !bias)
            fail(file, "has no tensor \"" + prefix + (weight ? "bias" : "weight") +
                           "\"; expected weight and bias (linear), or those of 0, 2 and 4 (three layers)");
        const bool last = &prefix == &prefixes.back();
        const std::int64_t rows = last ? 1 : weight->shape.empty() ? 0 : weight->shape[0];
        if (rows < 1 || rows > (1 << 20))
            fail(file, "tensor \"" + weight->name + "\" has the wrong shape " + shapeText(weight->shape));
        LinearWeights layer{in, static_cast<int>(rows), {}, {}};
        layer.weight = checkedFloats(file, *weight, {rows, in});
        layer.bias = checkedFloats(file, *bias, {rows});
        in = layer.out;
        head.layers.push_back(std::move(layer));
    }
    for (const TensorView& view : tensors.views) {
        const auto known = [&](const std::string& prefix) {
            return view.name == prefix + "weight" || view.name == prefix + "bias";
        };
        if (std::ranges::none_of(prefixes, known))
            fail(file, "has an extra tensor \"" + view.name.substr(0, 200) + "\"");
    }
    return head;
}

fs::path findHead(const fs::path& folder) {
    const fs::path whole = fs::absolute(folder / "x").lexically_normal().parent_path();
    for (const fs::path& place : {whole, whole.parent_path()}) {
        const std::vector<fs::path> files = headFiles(place);
        if (files.empty()) continue;
        if (files.size() == 1) return files.front();
        const std::vector<fs::path> matching = ofSameSuffix(files, whole.filename().string());
        if (matching.size() == 1) return matching.front();
        std::string names;
        for (const fs::path& file : files) names += (names.empty() ? "" : ", ") + file.filename().string();
        fail(place, "several heads (" + names + "), none named for " + whole.filename().string() +
                        "; put the right one into the adapter's folder");
    }
    fail(folder, "no head: expected vector_head*.pt or vector_head*.safetensors here or in the folder above");
}

}  // namespace candor
