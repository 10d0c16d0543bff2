// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace candor {

// A Unicode regular expression as tokenizers use them (Oniguruma's dialect, read by PCRE2 with UTF, UCP and JIT).
// Const use is thread safe.
class Regex {
  public:
    // Throws Error saying where the pattern is wrong.
    explicit Regex(const std::string& pattern);
    ~Regex();
    Regex(Regex&&) noexcept;
    Regex& operator=(Regex&&) noexcept;

    // Calls `match(begin, end)` for each non-empty match from left to right. `text` must be valid UTF-8 and is seen
    // alone: look-ahead ends at its end. Throws Error if matching needs more steps than PCRE2 allows.
    void forEach(std::string_view text, const std::function<void(std::size_t, std::size_t)>& match) const;
    bool matches(std::string_view text) const;  // the whole of it

  private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace candor
