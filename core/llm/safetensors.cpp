// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/llm/safetensors.h"

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>
#include <ostream>
#include <set>
#include <unordered_map>

#include "core/error.h"
#include "core/llm/files.h"
#include "core/llm/mapped_file.h"
#include "core/llm/safetensors_header.h"

namespace candor {

namespace fs = std::filesystem;

namespace {

constexpr const char* kCode = "bad_safetensors";
constexpr std::uint64_t kLargestHeader = 100'000'000;  // as the safetensors library

[[noreturn]] void fail(const fs::path& file, const std::string& what) {
    throw InputError(kCode, file.string() + ": " + what, file.string());
}

}  // namespace

struct TensorFiles::Impl {
    std::vector<std::unique_ptr<MappedFile>> mappings;
    std::vector<fs::path> files;
    std::vector<TensorView> tensors;
    std::unordered_map<std::string, std::size_t> byName;
    std::map<std::string, std::string> metadata;

    void add(const fs::path& file);
    void addShards(const fs::path& index);
};

void TensorFiles::Impl::add(const fs::path& file) {
    auto mapping = std::make_unique<MappedFile>(file, kCode);
    if (mapping->size() < 8) fail(file, "has " + std::to_string(mapping->size()) + " bytes, no safetensors header");
    std::uint64_t length = 0;
    std::memcpy(&length, mapping->data(), 8);
    if (length > kLargestHeader)
        fail(file, "says that its header has " + std::to_string(length) + " bytes; at most 100000000 are allowed");
    if (length > mapping->size() - 8)
        fail(file, "ends inside its header of " + std::to_string(length) + " bytes: it is truncated");
    const std::byte* data = mapping->data() + 8 + length;
    SafetensorsHeader header;
    try {
        header = parseSafetensorsHeader({reinterpret_cast<const char*>(mapping->data()) + 8, length},
                                        mapping->size() - 8 - length);
    } catch (const std::exception& error) {
        fail(file, error.what());
    }
    for (TensorEntry& entry : header.tensors) {
        if (!byName.emplace(entry.name, tensors.size()).second)
            fail(file, "tensor \"" + entry.name + "\" is in another shard too");
        tensors.push_back({std::move(entry.name), entry.dtype, std::move(entry.shape), data + entry.begin,
                           static_cast<std::size_t>(entry.end - entry.begin)});
    }
    if (files.empty()) metadata = std::move(header.metadata);
    files.push_back(file);
    mappings.push_back(std::move(mapping));
}

void TensorFiles::Impl::addShards(const fs::path& index) {
    const nlohmann::json json = readJson(index, 64 << 20, kCode);
    if (!json.is_object() || !json.contains("weight_map") || !json["weight_map"].is_object())
        fail(index, "has no weight_map");
    std::set<std::string> shards;
    for (const auto& [tensor, file] : json["weight_map"].items()) {
        if (!file.is_string()) fail(index, "weight_map of \"" + tensor + "\" is no file name");
        const auto name = file.get<std::string>();
        if (name.empty() || name.starts_with('.') || name.find_first_of("/\\") != std::string::npos)
            fail(index, "shard \"" + name + "\" is not a plain file name beside the index");
        shards.insert(name);
    }
    if (shards.empty()) fail(index, "weight_map names no shard");
    for (const std::string& shard : shards) add(index.parent_path() / shard);
    for (const auto& [tensor, file] : json["weight_map"].items())
        if (!byName.contains(tensor)) fail(index, "tensor \"" + tensor + "\" is not in " + file.get<std::string>());
}

TensorFiles::TensorFiles(const fs::path& fileOrFolder) : impl_(std::make_unique<Impl>()) {
    std::error_code error;
    if (!fs::is_directory(fileOrFolder, error)) {
        impl_->add(fileOrFolder);
    } else if (fs::exists(fileOrFolder / "model.safetensors")) {
        impl_->add(fileOrFolder / "model.safetensors");
    } else if (fs::exists(fileOrFolder / "model.safetensors.index.json")) {
        impl_->addShards(fileOrFolder / "model.safetensors.index.json");
    } else {
        fail(fileOrFolder,
             "no model.safetensors and no model.safetensors.index.json here; weights of another format must be "
             "converted first (save_pretrained writes safetensors)");
    }
}

TensorFiles::~TensorFiles() = default;
TensorFiles::TensorFiles(TensorFiles&&) noexcept = default;
TensorFiles& TensorFiles::operator=(TensorFiles&&) noexcept = default;

const TensorView* TensorFiles::find(const std::string& name) const {
    const auto found = impl_->byName.find(name);
    return found == impl_->byName.end() ? nullptr : &impl_->tensors[found->second];
}

const std::vector<TensorView>& TensorFiles::tensors() const { return impl_->tensors; }
const std::vector<fs::path>& TensorFiles::files() const { return impl_->files; }
const std::map<std::string, std::string>& TensorFiles::metadata() const { return impl_->metadata; }

void writeSafetensors(const fs::path& file, const std::vector<TensorView>& tensors,
                      const std::map<std::string, std::string>& metadata) {
    std::vector<const TensorView*> order;
    for (const TensorView& tensor : tensors) order.push_back(&tensor);
    // Wide types first keeps every tensor aligned to its own size.
    std::ranges::stable_sort(order, [](const TensorView* a, const TensorView* b) {
        const std::size_t x = dtypeSize(a->dtype), y = dtypeSize(b->dtype);
        return x != y ? x > y : a->name < b->name;
    });
    nlohmann::ordered_json header = nlohmann::ordered_json::object();
    if (!metadata.empty()) header["__metadata__"] = metadata;
    std::uint64_t place = 0;
    for (const TensorView* tensor : order) {
        if (header.contains(tensor->name)) throw Error(file.string() + ": two tensors are named " + tensor->name);
        if (tensor->bytes != static_cast<std::size_t>(tensor->elements()) * dtypeSize(tensor->dtype))
            throw Error(file.string() + ": tensor " + tensor->name + " does not hold what its shape says");
        header[tensor->name] = {{"dtype", dtypeName(tensor->dtype)},
                                {"shape", tensor->shape},
                                {"data_offsets", {place, place + tensor->bytes}}};
        place += tensor->bytes;
    }
    std::string text = header.dump();
    text.append(63 - (8 + text.size() + 63) % 64, ' ');
    writeAtomically(file, [&](std::ostream& out) {
        const std::uint64_t length = text.size();
        out.write(reinterpret_cast<const char*>(&length), 8);
        out.write(text.data(), static_cast<std::streamsize>(text.size()));
        for (const TensorView* tensor : order)
            out.write(reinterpret_cast<const char*>(tensor->data), static_cast<std::streamsize>(tensor->bytes));
    });
}

}  // namespace candor
