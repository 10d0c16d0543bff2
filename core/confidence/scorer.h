// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "core/confidence/engine.h"
#include "core/job.h"

namespace candor {

// Confidences of a trained adapter, no project needed. One thread at a time.
class Scorer {
  public:
    // Throws InputError: no adapter or head in `adapterFolder`, one that does not fit the model, a bad option.
    Scorer(const std::filesystem::path& modelFolder, const std::filesystem::path& adapterFolder,
           const EngineOptions& options = {});
    ~Scorer();
    Scorer(Scorer&&) noexcept;
    Scorer& operator=(Scorer&&) noexcept;

    // One confidence a question, in their order. In "last" and "eos" a question's value does not depend on the others.
    std::vector<double> confidences(std::span<const std::string> questions, const EventSink& events = {},
                                    std::stop_token stop = {});

    const std::vector<std::string>& warnings() const;  // of the adapter
    std::string provenance() const;                    // JSON object: model, tokenizer, prompt, read position, versions

  private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace candor
