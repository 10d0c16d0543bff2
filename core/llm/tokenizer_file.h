// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/llm/added_tokens.h"
#include "core/llm/bpe.h"
#include "core/llm/pre_tokenizer.h"

namespace candor {

// A tokenizer.json taken apart.
struct TokenizerParts {
    BpeParts bpe;
    Normalizer normalizer;
    std::optional<PreTokenizer> preTokenizer;
    std::vector<AddedToken> added;            // by id
    std::vector<std::int32_t> before, after;  // ids that the post-processor puts around a text
    std::string hash;                         // SHA-256 of the file
};

// Throws InputError ("bad_tokenizer") naming what is damaged or unsupported.
TokenizerParts readTokenizerFile(const std::filesystem::path& file);

}  // namespace candor
