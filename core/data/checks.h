// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace candor {

// What is wrong with one question and its gold answers, whatever else the set holds. Pure.
struct RowFindings {
    bool emptyGold = false;         // some gold answer normalises to nothing
    bool goldInQuestion = false;    // some gold answer's normalised tokens stand contiguously in the question
    bool functionWordGold = false;  // some gold answer is function words only (rule `core`), such as "in" or "it"
    bool noGold = false;            // there is none at all
};
RowFindings checkRow(std::string_view question, std::span<const std::string> gold);

// Counts over the rows of one set, fed one by one. Memory: a 16-byte hash and a few words for each distinct text.
// Not thread safe.
class SetChecks {
  public:
    void add(std::string_view question, std::span<const std::string> gold);

    std::int64_t rows() const { return rows_; }
    std::int64_t duplicates() const { return rows_ - static_cast<std::int64_t>(texts_.size()); }  // beyond the first
    std::int64_t conflictingDuplicates() const;  // question texts that have different sets of gold answers
    std::int64_t emptyGold() const { return emptyGold_; }
    std::int64_t goldInQuestion() const { return goldInQuestion_; }
    std::int64_t functionWordGold() const { return functionWordGold_; }
    std::int64_t noGold() const { return noGold_; }

  private:
    struct Hash {
        std::uint64_t a = 0, b = 0;
        bool operator==(const Hash&) const = default;
    };
    struct Hasher {
        std::size_t operator()(const Hash& h) const { return h.a; }
    };
    struct Text {
        Hash gold;
        bool conflicting = false;
    };
    static Hash hashOf(std::string_view text);
    static Hash hashOf(std::span<const std::string> gold);

    std::unordered_map<Hash, Text, Hasher> texts_;
    std::int64_t rows_ = 0, emptyGold_ = 0, goldInQuestion_ = 0, functionWordGold_ = 0, noGold_ = 0;
};

// Rows of `eval` whose question text, byte for byte, is one of `train`'s.
std::int64_t overlap(std::span<const std::string> train, std::span<const std::string> eval);

struct NearDuplicate {
    std::int64_t train = 0, eval = 0;  // indices
    double jaccard = 0;                // of the sets of normalised tokens
};
struct NearDuplicates {
    std::int64_t evalRows = 0;         // rows of `eval` that have at least one
    std::vector<NearDuplicate> pairs;  // the nearest of each such row (ties: the first of `train`), in order of `eval`
};
// Exact: a prefix filter over an inverted index leaves out only pairs that cannot reach `threshold`. Equal texts count.
// Texts of no tokens match nothing. Throws Stopped when asked to stop.
NearDuplicates nearDuplicates(std::span<const std::string> train, std::span<const std::string> eval,
                              double threshold = 0.6, std::stop_token stop = {});

}  // namespace candor
