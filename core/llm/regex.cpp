// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/llm/regex.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <array>

#include "core/error.h"

namespace candor {

namespace {

// PCRE2's \s takes U+180E, which is no White_Space; Oniguruma's does not. So \s is spelled out.
std::string spellOutSpaces(const std::string& pattern) {
    static const std::string members = R"(\t-\r \x{85}\p{Z})";
    std::string result;
    int depth = 0;
    for (std::size_t i = 0; i < pattern.size(); ++i) {
        const char c = pattern[i];
        if (c != '\\' || i + 1 == pattern.size()) {
            if (c == '[') ++depth;
            if (c == ']' && depth > 0) --depth;
            result += c;
            continue;
        }
        const char next = pattern[++i];
        if (next == 's' && depth > 0) {
            result += members;
        } else if (next == 's' || (next == 'S' && depth == 0)) {
            result += (next == 's' ? "[" : "[^") + members + "]";
        } else {
            result += {c, next};
        }
    }
    return result;
}

std::string message(int code) {
    std::array<PCRE2_UCHAR, 200> text{};
    pcre2_get_error_message(code, text.data(), text.size());
    return reinterpret_cast<const char*>(text.data());
}

// What matching writes to. One a thread: making it for every piece of text would cost more than the match.
struct Scratch {
    pcre2_match_data* data = pcre2_match_data_create(1, nullptr);
    pcre2_match_context* context = pcre2_match_context_create(nullptr);
    pcre2_jit_stack* stack = pcre2_jit_stack_create(32 << 10, 8 << 20, nullptr);
    Scratch() {
        if (context && stack) pcre2_jit_stack_assign(context, nullptr, stack);
    }
    ~Scratch() {
        pcre2_jit_stack_free(stack);
        pcre2_match_context_free(context);
        pcre2_match_data_free(data);
    }
    Scratch(const Scratch&) = delete;
    Scratch& operator=(const Scratch&) = delete;
};

Scratch& scratch() {
    thread_local Scratch instance;
    return instance;
}

}  // namespace

struct Regex::Impl {
    pcre2_code* code = nullptr;
    ~Impl() { pcre2_code_free(code); }

    // Next match from `from` on; false: none.
    bool next(std::string_view text, std::size_t from, std::uint32_t options, std::size_t& begin,
              std::size_t& end) const {
        Scratch& space = scratch();
        const auto* subject = reinterpret_cast<PCRE2_SPTR>(text.data());
        const std::uint32_t flags = options | PCRE2_NO_UTF_CHECK;
        int count = pcre2_match(code, subject, text.size(), from, flags, space.data, space.context);
        if (count == PCRE2_ERROR_JIT_STACKLIMIT)
            count = pcre2_match(code, subject, text.size(), from, flags | PCRE2_NO_JIT, space.data, space.context);
        if (count == PCRE2_ERROR_NOMATCH) return false;
        if (count < 0) throw Error("regular expression: " + message(count));
        const PCRE2_SIZE* place = pcre2_get_ovector_pointer(space.data);
        begin = place[0], end = place[1];
        if (begin > end || begin < from) throw Error("regular expression: a match that ends before it starts");
        return true;
    }
};

Regex::Regex(const std::string& pattern) : impl_(std::make_unique<Impl>()) {
    const std::string spelled = spellOutSpaces(pattern);
    int error = 0;
    PCRE2_SIZE place = 0;
    const std::uint32_t options = PCRE2_UTF | PCRE2_UCP | PCRE2_NEVER_BACKSLASH_C;
    impl_->code =
        pcre2_compile(reinterpret_cast<PCRE2_SPTR>(spelled.data()), spelled.size(), options, &error, &place, nullptr);
    if (!impl_->code)
        throw Error("regular expression \"" + pattern.substr(0, 300) + "\": " + message(error) + " at byte " +
                    std::to_string(place));
    pcre2_jit_compile(impl_->code, PCRE2_JIT_COMPLETE);  // where it fails, matching works without
}

Regex::~Regex() = default;
Regex::Regex(Regex&&) noexcept = default;
Regex& Regex::operator=(Regex&&) noexcept = default;

void Regex::forEach(std::string_view text, const std::function<void(std::size_t, std::size_t)>& match) const {
    std::size_t from = 0, begin = 0, end = 0;
    while (from < text.size() && impl_->next(text, from, PCRE2_NOTEMPTY, begin, end)) {
        match(begin, end);
        from = end;
    }
}

bool Regex::matches(std::string_view text) const {
    std::size_t begin = 0, end = 0;
    return impl_->next(text, 0, PCRE2_ANCHORED | PCRE2_ENDANCHORED, begin, end);
}

}  // namespace candor
