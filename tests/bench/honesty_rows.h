// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <random>
#include <string>

#include "core/data/writer.h"

namespace candor::bench {

// Rows like those of HonestyBench: long answers, 20 samples, tokens with log-probabilities. Same seed, same rows.
class HonestyRows {
  public:
    explicit HonestyRows(std::uint64_t seed) : random_(seed) {}

    std::string next() {
        Record record;
        record.question = "question " + std::to_string(++row_) + " " + words(4, 14) + "?";
        for (std::uint64_t i = 0; i <= below(4); ++i) record.gold.push_back(words(1, 3));
        AnswerRecord answers;
        LabelRecord labels;
        answers.greedy = words(8, 60);
        double sum = 0;
        for (std::uint64_t i = 0; i < 10 + below(80); ++i) {
            answers.greedyTokens.push_back(static_cast<std::int32_t>(below(151936)));
            answers.greedyLogprobs.push_back(-static_cast<double>(below(3000000)) / 1e6);
            sum += answers.greedyLogprobs.back();
        }
        answers.greedyCumulative = sum;
        labels.greedyCorrect = verdict();
        for (int j = 0; j < 20; ++j) {
            answers.samples.push_back(words(8, 60));
            labels.sampleCorrect.push_back(verdict());
            labels.agreement.push_back(verdict());
        }
        record.answers = std::move(answers);
        record.labels = std::move(labels);
        return toHonestyBench(record);
    }

  private:
    std::uint64_t below(std::uint64_t n) { return random_() % n; }
    Verdict verdict() { return below(3) == 0 ? Verdict::Yes : Verdict::No; }
    std::string words(std::uint64_t least, std::uint64_t most) {
        static constexpr const char* kWords[] = {"the",   "river", "was",   "designed",  "by",           "Ada",
                                                 "Fenn,", "in",    "1912.", "caf\u00e9", "\u6771\u4eac", "\"pier\"",
                                                 "town",  "of",    "Brill", "and"};
        std::string text;
        for (std::uint64_t i = least + below(most - least + 1); i > 0; --i)
            text.append(text.empty() ? "" : " ").append(kWords[below(std::size(kWords))]);
        return text;
    }
    std::mt19937_64 random_;
    std::int64_t row_ = 0;
};

}  // namespace candor::bench
