// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <simdjson.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/data/record.h"

// Typed values out of one JSON row. Include in core/data sources only.
namespace candor::json {

using Element = simdjson::dom::element;

// Why a row cannot be kept.
struct Reject {
    std::string reason;
};

[[noreturn]] void rejectType(const std::string& name, const char* expected, Element got);

// Each returns whether the value had the shape that the HonestyBench writer gives it (false: the row's own text must be
// kept to write it back equal) and throws Reject for a value of the wrong type. A null or an empty list is absence.
bool readQuestion(Element value, const std::string& name, std::string& out);
bool readTexts(Element value, const std::string& name, std::vector<std::string>& out);    // gold answers, samples
bool readText(Element value, const std::string& name, std::optional<std::string>& out);   // ["x"] or "x"
bool readTokens(Element value, const std::string& name, std::vector<std::int32_t>& out);  // [[1, 2]] or [1, 2]
bool readNumber(Element value, const std::string& name, std::optional<double>& out);      // [-1.5] or -1.5
// [[-0.1, -0.2]], [-0.1, ...] or objects a token: {"2132": {"logprob": ...}} or {"logprob": ...}. Where an object has
// several candidates, `tokens` says which one was generated.
bool readLogprobs(Element value, const std::string& name, const std::vector<std::int32_t>& tokens,
                  std::vector<double>& out);
bool readProbabilities(Element value, const std::string& name, std::vector<double>& logprobs);
bool readVerdict(Element value, const std::string& name, std::optional<Verdict>& out);  // 0, 1, true, false, null
bool readVerdicts(Element value, const std::string& name, std::vector<Verdict>& out);

}  // namespace candor::json
