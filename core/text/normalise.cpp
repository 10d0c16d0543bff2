// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/normalise.h"

#include "core/text/unicode.h"

namespace candor {
namespace {

bool isArticle(std::string_view token) { return token == "a" || token == "an" || token == "the"; }

// Takes back the last token (from `start`) where it is an article.
void closeToken(std::string& out, std::size_t start) {
    if (isArticle(std::string_view(out).substr(start))) out.resize(start == 0 ? 0 : start - 1);
}

// Builds space-separated tokens; articles are dropped as they end.
class TokenWriter {
  public:
    explicit TokenWriter(std::size_t size) { out_.reserve(size); }
    void put(char32_t c) {
        open();
        appendUtf8(out_, c);
    }
    void put(char c) {
        open();
        out_.push_back(c);
    }
    void space() {
        if (inToken_) closeToken(out_, start_);
        inToken_ = false;
    }
    std::string take() {
        space();
        return std::move(out_);
    }

  private:
    void open() {
        if (inToken_) return;
        if (!out_.empty()) out_.push_back(' ');
        start_ = out_.size();
        inToken_ = true;
    }
    std::string out_;
    std::size_t start_ = 0;
    bool inToken_ = false;
};

constexpr bool asciiWord(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
constexpr char asciiLower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

bool asciiControl(char c) {
    return (static_cast<unsigned char>(c) < 0x20 && !isSpace(static_cast<char32_t>(c))) || c == 0x7F;
}

std::string normalisedAscii(std::string_view text) {
    TokenWriter out(text.size());
    for (const char c : text) {
        if (asciiWord(c) || asciiControl(c))
            out.put(asciiLower(c));
        else
            out.space();
    }
    return out.take();
}

// One decomposed code point in lower case.
void putNormalised(TokenWriter& out, char32_t c) {
    if (c < 0x80) {
        const char plain = static_cast<char>(c);
        return asciiWord(plain) || asciiControl(plain) ? out.put(plain) : out.space();
    }
    const Category k = category(c);
    if (isMark(k)) return;
    if (isPunctuation(k) || isSymbol(k) || isSeparator(k) || isSpace(c)) return out.space();
    // Upper-case sigma has one lower case here and another at a word's end.
    out.put(c == 0x3C2 ? char32_t(0x3C3) : c);
}

bool isAsciiPunctuation(char32_t c) {
    return (c >= 0x21 && c <= 0x2F) || (c >= 0x3A && c <= 0x40) || (c >= 0x5B && c <= 0x60) || (c >= 0x7B && c <= 0x7E);
}

// What \w matches in a Unicode regular expression of Python; the underscore is gone by then.
bool isWord(char32_t c) {
    const Category k = category(c);
    return isLetter(k) || isNumber(k);
}

}  // namespace

std::string normalised(std::string_view text) {
    if (isAscii(text)) return normalisedAscii(text);
    TokenWriter out(text.size());
    char32_t parts[kLongestDecomposition];
    for (std::size_t at = 0; at < text.size();) {
        // Marks are dropped, so their order in NFKD does not matter and code points can be taken one by one.
        const std::size_t count = decompose(decodeAt(text, at), parts);
        for (std::size_t i = 0; i < count; ++i) putNormalised(out, lower(parts[i]));
    }
    return out.take();
}

std::vector<std::string_view> splitTokens(std::string_view text) {
    std::vector<std::string_view> tokens;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find(' '), text.size());
        if (end > 0) tokens.push_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return tokens;
}

bool standsIn(std::string_view part, std::string_view whole) {
    if (part.empty()) return false;
    for (std::size_t at = whole.find(part); at != std::string_view::npos; at = whole.find(part, at + 1)) {
        const std::size_t end = at + part.size();
        if ((at == 0 || whole[at - 1] == ' ') && (end == whole.size() || whole[end] == ' ')) return true;
    }
    return false;
}

std::string elicalNormalised(std::string_view text) {
    std::u32string plain = decodeUtf8(nfd(text));
    for (char32_t& c : plain) c = isAsciiPunctuation(c) ? U' ' : lower(c);

    std::u32string kept;
    for (std::size_t i = 0; i < plain.size();) {
        if (!isWord(plain[i])) {
            kept.push_back(plain[i++]);
            continue;
        }
        std::size_t end = i;
        while (end < plain.size() && isWord(plain[end])) ++end;
        const std::u32string_view word = std::u32string_view(plain).substr(i, end - i);
        if (word == U"a" || word == U"an" || word == U"the")
            kept.push_back(U' ');
        else
            kept.append(word);
        i = end;
    }

    std::string out;
    bool gap = false;
    for (const char32_t c : kept) {
        if (isSpace(c)) {
            gap = !out.empty();
            continue;
        }
        if (gap) out.push_back(' ');
        gap = false;
        appendUtf8(out, c);
    }
    return out;
}

std::vector<std::string> elicalTokens(std::string_view text) {
    std::vector<std::string> tokens;
    bool inRun = false;
    for (const char32_t c : decodeUtf8(nfd(text))) {
        const Category k = category(c);
        const bool run = isLetter(k) || isNumber(k) || isMark(k);
        if (run && inRun) {
            appendUtf8(tokens.back(), lower(c));
        } else if (run || !(isSeparator(k) || isControl(k))) {
            appendUtf8(tokens.emplace_back(), lower(c));
        }
        inRun = run;
    }
    return tokens;
}

}  // namespace candor
