// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace candor {

// General categories of the Unicode character database, in utf8proc's order.
enum class Category : std::uint8_t {
    Cn,
    Lu,
    Ll,
    Lt,
    Lm,
    Lo,
    Mn,
    Mc,
    Me,
    Nd,
    Nl,
    No,
    Pc,
    Pd,
    Ps,
    Pe,
    Pi,
    Pf,
    Po,
    Sm,
    Sc,
    Sk,
    So,
    Zs,
    Zl,
    Zp,
    Cc,
    Cf,
    Cs,
    Co
};

// All functions here are pure and reentrant. Bytes that are no UTF-8 decode to U+FFFD, one for each maximal broken
// part (Unicode 3.9), so none of them fails.
Category category(char32_t c);
inline bool isLetter(Category c) { return c >= Category::Lu && c <= Category::Lo; }
inline bool isMark(Category c) { return c >= Category::Mn && c <= Category::Me; }
inline bool isNumber(Category c) { return c >= Category::Nd && c <= Category::No; }
inline bool isPunctuation(Category c) { return c >= Category::Pc && c <= Category::Po; }
inline bool isSymbol(Category c) { return c >= Category::Sm && c <= Category::So; }
inline bool isSeparator(Category c) { return c >= Category::Zs && c <= Category::Zp; }
inline bool isControl(Category c) { return c == Category::Cn || c >= Category::Cc; }  // \p{C}, unassigned included

// What \s matches in a Unicode regular expression (White_Space), and the C0 separators that Python's split takes too.
bool isSpace(char32_t c);
// Simple lower-case mapping, one code point to one.
char32_t lower(char32_t c);
std::string lower(std::string_view text);

// Decodes the code point at `at` and moves `at` behind it. Needs at < text.size().
char32_t decodeAt(std::string_view text, std::size_t& at);
std::u32string decodeUtf8(std::string_view text);
void appendUtf8(std::string& text, char32_t c);  // a surrogate or a value past U+10FFFF becomes U+FFFD
std::string encodeUtf8(std::u32string_view text);
bool isValidUtf8(std::string_view text);
bool isAscii(std::string_view text);

// The compatibility decomposition of one code point (NFKD but for the order of marks); returns its length, 1 to 18.
inline constexpr std::size_t kLongestDecomposition = 18;
std::size_t decompose(char32_t c, char32_t (&out)[kLongestDecomposition]);

// Normalisation forms of UAX 15.
std::string nfc(std::string_view text);
std::string nfd(std::string_view text);
std::string nfkc(std::string_view text);
std::string nfkd(std::string_view text);

}  // namespace candor
