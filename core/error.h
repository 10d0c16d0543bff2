// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>

namespace candor {

// The one exception family of core and db. The message says what, expected, got, where, and what to do.
// Absence that is normal is std::optional instead.
class Error : public std::runtime_error {
  public:
    explicit Error(const std::string& message) : std::runtime_error(message) {}
};

// Bad input or bad usage (the command line exits with 2). `code` is a stable word such as "bad_label".
class InputError : public Error {
  public:
    InputError(std::string code, const std::string& message, std::string file = {}, std::int64_t line = 0)
        : Error(message), code_(std::move(code)), file_(std::move(file)), line_(line) {}

    const std::string& code() const { return code_; }
    const std::string& file() const { return file_; }  // empty: no file
    std::int64_t line() const { return line_; }        // 1-based; 0: no line

  private:
    std::string code_;
    std::string file_;
    std::int64_t line_;
};

// The stop token asked for it; what was done so far is stored (the command line exits with 130).
class Stopped : public Error {
  public:
    explicit Stopped(const std::string& message = "stopped") : Error(message) {}
};

}  // namespace candor
