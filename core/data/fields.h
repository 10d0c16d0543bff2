// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace candor {

// What a Record has a place for. Everything else of a row goes to its `extra`.
enum class Field {
    Question,
    Gold,
    Greedy,
    Tokens,
    Logprobs,
    Cumulative,
    Samples,
    Correct,
    SampleCorrect,
    Agreement,
    TokenProbs,  // probabilities, turned into log-probabilities; HonestyBench has no such field
};
inline constexpr std::size_t kFields = 11;
inline constexpr std::array<std::string_view, kFields> kHonestyBenchNames = {"question",
                                                                             "answer",
                                                                             "greedy_response",
                                                                             "greedy_tokens",
                                                                             "greedy_logprobs",
                                                                             "greedy_cumulative_logprobs",
                                                                             "sampling_response",
                                                                             "greedy_correctness",
                                                                             "sampling_correctness",
                                                                             "consistency_judgement",
                                                                             ""};

// Reserved key of `extra`: fields of the row whose shape a Record does not keep (a bare string for a list of one,
// log-probabilities as objects, ...), as they came. The writer needs them; nobody else should read or show them.
inline constexpr std::string_view kOriginalKey = "candor:original";

// `extra` as users may see it: without that key; empty where nothing else is left. Throws nothing.
std::string withoutOriginal(const std::string& extra);

// The field a HonestyBench key names.
std::optional<Field> honestyBenchField(std::string_view key);

// One entry of a ReadOptions::map.
struct Mapping {
    std::optional<Field> field;  // unset: an extra field called `ours`
    std::string ours;
    std::string theirs;
    bool seen = false;  // some row had it
};

// Ours: question, gold, greedy, tokens, token_logprobs, token_probs, cumulative, samples, correct, sample_correct,
// agreement, verbal, consistency, p_true, the HonestyBench names, or any new name for an extra field.
// Throws InputError ("bad_map") for an empty side or a single-valued field named twice (gold may repeat: main answer
// first, aliases behind).
std::vector<Mapping> resolveMap(const std::vector<std::pair<std::string, std::string>>& map);

}  // namespace candor
