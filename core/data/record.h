// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace candor {

// A question's identity. Text is not a key: sets repeat questions. `row` counts from 0 over all files of one import.
struct QuestionKey {
    std::string dataset;
    std::string split;
    std::int64_t row = 0;
    auto operator<=>(const QuestionKey&) const = default;
};

// One model's answers to one question.
struct AnswerRecord {
    std::optional<std::string> greedy;
    std::vector<std::int32_t> greedyTokens;
    std::vector<double> greedyLogprobs;  // of the raw distribution, one a token, EOS included where it was reached
    std::optional<double> greedyCumulative;
    std::vector<std::string> samples;  // k of them
};

enum class Verdict : std::uint8_t { No = 0, Yes = 1, Unparsed = 2 };  // stored on disk: do not renumber

// Judgements on an AnswerRecord, all of one label set.
struct LabelRecord {
    std::optional<Verdict> greedyCorrect;
    std::vector<Verdict> sampleCorrect;  // one a sample, or empty
    std::vector<Verdict> agreement;      // sample j means the same as the greedy answer; one a sample, or empty
};

// One row as a file gives it. Unknown fields are kept as a JSON object in `extra` (empty: none).
struct Record {
    std::string question;
    std::vector<std::string> gold;
    std::optional<AnswerRecord> answers;
    std::optional<LabelRecord> labels;
    std::string extra;
    std::int64_t line = 0;  // 1-based, in its file
};

}  // namespace candor
