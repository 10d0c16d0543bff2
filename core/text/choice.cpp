// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/choice.h"

#include <algorithm>
#include <array>
#include <string>

#include "core/text/unicode.h"

namespace candor {
namespace {

constexpr std::array<std::u32string_view, 13> kCues = {U"answer",   U"option",  U"choice",  U"choose",    U"select",
                                                       U"letter",   U"antwort", U"réponse", U"respuesta", U"risposta",
                                                       U"resposta", U"答案",    U"正解"};
constexpr std::array<std::u32string_view, 10> kLinks = {U"is",  U"would", U"be", U"letter", U"option",
                                                        U"ist", U"est",   U"es", U"è",      U"é"};

bool wordSign(char32_t c) {
    const Category k = category(c);
    return isLetter(k) || isNumber(k) || isMark(k);
}

// Markup and brackets that may stand around a letter.
bool decoration(char32_t c) {
    return isSpace(c) || std::u32string_view(U"*_`\"'([{<#>-:=：（【「“”").find(c) != std::u32string_view::npos;
}

class Choice {
  public:
    Choice(std::string_view reply, int options) : text_(decodeUtf8(nfkc(reply))), last_(U'A' + options - 1) {}

    std::optional<char> find() const {
        const std::size_t start = skip(0);
        if (const auto whole = wholeReply(start)) return whole;
        if (start < text_.size() && isOption(text_[start], false) && delimited(start)) return letter(text_[start]);
        if (const auto cued = behindCue()) return cued;
        return standsAlone();
    }

  private:
    bool isOption(char32_t c, bool capital) const {
        return (c >= U'A' && c <= last_) || (!capital && c >= U'a' && c <= last_ + 32);
    }
    static char letter(char32_t c) { return static_cast<char>(c >= U'a' ? c - 32 : c); }
    std::size_t skip(std::size_t i) const {
        while (i < text_.size() && decoration(text_[i])) ++i;
        return i;
    }
    bool endsAt(std::size_t i) const { return i >= text_.size() || !wordSign(text_[i]); }

    std::optional<char> wholeReply(std::size_t start) const {
        if (start >= text_.size() || !isOption(text_[start], false)) return std::nullopt;
        for (std::size_t i = start + 1; i < text_.size(); ++i)
            if (!decoration(text_[i]) && !isPunctuation(category(text_[i]))) return std::nullopt;
        return letter(text_[start]);
    }

    // A letter that opens the reply as a list item: "B. Paris", "**(b)** Paris", "B: Paris", "B" on a line of its own.
    bool delimited(std::size_t i) const {
        std::size_t next = i + 1;
        while (next < text_.size() && (text_[next] == U'*' || text_[next] == U'_')) ++next;
        if (next >= text_.size()) return true;
        const char32_t c = text_[next];
        if (c == U'\n' || c == U')' || c == U']' || c == U':') return true;
        // "B. Paris", but not an initial as in "A.B."
        return c == U'.' && (next + 1 == text_.size() || isSpace(text_[next + 1]) || text_[next + 1] == U'*');
    }

    std::u32string wordAt(std::size_t& i) const {
        std::u32string word;
        while (i < text_.size() && wordSign(text_[i])) word.push_back(lower(text_[i++]));
        return word;
    }

    std::optional<char> behindCue() const {
        for (std::size_t i = 0; i < text_.size();) {
            if (!wordSign(text_[i])) {
                ++i;
                continue;
            }
            const std::u32string word = wordAt(i);
            if (std::find(kCues.begin(), kCues.end(), word) == kCues.end()) continue;
            std::size_t next = skip(i);
            bool linked = std::u32string_view(text_).substr(i, next - i).find_first_of(U":=") != std::u32string::npos;
            for (std::size_t behind = next;; next = behind = skip(behind)) {
                const std::u32string link = wordAt(behind);
                if (std::find(kLinks.begin(), kLinks.end(), link) == kLinks.end()) break;
                linked = true;
            }
            // "the answer A" names a letter; "the answer a person gives" does not.
            if (next < text_.size() && endsAt(next + 1) && isOption(text_[next], !(linked && next + 1 >= text_.size())))
                return letter(text_[next]);
        }
        return std::nullopt;
    }

    // The only option letter that stands as a word. A capital A or I may be English at the start of a sentence.
    std::optional<char> standsAlone() const {
        std::optional<char> found;
        for (std::size_t i = 0; i < text_.size();) {
            if (!wordSign(text_[i])) {
                ++i;
                continue;
            }
            const std::size_t begin = i;
            const std::u32string word = wordAt(i);
            if (word == U"not" || word == U"t" || word == U"neither" || word == U"except") return std::nullopt;
            if (word.size() != 1 || !isOption(text_[begin], true)) continue;
            const bool english = (text_[begin] == U'A' || text_[begin] == U'I') && i < text_.size() && text_[i] == U' ';
            const bool possessive = i < text_.size() && (text_[i] == U'\'' || text_[i] == U'’');
            if (english || possessive) continue;
            if (found && *found != letter(text_[begin])) return std::nullopt;
            found = letter(text_[begin]);
        }
        return found;
    }

    std::u32string text_;
    char32_t last_;
};

}  // namespace

std::optional<char> parseChoice(std::string_view reply, int options) {
    return Choice(reply, std::clamp(options, 2, 26)).find();
}

}  // namespace candor
