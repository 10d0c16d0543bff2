// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <string>

#include "core/llm/config.h"

namespace candor {

// A model folder of the Hugging Face kind; also accepts a hub cache entry (models--org--name), whose newest snapshot
// it resolves to. Throws InputError ("bad_model") naming what is missing.
std::filesystem::path resolveModelFolder(const std::filesystem::path& folder);

// Identifies the weights and configuration: SHA-256 over each tensor's name, dtype, shape and bytes (all of small
// tensors, evenly spaced 4 KiB blocks of large ones) and over what config.json says of the architecture. Does not
// depend on sharding, file names or metadata. Reads at most 64 KiB a tensor: about 0.1 s for 200 tensors once cached.
std::string modelHash(const std::filesystem::path& folder);

}  // namespace candor
