// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/llm/pre_tokenizer.h"

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/text/unicode.h"

namespace candor {

using Json = nlohmann::json;

namespace {

// GPT-2's pattern, which ByteLevel uses when use_regex is set.
constexpr const char* kGpt2 = R"('(?:s|t|re|ve|m|ll|d)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";

struct Stretch {
    std::size_t begin, end;
    bool matched;
};

std::string typeOf(const Json& json, const char* what) {
    if (!json.is_object() || !json.contains("type") || !json["type"].is_string())
        throw Error(std::string(what) + " has no type");
    return json["type"].get<std::string>();
}

SplitBehavior behaviorOf(const std::string& name) {
    if (name == "Isolated") return SplitBehavior::Isolated;
    if (name == "Removed") return SplitBehavior::Removed;
    if (name == "Contiguous") return SplitBehavior::Contiguous;
    if (name == "MergedWithPrevious") return SplitBehavior::MergedWithPrevious;
    if (name == "MergedWithNext") return SplitBehavior::MergedWithNext;
    throw Error("pre_tokenizer: behavior \"" + name + "\" is not supported");
}

std::string escaped(const std::string& text) {
    std::string pattern;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte < 0x80 && !std::isalnum(byte)) pattern += '\\';
        pattern += c;
    }
    return pattern;
}

SplitStep splitStep(const Json& json) {
    SplitStep step;
    const Json& pattern = json.at("pattern");
    if (pattern.contains("Regex")) {
        step.regex.emplace(pattern.at("Regex").get<std::string>());
    } else if (pattern.contains("String")) {
        step.regex.emplace(escaped(pattern.at("String").get<std::string>()));
    } else {
        throw Error("pre_tokenizer: Split has neither a Regex nor a String");
    }
    step.behavior = behaviorOf(json.at("behavior").get<std::string>());
    step.invert = json.value("invert", false);
    return step;
}

// The text cut into matched and unmatched stretches, without empty ones.
std::vector<Stretch> stretches(const SplitStep& step, std::string_view text) {
    std::vector<Stretch> found;
    std::size_t done = 0;
    const auto matched = [&](std::size_t begin, std::size_t end) {
        if (begin > done) found.push_back({done, begin, step.invert});
        found.push_back({begin, end, !step.invert});
        done = end;
    };
    if (step.regex) {
        step.regex->forEach(text, matched);
    } else {
        for (std::size_t at = 0; at < text.size();) {
            const std::size_t begin = at;
            if (isNumber(category(decodeAt(text, at)))) matched(begin, at);
        }
    }
    if (done < text.size()) found.push_back({done, text.size(), step.invert});
    return found;
}

// Applies the behaviour, as NormalizedString::split of Hugging Face tokenizers does.
std::vector<Stretch> pieces(const SplitStep& step, std::string_view text) {
    std::vector<Stretch> found = stretches(step, text), result;
    switch (step.behavior) {
        case SplitBehavior::Isolated:
            return found;
        case SplitBehavior::Removed:
            std::erase_if(found, [](const Stretch& s) { return s.matched; });
            return found;
        case SplitBehavior::Contiguous:
            for (const Stretch& s : found)
                if (!result.empty() && result.back().matched == s.matched)
                    result.back().end = s.end;
                else
                    result.push_back(s);
            return result;
        case SplitBehavior::MergedWithPrevious: {
            bool previous = false;
            for (const Stretch& s : found) {
                if (s.matched && !previous && !result.empty())
                    result.back().end = s.end;
                else
                    result.push_back(s);
                previous = s.matched;
            }
            return result;
        }
        case SplitBehavior::MergedWithNext: {
            bool previous = false;
            for (auto s = found.rbegin(); s != found.rend(); ++s) {
                if (s->matched && !previous && !result.empty())
                    result.back().begin = s->begin;
                else
                    result.push_back(*s);
                previous = s->matched;
            }
            return {result.rbegin(), result.rend()};
        }
    }
    return found;
}

}  // namespace

Normalizer::Normalizer(const Json& json) {
    if (json.is_null()) return;
    const std::string type = typeOf(json, "normalizer");
    if (type == "Sequence") {
        for (const Json& part : json.at("normalizers")) {
            if (typeOf(part, "normalizer") == "Sequence") throw Error("normalizer: nested sequences are not supported");
            const Normalizer step(part);
            steps_.insert(steps_.end(), step.steps_.begin(), step.steps_.end());
        }
    } else if (type == "NFC") {
        steps_.push_back(nfc);
    } else if (type == "NFD") {
        steps_.push_back(nfd);
    } else if (type == "NFKC") {
        steps_.push_back(nfkc);
    } else if (type == "NFKD") {
        steps_.push_back(nfkd);
    } else if (type == "Lowercase") {
        steps_.push_back(lower);
    } else {
        throw Error("normalizer \"" + type + "\" is not supported");
    }
}

std::string Normalizer::apply(std::string_view text) const {
    std::string result(text);
    if (isAscii(text) && std::ranges::find(steps_, static_cast<Step>(lower)) == steps_.end()) return result;
    for (const Step step : steps_) result = step(result);
    return result;
}

PreTokenizer::PreTokenizer(const Json& json) {
    if (!json.is_null()) add(json, 0);
}

void PreTokenizer::add(const Json& json, int depth) {
    const std::string type = typeOf(json, "pre_tokenizer");
    if (byteLevel_) throw Error("pre_tokenizer: \"" + type + "\" after ByteLevel is not supported");
    if (type == "Sequence") {
        if (depth > 4) throw Error("pre_tokenizer: sequences nested too deeply");
        for (const Json& part : json.at("pretokenizers")) add(part, depth + 1);
    } else if (type == "Split") {
        steps_.push_back(splitStep(json));
    } else if (type == "Digits") {
        SplitStep step;
        step.behavior = json.value("individual_digits", false) ? SplitBehavior::Isolated : SplitBehavior::Contiguous;
        steps_.push_back(std::move(step));
    } else if (type == "ByteLevel") {
        SplitStep step;
        step.prefixSpace = json.value("add_prefix_space", true);
        step.cuts = json.value("use_regex", true);
        if (step.cuts) step.regex.emplace(kGpt2);
        byteLevel_ = true;
        if (step.cuts || step.prefixSpace) steps_.push_back(std::move(step));
    } else {
        throw Error("pre_tokenizer \"" + type + "\" is not supported; Split, Digits, ByteLevel and Sequence are");
    }
}

void PreTokenizer::run(std::size_t index, std::string_view piece,
                       const std::function<void(std::string_view)>& take) const {
    if (piece.empty()) return;
    if (index == steps_.size()) return take(piece);
    const SplitStep& step = steps_[index];
    std::string prefixed;
    if (step.prefixSpace && piece.front() != ' ') {
        prefixed.append(1, ' ').append(piece);
        piece = prefixed;
    }
    if (!step.cuts) return run(index + 1, piece, take);
    for (const Stretch& part : pieces(step, piece))
        run(index + 1, piece.substr(part.begin, part.end - part.begin), take);
}

void PreTokenizer::split(std::string_view text, const std::function<void(std::string_view)>& take) const {
    run(0, text, take);
}

}  // namespace candor
