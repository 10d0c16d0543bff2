// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>

#include "core/confidence/engine.h"
#include "core/experiment/backbone.h"

namespace candor {

// A Backbone over libtorch that can also go on with an adapter which exists.
class TorchBackbone : public Backbone {
  public:
    // An adapter folder as a trainable objective over these questions; its r, alpha, patterns, targets and head stay,
    // `dropout` is the adapter's. A fresh adapter (all B zero) is welcome. Throws InputError ("bad_adapter").
    virtual std::unique_ptr<Objective> loadLora(const std::filesystem::path& adapterFolder,
                                                std::span<const std::string> questions, std::uint64_t seed) = 0;
};

// Opens a Hugging Face model folder (llama, qwen2, qwen3, mistral). Checks the machine first (core/llm/machine.h).
// Throws InputError for a folder or option that cannot be used, Error for a machine that computes wrong numbers.
std::shared_ptr<TorchBackbone> openBackbone(const std::filesystem::path& modelFolder,
                                            const EngineOptions& options = {});

}  // namespace candor
