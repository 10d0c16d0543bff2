// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <list>
#include <set>

#include "core/confidence/torch/engine_model.h"
#include "core/elicit/torch/branch.h"
#include "core/llm/torch/cached_decoder.h"

namespace candor {

// One call of Generator::generate: takes questions in while there is room, steps all open branches by one token.
class Generation {
  public:
    // Encodes the prompts and makes room in the cache. `start`: tokens whose keys are in, or go to, its first rows.
    Generation(const EngineModel& model, CachedDecoder& cache, const std::vector<std::int32_t>& start,
               std::span<const GenerationRequest> requests, const GenerationOptions& options);

    void computeStart();
    void run(const Generator::Done& done, const EventSink& events, std::stop_token stop);

  private:
    // What one branch's distribution gives each of its members.
    struct Choice {
        GeneratedToken token;
        int member;
    };

    std::size_t answers() const { return static_cast<std::size_t>(options_.samples) + (options_.greedy ? 1 : 0); }
    int allowedTokens(std::size_t request) const;
    std::size_t rowsNeeded(std::size_t request) const;  // of the cache, at worst
    void reserveCache();
    void admit();
    void step();
    std::vector<Choice> choose(const Branch& branch, std::span<float> logits) const;
    void grow(const Branch& branch, const std::vector<Choice>& choices, std::vector<Branch>& next);
    bool ends(OpenQuestion& question, const Choice& choice);
    void deliver(const Generator::Done& done);
    void report(const EventSink& events, double seconds) const;
    GeneratedAnswer& answerOf(OpenQuestion& question, int member) const;

    const EngineModel& model_;
    CachedDecoder& cache_;
    const std::vector<std::int32_t>& start_;
    std::span<const GenerationRequest> requests_;
    const GenerationOptions& options_;
    std::vector<std::vector<std::int32_t>> prompts_;
    std::set<std::int32_t> stopTokens_;
    std::size_t together_ = 0;             // answers in flight at most
    std::vector<std::int32_t> freeRows_;   // of the cache
    std::size_t next_ = 0, finished_ = 0;  // requests
    std::list<OpenQuestion> questions_;
    std::vector<Branch> branches_;
};

}  // namespace candor
