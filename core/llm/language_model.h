// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/llm/config.h"

namespace candor {

// A decoder on token ids: hidden states and next-token logits. One thread at a time.
class LanguageModel {
  public:
    using Ids = std::vector<std::int32_t>;

    // `dtype` "fp32", "bf16" or "auto", `device` "auto", "cpu" or "cuda:N". Throws InputError, Error.
    explicit LanguageModel(const std::filesystem::path& folder, const std::string& dtype = "fp32",
                           const std::string& device = "auto", int threads = 0);
    ~LanguageModel();
    LanguageModel(LanguageModel&&) noexcept;
    LanguageModel& operator=(LanguageModel&&) noexcept;

    const ModelConfig& config() const;

    // fp32 [rows, width] at each row's last token; `layer` as transformers' hidden_states (-1: after the final norm).
    std::vector<float> lastHidden(std::span<const Ids> rows, int layer = -1) const;
    std::vector<float> allHidden(const Ids& row, int layer = -1) const;  // fp32 [tokens, width]
    std::vector<float> logits(std::span<const Ids> rows) const;  // fp32 [rows, vocab] after each row's last token

    // Uses plain ATen operations in place of the project's own kernels, to compare the two.
    void setPlain(bool plain);

  private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace candor
