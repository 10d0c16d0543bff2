// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/numbers.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <utility>

#include "core/text/unicode.h"

namespace candor {
namespace {

constexpr std::array<std::pair<std::string_view, int>, 28> kSmall = {
    {{"zero", 0},      {"one", 1},       {"two", 2},       {"three", 3},    {"four", 4},     {"five", 5},
     {"six", 6},       {"seven", 7},     {"eight", 8},     {"nine", 9},     {"ten", 10},     {"eleven", 11},
     {"twelve", 12},   {"thirteen", 13}, {"fourteen", 14}, {"fifteen", 15}, {"sixteen", 16}, {"seventeen", 17},
     {"eighteen", 18}, {"nineteen", 19}, {"twenty", 20},   {"thirty", 30},  {"forty", 40},   {"fifty", 50},
     {"sixty", 60},    {"seventy", 70},  {"eighty", 80},   {"ninety", 90}}};

bool digit(char c) { return c >= '0' && c <= '9'; }
bool letter(char c) { return c >= 'a' && c <= 'z'; }

// Puts number words together: "three hundred and twenty-one thousand".
class WordNumber {
  public:
    // False if the word is no part of the number so far; a finished number is then in `out`.
    bool take(std::string_view word, std::vector<double>& out) {
        const auto* small =
            std::find_if(kSmall.begin(), kSmall.end(), [&](const auto& entry) { return entry.first == word; });
        if (small != kSmall.end()) {
            const int value = small->second;
            const bool fits = !open_ || room_ > value;
            if (!fits) flush(out);
            current_ += value;
            room_ = value >= 20 ? 10 : 1;
            open_ = true;
            return true;
        }
        if (open_ && word == "hundred") {
            current_ *= 100;
            room_ = 100;
            return true;
        }
        if (open_ && (word == "thousand" || word == "million")) {
            total_ += current_ * (word == "thousand" ? 1e3 : 1e6);
            current_ = 0;
            room_ = 1000;
            return true;
        }
        if (open_ && word == "and" && room_ >= 100) return true;
        flush(out);
        return false;
    }
    void flush(std::vector<double>& out) {
        if (open_) out.push_back(total_ + current_);
        *this = {};
    }

  private:
    double total_ = 0, current_ = 0;
    int room_ = 0;  // the next word must be smaller than this
    bool open_ = false;
};

// Digits from `at`, which moves behind them.
std::optional<double> digitsAt(std::string_view text, std::size_t& at) {
    std::string plain;
    const auto run = [&](std::size_t from) {
        std::size_t i = from;
        while (i < text.size() && digit(text[i])) ++i;
        return i - from;
    };
    std::size_t count = run(at);
    plain.append(text, at, count);
    at += count;
    while (count <= 3 && at < text.size() && text[at] == ',' && run(at + 1) == 3) {
        plain.append(text, at + 1, 3);
        at += 4;
    }
    if (at + 1 < text.size() && text[at] == '.' && digit(text[at + 1])) {
        const std::size_t fraction = run(at + 1);
        plain.append(text, at, fraction + 1);
        at += fraction + 1;
    }
    double value = 0;
    const auto read = std::from_chars(plain.data(), plain.data() + plain.size(), value);
    return read.ec == std::errc() ? std::optional(value) : std::nullopt;
}

struct Numbers {
    std::vector<double> values;
    bool otherWords = false;
};

Numbers read(std::string_view text) {
    Numbers out;
    WordNumber words;
    const std::string plain = lower(nfkc(text));
    for (std::size_t i = 0; i < plain.size();) {
        const bool behindLetter = i > 0 && letter(plain[i - 1]);
        if (digit(plain[i]) && !behindLetter) {
            words.flush(out.values);
            const bool negative = i > 0 && plain[i - 1] == '-' && (i == 1 || plain[i - 2] == ' ');
            if (const auto value = digitsAt(plain, i)) out.values.push_back(negative ? -*value : *value);
        } else if (letter(plain[i])) {
            const std::size_t begin = i;
            while (i < plain.size() && (letter(plain[i]) || digit(plain[i]))) ++i;
            if (!words.take(std::string_view(plain).substr(begin, i - begin), out.values)) out.otherWords = true;
        } else {
            if (static_cast<unsigned char>(plain[i]) >= 0x80) out.otherWords = true;
            if (plain[i] == '.' || plain[i] == ',' || plain[i] == ';') words.flush(out.values);
            ++i;
        }
    }
    words.flush(out.values);
    return out;
}

}  // namespace

std::vector<double> numbersIn(std::string_view text) { return read(text).values; }

bool statesNumber(std::span<const std::string> gold, std::string_view answer) {
    const std::vector<double> stated = numbersIn(answer);
    return std::any_of(gold.begin(), gold.end(), [&](const std::string& text) {
        const Numbers wanted = read(text);
        return wanted.values.size() == 1 && !wanted.otherWords &&
               std::find(stated.begin(), stated.end(), wanted.values[0]) != stated.end();
    });
}

}  // namespace candor
