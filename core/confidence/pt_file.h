// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/llm/safetensors.h"

namespace candor {

// A tensor that owns its values (row-major, little endian).
struct OwnedTensor {
    std::string name;
    Dtype dtype = Dtype::F32;
    std::vector<std::int64_t> shape;
    std::vector<std::byte> bytes;
    TensorView view() const { return {name, dtype, shape, bytes.data(), bytes.size()}; }
};

// Reads a state dict that torch.save wrote (zip form): an OrderedDict or dict of tensors or Parameters, in file
// order; nested dicts are flattened with dots. Runs no code: any other object in the pickle is an error that names
// it. Throws InputError ("bad_pt").
std::vector<OwnedTensor> readPt(const std::filesystem::path& file);

// Writes an OrderedDict of tensors that torch.load(weights_only=True) reads. Atomic.
void writePt(const std::filesystem::path& file, const std::vector<TensorView>& tensors);

}  // namespace candor
