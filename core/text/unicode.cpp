// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/unicode.h"

#include <utf8proc.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>

namespace candor {
namespace {

constexpr char32_t kReplacement = 0xFFFD;

static_assert(int(Category::Lu) == UTF8PROC_CATEGORY_LU && int(Category::Mn) == UTF8PROC_CATEGORY_MN &&
              int(Category::Nd) == UTF8PROC_CATEGORY_ND && int(Category::Po) == UTF8PROC_CATEGORY_PO &&
              int(Category::So) == UTF8PROC_CATEGORY_SO && int(Category::Zp) == UTF8PROC_CATEGORY_ZP &&
              int(Category::Co) == UTF8PROC_CATEGORY_CO);

// Length of a sequence and the range of its second byte (Unicode table 3-7); length 0: no lead byte.
struct Lead {
    int length;
    unsigned char low, high;
};

Lead leadOf(unsigned char byte) {
    if (byte < 0x80) return {1, 0, 0};
    if (byte < 0xC2) return {0, 0, 0};
    if (byte < 0xE0) return {2, 0x80, 0xBF};
    if (byte == 0xE0) return {3, 0xA0, 0xBF};
    if (byte == 0xED) return {3, 0x80, 0x9F};
    if (byte < 0xF0) return {3, 0x80, 0xBF};
    if (byte == 0xF0) return {4, 0x90, 0xBF};
    if (byte < 0xF4) return {4, 0x80, 0xBF};
    if (byte == 0xF4) return {4, 0x80, 0x8F};
    return {0, 0, 0};
}

// Bytes of the well-formed sequence at `at`, or minus the bytes of the maximal broken part there.
int sequenceAt(std::string_view text, std::size_t at) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const Lead lead = leadOf(byte(at));
    if (lead.length <= 1) return lead.length == 1 ? 1 : -1;
    for (int i = 1; i < lead.length; ++i) {
        const unsigned char low = i == 1 ? lead.low : 0x80, high = i == 1 ? lead.high : 0xBF;
        if (at + i >= text.size() || byte(at + i) < low || byte(at + i) > high) return -i;
    }
    return lead.length;
}

std::string normalise(std::string_view text, int options) {
    if (isAscii(text)) return std::string(text);
    if (!isValidUtf8(text)) return normalise(encodeUtf8(decodeUtf8(text)), options);
    utf8proc_uint8_t* out = nullptr;
    const auto size =
        utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(text.data()), static_cast<utf8proc_ssize_t>(text.size()),
                     &out, static_cast<utf8proc_option_t>(options | UTF8PROC_STABLE));
    const std::unique_ptr<utf8proc_uint8_t, void (*)(void*)> owner(out, std::free);
    if (size < 0) throw std::bad_alloc();  // valid UTF-8 can fail in no other way
    return std::string(reinterpret_cast<const char*>(out), static_cast<std::size_t>(size));
}

}  // namespace

Category category(char32_t c) {
    if (c > 0x10FFFF) return Category::Cn;
    return static_cast<Category>(utf8proc_category(static_cast<utf8proc_int32_t>(c)));
}

bool isSpace(char32_t c) {
    if (c < 0x80) return c == ' ' || (c >= 0x09 && c <= 0x0D) || (c >= 0x1C && c <= 0x1F);
    return c == 0x85 || isSeparator(category(c));
}

char32_t lower(char32_t c) {
    if (c < 0x80) return c >= 'A' && c <= 'Z' ? c + 32 : c;
    if (c > 0x10FFFF) return c;
    return static_cast<char32_t>(utf8proc_tolower(static_cast<utf8proc_int32_t>(c)));
}

std::string lower(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    for (std::size_t at = 0; at < text.size();) appendUtf8(out, lower(decodeAt(text, at)));
    return out;
}

char32_t decodeAt(std::string_view text, std::size_t& at) {
    const auto byte = [&](std::size_t i) { return static_cast<char32_t>(static_cast<unsigned char>(text[i])); };
    const std::size_t i = at;
    const int size = sequenceAt(text, i);
    at += static_cast<std::size_t>(size < 0 ? -size : size);
    switch (size) {
        case 1:
            return byte(i);
        case 2:
            return (byte(i) & 0x1F) << 6 | (byte(i + 1) & 0x3F);
        case 3:
            return (byte(i) & 0x0F) << 12 | (byte(i + 1) & 0x3F) << 6 | (byte(i + 2) & 0x3F);
        case 4:
            return (byte(i) & 0x07) << 18 | (byte(i + 1) & 0x3F) << 12 | (byte(i + 2) & 0x3F) << 6 |
                   (byte(i + 3) & 0x3F);
        default:
            return kReplacement;
    }
}

std::u32string decodeUtf8(std::string_view text) {
    std::u32string out;
    out.reserve(text.size());
    for (std::size_t at = 0; at < text.size();) out.push_back(decodeAt(text, at));
    return out;
}

void appendUtf8(std::string& text, char32_t c) {
    if (c > 0x10FFFF || (c >= 0xD800 && c <= 0xDFFF)) c = kReplacement;
    const auto put = [&](char32_t byte) { text.push_back(static_cast<char>(byte)); };
    if (c < 0x80) {
        put(c);
    } else if (c < 0x800) {
        put(0xC0 | c >> 6), put(0x80 | (c & 0x3F));
    } else if (c < 0x10000) {
        put(0xE0 | c >> 12), put(0x80 | (c >> 6 & 0x3F)), put(0x80 | (c & 0x3F));
    } else {
        put(0xF0 | c >> 18), put(0x80 | (c >> 12 & 0x3F)), put(0x80 | (c >> 6 & 0x3F)), put(0x80 | (c & 0x3F));
    }
}

std::string encodeUtf8(std::u32string_view text) {
    std::string out;
    out.reserve(text.size());
    for (const char32_t c : text) appendUtf8(out, c);
    return out;
}

bool isValidUtf8(std::string_view text) {
    for (std::size_t at = 0; at < text.size();) {
        const int size = sequenceAt(text, at);
        if (size < 0) return false;
        at += static_cast<std::size_t>(size);
    }
    return true;
}

bool isAscii(std::string_view text) {
    std::size_t i = 0;
    for (; i + 8 <= text.size(); i += 8) {
        std::uint64_t word;
        std::memcpy(&word, text.data() + i, 8);
        if (word & 0x8080808080808080u) return false;
    }
    for (; i < text.size(); ++i)
        if (static_cast<unsigned char>(text[i]) >= 0x80) return false;
    return true;
}

std::size_t decompose(char32_t c, char32_t (&out)[kLongestDecomposition]) {
    out[0] = c;
    if (c < 0x80 || c > 0x10FFFF) return 1;
    utf8proc_int32_t parts[kLongestDecomposition];
    const auto size =
        utf8proc_decompose_char(static_cast<utf8proc_int32_t>(c), parts, kLongestDecomposition,
                                static_cast<utf8proc_option_t>(UTF8PROC_COMPAT | UTF8PROC_DECOMPOSE), nullptr);
    if (size < 1 || static_cast<std::size_t>(size) > kLongestDecomposition) return 1;
    std::copy(parts, parts + size, out);
    return static_cast<std::size_t>(size);
}

std::string nfc(std::string_view text) { return normalise(text, UTF8PROC_COMPOSE); }
std::string nfd(std::string_view text) { return normalise(text, UTF8PROC_DECOMPOSE); }
std::string nfkc(std::string_view text) { return normalise(text, UTF8PROC_COMPOSE | UTF8PROC_COMPAT); }
std::string nfkd(std::string_view text) { return normalise(text, UTF8PROC_DECOMPOSE | UTF8PROC_COMPAT); }

}  // namespace candor
