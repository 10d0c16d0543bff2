// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/llm/model_folder.h"

#include <algorithm>
#include <sstream>

#include "core/error.h"
#include "core/llm/files.h"
#include "core/llm/hash.h"
#include "core/llm/safetensors.h"

namespace candor {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kBlock = 4096;
constexpr std::size_t kBlocks = 16;

// What of the configuration changes numbers; spelled here so that a config's other keys and spelling do not matter.
std::string architecture(const ModelConfig& c) {
    std::ostringstream text;
    text.precision(17);
    text << static_cast<int>(c.family) << ' ' << c.hiddenSize << ' ' << c.layers << ' ' << c.heads << ' ' << c.kvHeads
         << ' ' << c.headDim << ' ' << c.intermediate << ' ' << c.rmsEps << ' ' << static_cast<int>(c.rope.type) << ' '
         << c.rope.theta << ' ' << c.rope.factor << ' ' << c.rope.lowFreqFactor << ' ' << c.rope.highFreqFactor << ' '
         << c.rope.originalPositions << ' ' << c.tieEmbeddings << c.qkvBias << c.oBias << c.mlpBias << c.qkNorm << ' '
         << c.slidingWindow.value_or(0) << ' ';
    for (const bool slides : c.slidingLayers) text << slides;
    return text.str();
}

void addTensor(Sha256& hash, const TensorView& tensor) {
    std::string head = tensor.name + '\n' + dtypeName(tensor.dtype);
    for (const std::int64_t size : tensor.shape) head += ' ' + std::to_string(size);
    hash.update(head + '\n');
    if (tensor.bytes <= kBlock * kBlocks) {
        hash.update(tensor.data, tensor.bytes);
        return;
    }
    const std::size_t step = (tensor.bytes - kBlock) / (kBlocks - 1);
    for (std::size_t i = 0; i + 1 < kBlocks; ++i) hash.update(tensor.data + i * step, kBlock);
    hash.update(tensor.data + tensor.bytes - kBlock, kBlock);
}

}  // namespace

fs::path resolveModelFolder(const fs::path& folder) {
    std::error_code error;
    if (!fs::is_directory(folder, error))
        throw InputError("bad_model", folder.string() + ": no such folder; expected a Hugging Face model folder");
    if (fs::exists(folder / "config.json")) return folder;
    // A hub cache entry: refs/main names the snapshot, else the newest one counts.
    const fs::path snapshots = folder / "snapshots";
    if (fs::is_regular_file(folder / "refs" / "main", error)) {
        std::string revision = readFile(folder / "refs" / "main", 256, "bad_model");
        while (!revision.empty() && revision.back() <= ' ') revision.pop_back();
        if (revision.find('/') == std::string::npos && fs::exists(snapshots / revision / "config.json"))
            return snapshots / revision;
    }
    fs::path newest;
    if (fs::is_directory(snapshots, error))
        for (const auto& entry : fs::directory_iterator(snapshots))
            if (fs::exists(entry.path() / "config.json") &&
                (newest.empty() || fs::last_write_time(entry.path()) > fs::last_write_time(newest)))
                newest = entry.path();
    if (newest.empty())
        throw InputError("bad_model", folder.string() + ": no config.json here; expected a Hugging Face model folder");
    return newest;
}

std::string modelHash(const fs::path& folder) {
    const TensorFiles files(folder);
    std::vector<const TensorView*> order;
    for (const TensorView& tensor : files.tensors()) order.push_back(&tensor);
    std::ranges::sort(order, {}, [](const TensorView* tensor) -> const std::string& { return tensor->name; });
    Sha256 hash;
    hash.update("candor model 1\n" + architecture(readConfig(folder)) + '\n');
    for (const TensorView* tensor : order) addTensor(hash, *tensor);
    return hash.hex();
}

}  // namespace candor
