// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/llm/added_tokens.h"

#include <algorithm>

#include "core/text/unicode.h"

namespace candor {

namespace {

bool isWord(char32_t c) {
    const Category kind = category(c);
    return isLetter(kind) || isMark(kind) || kind == Category::Nd || kind == Category::Nl || kind == Category::Pc ||
           c == 0x200C || c == 0x200D;
}

// White_Space alone: the C0 separators that isSpace() takes too are none here.
bool isWhite(char32_t c) { return isSpace(c) && !(c >= 0x1C && c <= 0x1F); }

std::size_t characterBefore(std::string_view text, std::size_t at) {
    do --at;
    while (at > 0 && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80);
    return at;
}

bool endsInWord(std::string_view text) {
    if (text.empty()) return false;
    std::size_t at = characterBefore(text, text.size());
    return isWord(decodeAt(text, at));
}

bool startsWithWord(std::string_view text) {
    std::size_t at = 0;
    return !text.empty() && isWord(decodeAt(text, at));
}

std::size_t withoutTrailingSpace(std::string_view text) {
    std::size_t end = text.size();
    while (end > 0) {
        const std::size_t before = characterBefore(text, end);
        std::size_t at = before;
        if (!isWhite(decodeAt(text, at))) break;
        end = before;
    }
    return end;
}

std::size_t leadingSpace(std::string_view text) {
    std::size_t at = 0;
    while (at < text.size()) {
        std::size_t after = at;
        if (!isWhite(decodeAt(text, after))) break;
        at = after;
    }
    return at;
}

}  // namespace

void TokenFinder::add(const AddedToken& token, const std::string& content) {
    if (content.empty()) return;
    std::size_t node = 0;
    for (const char c : content) {
        const auto byte = static_cast<unsigned char>(c);
        const auto [place, fresh] = nodes_[node].next.try_emplace(byte, static_cast<int>(nodes_.size()));
        node = static_cast<std::size_t>(place->second);
        if (fresh) nodes_.emplace_back();
    }
    starts_[static_cast<unsigned char>(content.front())] = true;
    nodes_[node].token = static_cast<int>(tokens_.size());
    tokens_.push_back(token);
}

int TokenFinder::longestAt(std::string_view text, std::size_t at, std::size_t& end) const {
    int best = -1;
    std::size_t node = 0;
    while (at < text.size()) {
        const auto& next = nodes_[node].next;
        const auto found = next.find(static_cast<unsigned char>(text[at++]));
        if (found == next.end()) break;
        node = static_cast<std::size_t>(found->second);
        if (nodes_[node].token >= 0) best = nodes_[node].token, end = at;
    }
    return best;
}

void TokenFinder::split(std::string_view text, const std::function<void(const TokenSpan&)>& take) const {
    std::size_t done = 0, at = 0;
    while (at < text.size() && !tokens_.empty()) {
        std::size_t end = at;
        const int found = starts_[static_cast<unsigned char>(text[at])] ? longestAt(text, at, end) : -1;
        if (found < 0) {
            ++at;
            continue;
        }
        const AddedToken& token = tokens_[static_cast<std::size_t>(found)];
        std::size_t begin = at;
        at = end;
        if (token.singleWord && (endsInWord(text.substr(0, begin)) || startsWithWord(text.substr(end)))) continue;
        if (token.lstrip) begin = std::max(done, withoutTrailingSpace(text.substr(0, begin)));
        if (token.rstrip) end += leadingSpace(text.substr(end));
        if (begin > done) take({-1, text.substr(done, begin - done)});
        take({token.id, text.substr(begin, end - begin)});
        done = at = end;
    }
    if (done < text.size()) take({-1, text.substr(done)});
}

}  // namespace candor
