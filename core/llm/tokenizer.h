// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace candor {

// Byte-level BPE of a tokenizer.json, token for token what Hugging Face tokenizers gives. Const use is thread safe.
class Tokenizer {
  public:
    // `path`: tokenizer.json or its folder. Throws InputError ("bad_tokenizer") naming what is damaged or unsupported.
    explicit Tokenizer(const std::filesystem::path& path);
    ~Tokenizer();
    Tokenizer(Tokenizer&&) noexcept;
    Tokenizer& operator=(Tokenizer&&) noexcept;

    // `special`: apply the post-processor (e.g. a BOS token). Invalid UTF-8 counts as U+FFFD. Special tokens spelled
    // out in the text become their ids, as in Hugging Face.
    std::vector<std::int32_t> encode(std::string_view text, bool special = false) const;
    // Broken UTF-8 becomes U+FFFD; ids without a token give nothing.
    std::string decode(std::span<const std::int32_t> ids, bool skipSpecial = false) const;

    std::optional<std::int32_t> idOf(std::string_view token) const;  // token as spelled in the file, added ones too
    std::string tokenOf(std::int32_t id) const;                      // empty: no such token
    std::string bytesOf(std::int32_t id) const;                      // the raw bytes that it stands for
    bool isSpecial(std::int32_t id) const;
    std::int32_t vocabSize() const;          // highest id + 1, added tokens included
    const std::string& contentHash() const;  // SHA-256 of the file, hexadecimal

  private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
    friend class TextStream;
};

// Decodes token by token; holds bytes back until a character is complete. The tokenizer must outlive it.
class TextStream {
  public:
    explicit TextStream(const Tokenizer& tokenizer, bool skipSpecial = true)
        : tokenizer_(&tokenizer), skipSpecial_(skipSpecial) {}
    std::string push(std::int32_t id);  // the text that became final
    std::string finish();               // what was held back, broken UTF-8 as U+FFFD

  private:
    const Tokenizer* tokenizer_;
    bool skipSpecial_;
    std::string pending_;
};

}  // namespace candor
