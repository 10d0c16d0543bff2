// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "core/confidence/engine.h"
#include "core/elicit/next_token.h"
#include "core/job.h"

namespace candor {

// What is generated for every question. Defaults are the paper's.
struct GenerationOptions {
    bool greedy = true;  // one answer of the highest (penalised) logits
    int samples = 20;
    Decoding decoding;
    int maxNewTokens = 256;  // less where the model's context ends earlier
    std::uint64_t seed = 0;
    bool stopAtEos = true;                        // at the model's own end-of-text tokens
    std::vector<std::int32_t> stopTokens;         // further ones
    std::vector<std::string> stopStrings;         // end an answer, which then does not contain them
    std::int64_t memory = std::int64_t{1} << 30;  // bytes for cached keys and values
    int answersTogether = 0;                      // answers in flight; 0: chosen by device
};

enum class StopReason : std::uint8_t { StopToken, StopString, Length, Context };
const char* stopReasonName(StopReason reason);  // "eos", "stop", "length", "context"

struct GeneratedToken {
    std::int32_t id = 0;
    double logProbability = 0, entropy = 0;  // of the raw distribution: no penalty, temperature or cut; nats
    NextToken::Top top;                      // its five most probable tokens
};

struct GeneratedAnswer {
    std::string text;                    // without special tokens
    std::vector<GeneratedToken> tokens;  // the stop token included
    StopReason stopped = StopReason::Length;
    double logProbability(bool withStopToken = true) const;  // sum
};

struct GeneratedAnswers {
    GeneratedAnswer greedy;  // empty unless asked for
    std::vector<GeneratedAnswer> samples;
    std::int64_t promptTokens = 0;
};

struct GenerationRequest {
    std::string question;
    std::uint64_t key = 0;          // seeds its samples together with the seed: the question's identity
    std::vector<std::int32_t> ids;  // not empty: this prompt in place of the question's
};

// Answers of a model folder. The beginning that all prompts have is computed once, a prompt once for all its answers,
// and answers that are equal so far together; ended answers make room for the next questions. One thread at a time.
class Generator {
  public:
    // Throws InputError for a folder or option that cannot be used.
    explicit Generator(const std::filesystem::path& modelFolder, const EngineOptions& options = {});
    ~Generator();
    Generator(Generator&&) noexcept;
    Generator& operator=(Generator&&) noexcept;

    // `done` gets each question's answers as they end, on this thread, in any order; what it throws ends the work.
    // A question's answers do not depend on the others (fp32; in bf16 the size of a batch can turn a last bit).
    // Throws InputError (bad_option, bad_prompt: too long for the model or for the memory), Stopped between steps.
    using Done = std::function<void(std::size_t request, GeneratedAnswers answers)>;
    void generate(std::span<const GenerationRequest> requests, const GenerationOptions& options, const Done& done,
                  const EventSink& events = {}, std::stop_token stop = {});

    std::string provenance() const;  // JSON object: model, tokenizer, prompt, versions
    std::string promptHash() const;

  private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace candor
