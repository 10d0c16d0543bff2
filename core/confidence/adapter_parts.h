// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/confidence/pt_file.h"
#include "core/llm/safetensors.h"

namespace candor {

// Tensors of a .safetensors, .pt or .bin file; views live as long as this.
struct NamedTensors {
    std::unique_ptr<TensorFiles> mapped;
    std::vector<OwnedTensor> owned;
    std::vector<TensorView> views;
    const TensorView* find(const std::string& name) const;
};
NamedTensors readTensors(const std::filesystem::path& file);

// The tensor as fp32; throws InputError ("bad_adapter") if its shape is another or a value is not finite.
std::vector<float> checkedFloats(const std::filesystem::path& file, const TensorView& tensor,
                                 const std::vector<std::int64_t>& shape);

// The head that belongs to an adapter folder: in it or beside it. Throws InputError if there is none or no telling.
std::filesystem::path findHead(const std::filesystem::path& folder);

}  // namespace candor
