// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace candor {

// One line without its line break (LF or CRLF); `text` lives until the next call.
struct Line {
    std::string_view text;
    std::int64_t number = 0;  // 1-based
    std::int64_t offset = 0;  // bytes before it in the file
    bool tooLong = false;     // longer than the limit: `text` holds its first bytes only, the rest was skipped
};

// Reads a file line by line in memory bounded by `limit`. A UTF-8 byte order mark at the start is skipped.
// The bytes behind a line stay readable for kPadding bytes, as simdjson wants. One thread at a time.
class LineReader {
  public:
    static constexpr std::size_t kPadding = 64;
    static constexpr std::size_t kLongest = std::size_t(16) << 20;

    // Throws InputError ("cannot_read") if the file cannot be opened or is no regular file.
    explicit LineReader(const std::filesystem::path& file, std::size_t limit = kLongest);

    bool next(Line& line);                       // false at the end; throws InputError where reading fails
    std::string_view peek(std::size_t bytes);    // of what comes next, without moving; shorter at the end
    std::int64_t size() const { return size_; }  // bytes of the file when it was opened; 0: unknown
    std::int64_t offset() const { return base_ + static_cast<std::int64_t>(begin_); }

  private:
    bool fill();
    void skipRest(Line& line);

    std::filesystem::path path_;
    std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_;
    std::size_t limit_;
    std::vector<char> buffer_;
    std::string head_;                 // start of a line that was too long
    std::size_t begin_ = 0, end_ = 0;  // unread bytes of buffer_
    std::int64_t base_ = 0;            // offset of buffer_[0] in the file
    std::int64_t size_ = 0, number_ = 0;
    bool atEnd_ = false;
};

// What to say about such a line: its length limit and where it starts.
std::string tooLongReason(const Line& line);

}  // namespace candor
