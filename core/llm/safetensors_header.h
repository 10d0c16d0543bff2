// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/llm/safetensors.h"

namespace candor {

// One entry of a safetensors header; offsets count from the end of the header.
struct TensorEntry {
    std::string name;
    Dtype dtype = Dtype::F32;
    std::vector<std::int64_t> shape;
    std::uint64_t begin = 0, end = 0;
};

struct SafetensorsHeader {
    std::vector<TensorEntry> tensors;  // by place in the file
    std::map<std::string, std::string> metadata;
};

// Parses and checks the JSON of a header over `dataSize` bytes of data: known dtypes, no key twice, every tensor's
// bytes inside, without gap or overlap, as many as its shape says. Memory stays in proportion to the text.
// Throws std::runtime_error saying what is wrong.
SafetensorsHeader parseSafetensorsHeader(std::string_view json, std::uint64_t dataSize);

}  // namespace candor
