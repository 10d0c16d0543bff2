// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <functional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "core/confidence/engine.h"
#include "core/confidence/torch/adapter_tensors.h"
#include "core/job.h"
#include "core/llm/machine.h"
#include "core/llm/tokenizer.h"
#include "core/llm/torch/decoder.h"
#include "core/llm/torch/device.h"

namespace candor {

enum class ReadPosition : std::uint8_t { Last, Eos, Padded };

// A model folder opened with its tokenizer, prompt and read position: what backbone, objective and scorer share.
class EngineModel {
  public:
    EngineModel(const std::filesystem::path& folder, const EngineOptions& options);

    // Token rows of questions as they are read; `padded` rows get their read-out from pad().
    std::vector<TokenRow> encode(std::span<const std::string> questions) const;
    // Read-outs of rows that one right-padded batch holds; the longest rows keep their last token.
    void pad(std::span<TokenRow> batch) const;
    // pad() over consecutive batches of options.batch rows (0: all), where the read position asks for it.
    void padInOrder(std::vector<TokenRow>& rows) const;

    // Computes `each` over batches of rows (inference mode) and reports progress under `stage`. `each` gets the hidden
    // states at the read tokens and the rows' indices. Throws Stopped between batches.
    using Batch = std::function<void(const at::Tensor& hidden, const std::vector<std::int64_t>& rows)>;
    void forward(const std::vector<TokenRow>& rows, const std::vector<LayerLora>* lora, int layer, const Batch& each,
                 const EventSink& events = {}, std::stop_token stop = {}, const std::string& stage = {}) const;
    std::vector<double> confidences(const std::vector<TokenRow>& rows, const AdapterTensors& adapter,
                                    const EventSink& events = {}, std::stop_token stop = {}) const;

    std::string provenance() const;
    std::string stateKey(int layer) const;
    const Decoder& decoder() const { return decoder_; }
    const Tokenizer& tokenizer() const { return tokenizer_; }
    const Prompt& prompt() const { return prompt_; }
    ReadPosition readPosition() const { return readPosition_; }
    std::int64_t batchTokens() const;
    const std::filesystem::path& folder() const { return folder_; }

  private:
    std::filesystem::path folder_;
    EngineOptions options_;
    ReadPosition readPosition_;
    const MachineReport& machine_;
    Decoder decoder_;
    Tokenizer tokenizer_;
    Prompt prompt_;
    std::string eos_;         // appended text of read position "eos"
    std::int32_t padId_ = 0;  // of read position "padded"
    mutable std::string modelHash_;
};

}  // namespace candor
