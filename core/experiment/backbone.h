// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "core/job.h"
#include "core/train/objective.h"

namespace candor {

struct AdapterOptions {
    int r = 8;
    double alpha = 16;
    double dropout = 0;
    std::vector<std::string> targets = {"q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"};
    std::string head = "linear";
    bool operator==(const AdapterOptions&) const = default;
};

// What a frozen language model offers an experiment. core/confidence implements it over libtorch; experiments on
// cached states need none. Not thread safe.
class Backbone {
  public:
    virtual ~Backbone() = default;

    // JSON object of what identifies the numbers: model, tokenizer, template and prompt hash, read position, dtype,
    // versions. Stored with every run and beside every exported adapter.
    virtual std::string provenance() const = 0;
    // Names the cached states: hash over model, tokenizer, prompt, read position, layer and dtype.
    virtual std::string stateKey(int layer = -1) const = 0;
    virtual int width() const = 0;  // hidden size

    // Hidden states at the read position after the final norm (layer -1), row-major questions x width(), fp32.
    virtual std::vector<float> hiddenStates(std::span<const std::string> questions, const EventSink& events,
                                            std::stop_token stop, int layer = -1) = 0;

    // A LoRA adapter and head over these questions: A Kaiming uniform, B zero, head U(+-1/sqrt(d)), from `seed`.
    virtual std::unique_ptr<Objective> lora(const AdapterOptions& options, std::span<const std::string> questions,
                                            std::uint64_t seed) = 0;

    // Writes parameters() of a lora() objective as a PEFT folder with vector_head.pt and a sidecar, atomically.
    virtual void saveAdapter(Objective& objective, const AdapterOptions& options, const std::filesystem::path& folder,
                             const std::string& sidecarJson) = 0;
};

}  // namespace candor
