// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/llm/jinja_lexer.h"

#include <algorithm>
#include <array>

#include "core/error.h"
#include "core/text/unicode.h"

namespace candor {

namespace {

constexpr std::string_view kSpace = " \t\n\r\f\v";

bool isDigit(char c) { return c >= '0' && c <= '9'; }
bool isNameStart(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || static_cast<unsigned char>(c) >= 0x80;
}

class Lexer {
  public:
    explicit Lexer(std::string_view text) {
        // As Jinja: one kind of line end, and a single one at the very end is dropped.
        for (std::size_t i = 0; i < text.size(); ++i) {
            if (text[i] != '\r')
                source_ += text[i];
            else if (i + 1 == text.size() || text[i + 1] != '\n')
                source_ += '\n';
        }
        if (source_.ends_with('\n')) source_.pop_back();
    }

    std::vector<JinjaToken> run() {
        while (at_ < source_.size()) {
            const std::size_t open = nextOpening();
            text(open);
            if (open == std::string::npos) break;
            tag(open);
        }
        push(TokenKind::End, {});
        return std::move(tokens_);
    }

  private:
    [[noreturn]] void fail(const std::string& what) const {
        throw Error("chat template, line " + std::to_string(line_) + ": " + what);
    }
    void push(TokenKind kind, std::string text) { tokens_.push_back({kind, std::move(text), line_}); }
    void advance(std::size_t to) {
        line_ += static_cast<int>(std::count(source_.begin() + static_cast<std::ptrdiff_t>(at_),
                                             source_.begin() + static_cast<std::ptrdiff_t>(to), '\n'));
        at_ = to;
    }

    std::size_t nextOpening() const {
        for (std::size_t i = source_.find('{', at_); i != std::string::npos; i = source_.find('{', i + 1))
            if (i + 1 < source_.size() && (source_[i + 1] == '%' || source_[i + 1] == '{' || source_[i + 1] == '#'))
                return i;
        return std::string::npos;
    }

    // The text before an opening, shortened as the opening's sign and lstrip_blocks ask.
    void text(std::size_t open) {
        const std::size_t end = open == std::string::npos ? source_.size() : open;
        std::string piece = source_.substr(at_, end - at_);
        if (open != std::string::npos) {
            const char sign = open + 2 < source_.size() ? source_[open + 2] : ' ';
            if (sign == '-') {
                piece.erase(piece.find_last_not_of(kSpace) + 1);
            } else if (sign != '+' && source_[open + 1] != '{') {
                const std::size_t start = piece.find_last_of('\n') + 1;  // 0: no line break
                const bool lineStart = start > 0 || at_ == 0 || source_[at_ - 1] == '\n';
                if (lineStart && piece.find_first_not_of(kSpace, start) == std::string::npos) piece.erase(start);
            }
        }
        if (!piece.empty()) push(TokenKind::Text, std::move(piece));
        advance(end);
    }

    void tag(std::size_t open) {
        const char kind = source_[open + 1];
        if (kind == '#') return comment(open);
        push(kind == '%' ? TokenKind::BlockBegin : TokenKind::PrintBegin, {});
        advance(open + 2);
        if (at_ < source_.size() && (source_[at_] == '-' || source_[at_] == '+')) advance(at_ + 1);
        const std::string close = kind == '%' ? "%}" : "}}";
        std::vector<char> brackets;
        while (true) {
            advance(std::min(source_.find_first_not_of(kSpace, at_), source_.size()));
            if (at_ == source_.size()) fail("a tag is not closed");
            const std::string_view rest = std::string_view(source_).substr(at_);
            const bool sign = rest.size() > 2 && (rest[0] == '-' || rest[0] == '+') && rest.substr(1, 2) == close;
            if (brackets.empty() && (sign || rest.starts_with(close))) break;
            token(rest, brackets);
        }
        const char sign = source_[at_] == close[0] ? ' ' : source_[at_];
        push(kind == '%' ? TokenKind::BlockEnd : TokenKind::PrintEnd, {});
        advance(at_ + (sign == ' ' ? 2 : 3));
        afterTag(sign, kind == '%');
    }

    void comment(std::size_t open) {
        const std::size_t end = source_.find("#}", open + 2);
        if (end == std::string::npos) fail("a comment is not closed");
        const char sign = end > open + 2 ? source_[end - 1] : ' ';
        advance(end + 2);
        afterTag(sign, true);
    }

    void afterTag(char sign, bool trims) {
        if (sign == '-')
            advance(std::min(source_.find_first_not_of(kSpace, at_), source_.size()));
        else if (sign != '+' && trims && at_ < source_.size() && source_[at_] == '\n')
            advance(at_ + 1);
    }

    void token(std::string_view rest, std::vector<char>& brackets) {
        const char c = rest.front();
        if (c == '"' || c == '\'') return string(rest);
        if (isDigit(c)) return number(rest);
        std::size_t length = 0;
        while (length < rest.size() && (isNameStart(rest[length]) || isDigit(rest[length]))) ++length;
        if (length > 0) {
            push(TokenKind::Name, std::string(rest.substr(0, length)));
            return advance(at_ + length);
        }
        static constexpr std::array<std::string_view, 6> doubles = {"==", "!=", "<=", ">=", "//", "**"};
        length = std::ranges::find(doubles, rest.substr(0, 2)) != doubles.end() ? 2 : 1;
        if (length == 1 && std::string_view("+-*/%~<>=|.,:()[]{}").find(c) == std::string_view::npos)
            fail("unexpected character \"" + std::string(1, c) + '"');
        if (c == '(' || c == '[' || c == '{') brackets.push_back(c);
        if ((c == ')' || c == ']' || c == '}') && !brackets.empty()) brackets.pop_back();
        push(TokenKind::Operator, std::string(rest.substr(0, length)));
        advance(at_ + length);
    }

    void number(std::string_view rest) {
        std::size_t length = 0;
        while (length < rest.size() && isDigit(rest[length])) ++length;
        bool fraction = false;
        if (length + 1 < rest.size() && rest[length] == '.' && isDigit(rest[length + 1])) {
            fraction = true;
            ++length;
            while (length < rest.size() && isDigit(rest[length])) ++length;
        }
        if (length > 15) fail("a number of more than 15 digits");
        push(fraction ? TokenKind::Float : TokenKind::Integer, std::string(rest.substr(0, length)));
        advance(at_ + length);
    }

    void string(std::string_view rest) {
        std::string value;
        std::size_t i = 1;
        for (; i < rest.size() && rest[i] != rest[0]; ++i) {
            if (rest[i] != '\\' || i + 1 == rest.size())
                value += rest[i];
            else
                i = escape(rest, i + 1, value);
        }
        if (i >= rest.size()) fail("a string is not closed");
        push(TokenKind::String, std::move(value));
        advance(at_ + i + 1);
    }

    // Python's escapes; returns the index of the escape's last character.
    std::size_t escape(std::string_view rest, std::size_t i, std::string& value) const {
        static constexpr std::string_view names = "ntrfvab\\'\"", values = "\n\t\r\f\v\a\b\\'\"";
        if (const std::size_t known = names.find(rest[i]); known != std::string_view::npos) {
            value += values[known];
            return i;
        }
        const std::size_t digits = rest[i] == 'x' ? 2 : rest[i] == 'u' ? 4 : rest[i] == 'U' ? 8 : 0;
        if (rest[i] == '\n') return i;
        if (digits == 0) {  // an unknown escape stays as it is
            value += {'\\', rest[i]};
            return i;
        }
        char32_t code = 0;
        for (std::size_t d = 1; d <= digits; ++d) {
            const char c = i + d < rest.size() ? rest[i + d] : ' ';
            const std::size_t digit = std::string_view("0123456789abcdef").find(static_cast<char>(c | 0x20));
            if (digit == std::string_view::npos || c < '0') fail("a broken escape in a string");
            code = code << 4 | static_cast<char32_t>(digit);
        }
        appendUtf8(value, code);
        return i + digits;
    }

    std::string source_;
    std::size_t at_ = 0;
    int line_ = 1;
    std::vector<JinjaToken> tokens_;
};

}  // namespace

std::vector<JinjaToken> lexJinja(std::string_view text) { return Lexer(text).run(); }

}  // namespace candor
