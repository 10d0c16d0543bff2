// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace candor {

// How a token is drawn. Defaults are the paper's.
struct Decoding {
    double temperature = 1;  // 0: greedy
    int topK = 50;           // 0: all
    double topP = 0.95;      // 1: all
    double repetitionPenalty = 1.05;
};

// The distribution after one history: what it is raw, and draws from it as vLLM shapes it: repetition penalty, then
// temperature, then top-k (ties with the k-th stay), then top-p (what is dropped sums to at most 1 - p).
// Works in place on `logits`, which must outlive it.
class NextToken {
  public:
    using Top = std::vector<std::pair<std::int32_t, float>>;  // id, log-probability, best first

    explicit NextToken(std::span<float> logits);

    // Of the raw distribution, natural logarithms.
    double entropy() const { return entropy_; }
    const Top& top() const { return top_; }  // the first five
    double logProbability(std::int32_t id) const;

    // Positive logits of the ids seen (prompt and answer; sorted, each once) are divided by the penalty, others
    // multiplied. Call at most once, before best() and shape().
    void penalise(std::span<const std::int32_t> seen, double penalty);
    std::int32_t best() const;  // the lowest id where several are equal
    void shape(const Decoding& decoding);
    std::int32_t draw(double uniform) const;  // in [0, 1), after shape()

  private:
    std::vector<std::int32_t> largest(std::size_t count) const;  // ids of the largest logits and their ties, unordered
    void measureBlock(std::size_t block);

    std::span<float> logits_;
    std::vector<float> maxima_;  // of each block of logits
    double logSum_ = 0, entropy_ = 0;
    Top top_;
    std::vector<std::pair<std::int32_t, float>> raw_;          // logits that the penalty changed
    std::vector<std::pair<std::int32_t, double>> cumulative_;  // shaped, by id
};

// A number in [0, 1) that depends on these four alone, whatever is computed beside it.
double uniformAt(std::uint64_t seed, std::uint64_t question, std::uint64_t sample, std::uint64_t step);

}  // namespace candor
