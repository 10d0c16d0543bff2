// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/llm/regex.h"

namespace candor {

// The `normalizer` of a tokenizer.json: NFC, NFD, NFKC, NFKD, Lowercase and sequences of them.
class Normalizer {
  public:
    Normalizer() = default;
    explicit Normalizer(const nlohmann::json& json);  // throws Error naming what is not supported
    std::string apply(std::string_view text) const;

  private:
    using Step = std::string (*)(std::string_view);
    std::vector<Step> steps_;
};

enum class SplitBehavior : std::uint8_t { Isolated, Removed, Contiguous, MergedWithPrevious, MergedWithNext };

// One step that cuts a piece into pieces. Which stretches match is up to a regex, a string or digits.
struct SplitStep {
    std::optional<Regex> regex;  // none: digits
    SplitBehavior behavior = SplitBehavior::Isolated;
    bool invert = false;
    bool prefixSpace = false;  // ByteLevel's add_prefix_space, before the split
    bool cuts = true;          // false: prefixSpace only
};

// The `pre_tokenizer` of a tokenizer.json: Split, Digits, ByteLevel and sequences of them. Const use is thread safe.
class PreTokenizer {
  public:
    explicit PreTokenizer(const nlohmann::json& json);  // throws Error naming what is not supported
    bool byteLevel() const { return byteLevel_; }
    // Calls `take` for each piece of `text` (valid UTF-8) in order.
    void split(std::string_view text, const std::function<void(std::string_view)>& take) const;

  private:
    void add(const nlohmann::json& json, int depth);
    void run(std::size_t step, std::string_view piece, const std::function<void(std::string_view)>& take) const;

    std::vector<SplitStep> steps_;
    bool byteLevel_ = false;
};

}  // namespace candor
