// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/verbal.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>
#include <vector>

#include "core/text/unicode.h"

namespace candor {
namespace {

bool digit(char c) { return c >= '0' && c <= '9'; }
bool letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (c & 0x80); }

// NFKC makes full-width signs plain; other scripts' decimal digits are counted from their zero.
std::string plainDigits(std::string_view text) {
    std::string out;
    for (const char32_t c : decodeUtf8(nfkc(text))) {
        if (c >= 0x80 && category(c) == Category::Nd) {
            char32_t zero = c;
            while (zero > c - 9 && category(zero - 1) == Category::Nd) --zero;
            appendUtf8(out, U'0' + (c - zero));
        } else {
            appendUtf8(out, c == 0x2212 ? U'-' : c == 0x66B ? U'.' : c == 0x66A ? U'%' : c);
        }
    }
    return out;
}

// What the model went on to write is not its answer.
std::string_view ownReply(std::string_view text) {
    const std::size_t start = text.find_first_not_of(" \t\r\n");
    if (start == std::string_view::npos) return {};
    text.remove_prefix(start);
    for (const std::string_view stop : {"\n\n", "\r\n\r\n", "Question:"})
        if (const std::size_t at = text.find(stop); at != std::string_view::npos && at > 0) text = text.substr(0, at);
    return text;
}

struct Number {
    double value = 0;
    bool plainInteger = false;
    bool malformed = false;  // 1.2.3, 0,9, -0.3
    std::size_t begin = 0, end = 0;
};

// The number that starts at `at` (a digit, or a dot before one).
Number numberAt(std::string_view text, std::size_t at) {
    Number number;
    number.begin = at;
    std::size_t i = at;
    const auto digits = [&] {
        while (i < text.size() && digit(text[i])) ++i;
    };
    digits();
    number.plainInteger = true;
    if (i + 1 < text.size() && text[i] == '.' && digit(text[i + 1])) {
        number.plainInteger = false;
        ++i, digits();
    } else if (i + 1 < text.size() && text[i] == ',' && digit(text[i + 1])) {
        number.malformed = true;
        ++i, digits();
    }
    if (i + 1 < text.size() && (text[i] == 'e' || text[i] == 'E')) {
        std::size_t exponent = i + 1;
        if (text[exponent] == '-' || text[exponent] == '+') ++exponent;
        if (exponent < text.size() && digit(text[exponent])) {
            i = exponent, digits();
            number.plainInteger = false;
        }
    }
    if (i + 1 < text.size() && (text[i] == '.' || text[i] == ',') && digit(text[i + 1])) number.malformed = true;
    number.end = i;
    if (at > 0 && text[at - 1] == '-' && (at == 1 || !(letter(text[at - 2]) || digit(text[at - 2]))))
        number.malformed = true;
    std::string copy(text.substr(at, i - at));
    if (copy.front() == '.') copy.insert(copy.begin(), '0');
    const auto result = std::from_chars(copy.data(), copy.data() + copy.size(), number.value);
    if (result.ec != std::errc()) number.malformed = true;
    return number;
}

std::vector<Number> numbersIn(std::string_view text) {
    std::vector<Number> numbers;
    for (std::size_t i = 0; i < text.size();) {
        const bool starts = digit(text[i]) || (text[i] == '.' && i + 1 < text.size() && digit(text[i + 1]));
        if (!starts) {
            ++i;
            continue;
        }
        const Number number = numberAt(text, i);
        const bool inWord = i > 0 && letter(text[i - 1]);
        i = number.end;
        if (!inWord && !(i < text.size() && letter(text[i]))) numbers.push_back(number);
    }
    return numbers;
}

std::string_view trimmed(std::string_view text) {
    while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
    while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
    return text;
}

bool isPercent(std::string_view behind) {
    behind = trimmed(behind);
    return behind.starts_with('%') || behind.starts_with("percent") || behind.starts_with("per cent");
}

}  // namespace

std::optional<double> parseVerbal(std::string_view reply) {
    const std::string plain = plainDigits(reply);
    const std::string_view text = ownReply(plain);
    const std::vector<Number> numbers = numbersIn(text);
    std::vector<double> marked, bare;  // with % or a denominator; without
    bool otherIntegers = false;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        const Number& number = numbers[i];
        if (number.malformed) return std::nullopt;
        double value = number.value;
        bool hasMark = true;
        const std::string_view between =
            i + 1 < numbers.size() ? trimmed(text.substr(number.end, numbers[i + 1].begin - number.end)) : "";
        if (between == "/" || between == "out of" || between == "of") {
            const Number& whole = numbers[++i];
            if (whole.malformed || whole.value <= 0) return std::nullopt;
            value /= whole.value;
        } else if (isPercent(text.substr(number.end))) {
            value /= 100;
        } else {
            hasMark = false;
        }
        const bool inRange = value >= 0 && value <= 1;
        if (!inRange && (hasMark || !number.plainInteger)) return std::nullopt;
        if (inRange)
            (hasMark ? marked : bare).push_back(value);
        else
            otherIntegers = true;
    }
    // Integers beside a marked value count things ("5 reasons, 9/10"); beside a bare one they may be its scale.
    if (marked.empty() && otherIntegers) return std::nullopt;
    std::vector<double> found = marked;
    if (!otherIntegers) found.insert(found.end(), bare.begin(), bare.end());
    if (found.empty()) return std::nullopt;
    const bool same = std::all_of(found.begin(), found.end(), [&](double v) { return std::abs(v - found[0]) < 1e-9; });
    return same ? std::optional(found[0]) : std::nullopt;
}

double elicalVerbal(std::string_view reply) {
    const std::u32string text = decodeUtf8(reply);
    const auto word = [&](std::size_t i) {
        if (i >= text.size()) return false;
        const Category k = category(text[i]);
        return text[i] == U'_' || isLetter(k) || isNumber(k);
    };
    const auto border = [&](std::size_t i) { return (i > 0 && word(i - 1)) != word(i); };
    const auto run = [&](std::size_t i, bool zerosOnly) {
        while (i < text.size() && text[i] >= U'0' && text[i] <= (zerosOnly ? U'0' : U'9')) ++i;
        return i;
    };
    const auto is = [&](std::size_t i, char32_t c) { return i < text.size() && text[i] == c; };
    double last = 0;
    for (std::size_t i = 0; i < text.size();) {
        std::size_t end = i;
        if (border(i) && (is(i, U'0') || is(i, U'1') || is(i, U'.'))) {
            const std::size_t dot = is(i, U'.') ? i : i + 1;
            const std::size_t behind = is(dot, U'.') ? run(dot + 1, is(i, U'1')) : dot;
            if (behind > dot + 1 && border(behind))
                end = behind;
            else if (dot > i && border(dot))
                end = dot;
        }
        if (end == i) {
            ++i;
            continue;
        }
        const std::string number = "0" + encodeUtf8(text.substr(i, end - i));
        std::from_chars(number.data(), number.data() + number.size(), last);
        i = end;
    }
    return last;
}

}  // namespace candor
