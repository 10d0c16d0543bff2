// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/llm/tokenizer.h"

#include <algorithm>

#include "core/error.h"
#include "core/llm/byte_level.h"
#include "core/llm/tokenizer_file.h"
#include "core/text/unicode.h"

namespace candor {

namespace fs = std::filesystem;

namespace {

struct Entry {
    std::string spelling, bytes;
    bool special = false;
};

std::string validUtf8(std::string_view text) { return encodeUtf8(decodeUtf8(text)); }

// Bytes at the end that may yet become a character: the start of a sequence that more bytes can complete.
std::size_t incompleteTail(std::string_view text) {
    for (std::size_t back = 1; back <= 3 && back <= text.size(); ++back) {
        const auto byte = static_cast<unsigned char>(text[text.size() - back]);
        if ((byte & 0xC0) == 0x80) continue;
        const std::size_t needs = byte >= 0xF0 && byte <= 0xF4 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC2 ? 2 : 1;
        if (byte > 0xF4 || needs <= back) return 0;
        // One U+FFFD for the whole tail says that what is there is a valid beginning.
        std::size_t at = text.size() - back;
        decodeAt(text, at);
        return at == text.size() ? back : 0;
    }
    return 0;
}

}  // namespace

struct Tokenizer::Impl {
    explicit Impl(TokenizerParts parts);

    const Entry* entry(std::int32_t id) const {
        const bool known = id >= 0 && static_cast<std::size_t>(id) < entries.size();
        return known && !entries[id].spelling.empty() ? &entries[id] : nullptr;
    }
    void encodeText(std::string_view text, std::vector<std::int32_t>& ids) const;

    std::vector<Entry> entries;  // by id; an empty spelling is no token
    TextMap<std::int32_t> ids;
    TokenFinder raw, normalized;
    Normalizer normalizer;
    std::optional<PreTokenizer> preTokenizer;
    std::vector<std::int32_t> before, after;
    std::string hash;
    std::optional<Bpe> bpe;
};

Tokenizer::Impl::Impl(TokenizerParts parts)
    : normalizer(std::move(parts.normalizer)),
      preTokenizer(std::move(parts.preTokenizer)),
      before(std::move(parts.before)),
      after(std::move(parts.after)),
      hash(std::move(parts.hash)) {
    bpe.emplace(parts.bpe);
    entries.reserve(parts.bpe.vocabulary.size() + parts.added.size());
    const auto place = [&](std::int32_t id) -> Entry& {
        if (static_cast<std::size_t>(id) >= entries.size()) entries.resize(static_cast<std::size_t>(id) + 1);
        return entries[static_cast<std::size_t>(id)];
    };
    // A byte-level token stands for bytes; one with characters outside that alphabet stands for itself.
    const auto bytes = [](const std::string& spelling) { return bytesOfSpelling(spelling).value_or(spelling); };
    const std::int64_t most = 2 * static_cast<std::int64_t>(parts.bpe.vocabulary.size() + parts.added.size()) + 65536;
    for (const auto& [token, id] : parts.bpe.vocabulary) {
        if (id > most)
            throw Error("token \"" + token.substr(0, 80) + "\" has id " + std::to_string(id) + ", far past the others");
        place(id) = {token, bytes(token), false};
    }
    ids = std::move(parts.bpe.vocabulary);
    for (const AddedToken& token : parts.added) {
        if (token.id > most)
            throw Error("added token \"" + token.content.substr(0, 80) + "\" has an id far past the others");
        place(token.id) = {token.content, bytes(token.content), token.special};
        ids.insert_or_assign(token.content, token.id);
        if (token.normalized)
            normalized.add(token, normalizer.apply(token.content));
        else
            raw.add(token, token.content);
    }
}

// One stretch of text between added tokens that are looked for before normalisation.
void Tokenizer::Impl::encodeText(std::string_view text, std::vector<std::int32_t>& out) const {
    const std::string normal = normalizer.apply(text);
    normalized.split(normal, [&](const TokenSpan& span) {
        if (span.id >= 0)
            out.push_back(span.id);
        else
            preTokenizer->split(span.text, [&](std::string_view piece) { bpe->encode(piece, out); });
    });
}

Tokenizer::Tokenizer(const fs::path& path) {
    const fs::path file = fs::is_directory(path) ? path / "tokenizer.json" : path;
    try {
        impl_ = std::make_unique<Impl>(readTokenizerFile(file));
    } catch (const InputError&) {
        throw;
    } catch (const Error& error) {
        throw InputError("bad_tokenizer", file.string() + ": " + error.what(), file.string());
    }
}

Tokenizer::~Tokenizer() = default;
Tokenizer::Tokenizer(Tokenizer&&) noexcept = default;
Tokenizer& Tokenizer::operator=(Tokenizer&&) noexcept = default;

std::vector<std::int32_t> Tokenizer::encode(std::string_view text, bool special) const {
    std::vector<std::int32_t> ids;
    if (special) ids = impl_->before;
    const bool valid = isValidUtf8(text);
    const std::string repaired = valid ? std::string() : validUtf8(text);
    impl_->raw.split(valid ? text : repaired, [&](const TokenSpan& span) {
        if (span.id >= 0)
            ids.push_back(span.id);
        else
            impl_->encodeText(span.text, ids);
    });
    if (special) ids.insert(ids.end(), impl_->after.begin(), impl_->after.end());
    return ids;
}

std::string Tokenizer::decode(std::span<const std::int32_t> ids, bool skipSpecial) const {
    std::string bytes;
    for (const std::int32_t id : ids)
        if (const Entry* entry = impl_->entry(id); entry && !(skipSpecial && entry->special)) bytes += entry->bytes;
    return isValidUtf8(bytes) ? bytes : validUtf8(bytes);
}

std::optional<std::int32_t> Tokenizer::idOf(std::string_view token) const {
    const auto found = impl_->ids.find(token);
    return found == impl_->ids.end() ? std::nullopt : std::optional(found->second);
}

std::string Tokenizer::tokenOf(std::int32_t id) const {
    const Entry* entry = impl_->entry(id);
    return entry ? entry->spelling : std::string();
}

std::string Tokenizer::bytesOf(std::int32_t id) const {
    const Entry* entry = impl_->entry(id);
    return entry ? entry->bytes : std::string();
}

bool Tokenizer::isSpecial(std::int32_t id) const {
    const Entry* entry = impl_->entry(id);
    return entry && entry->special;
}

std::int32_t Tokenizer::vocabSize() const { return static_cast<std::int32_t>(impl_->entries.size()); }
const std::string& Tokenizer::contentHash() const { return impl_->hash; }

std::string TextStream::push(std::int32_t id) {
    if (!(skipSpecial_ && tokenizer_->isSpecial(id))) pending_ += tokenizer_->bytesOf(id);
    const std::size_t held = incompleteTail(pending_);
    std::string ready = pending_.substr(0, pending_.size() - held);
    pending_.erase(0, pending_.size() - held);
    return isValidUtf8(ready) ? ready : validUtf8(ready);
}

std::string TextStream::finish() {
    std::string rest;
    rest.swap(pending_);
    return validUtf8(rest);
}

}  // namespace candor
