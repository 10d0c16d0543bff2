// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/lines.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "core/error.h"

namespace candor {
namespace {

constexpr std::size_t kChunk = std::size_t(1) << 20;

}  // namespace

LineReader::LineReader(const std::filesystem::path& file, std::size_t limit)
    : path_(file), file_(nullptr, &std::fclose), limit_(limit), buffer_(kChunk + kPadding) {
    std::error_code error;
    if (std::filesystem::is_directory(file, error))
        throw InputError("cannot_read", file.string() + " is a folder, expected a file", file.string());
    file_.reset(std::fopen(file.c_str(), "rb"));
    if (!file_) throw InputError("cannot_read", file.string() + ": " + std::strerror(errno), file.string());
    std::setvbuf(file_.get(), nullptr, _IONBF, 0);
    const auto size = std::filesystem::file_size(file, error);
    size_ = error ? 0 : static_cast<std::int64_t>(size);
    if (peek(3) == "\xEF\xBB\xBF") begin_ += 3;
}

// Gets more bytes behind end_, moving what is unread to the front first. False at the end of the file.
bool LineReader::fill() {
    if (atEnd_) return false;
    if (begin_ > 0) {
        std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
        base_ += static_cast<std::int64_t>(begin_);
        end_ -= begin_;
        begin_ = 0;
    }
    if (end_ + kPadding >= buffer_.size()) buffer_.resize(std::min(2 * buffer_.size(), limit_ + kChunk) + kPadding);
    const std::size_t got = std::fread(buffer_.data() + end_, 1, buffer_.size() - kPadding - end_, file_.get());
    if (got == 0 && std::ferror(file_.get()))
        throw InputError("cannot_read",
                         path_.string() + ": reading failed at byte " +
                             std::to_string(base_ + static_cast<std::int64_t>(end_)) + ": " + std::strerror(errno),
                         path_.string(), number_ + 1);
    end_ += got;
    atEnd_ = got == 0;
    return got > 0;
}

std::string_view LineReader::peek(std::size_t bytes) {
    while (end_ - begin_ < bytes && fill()) {
    }
    return {buffer_.data() + begin_, std::min(bytes, end_ - begin_)};
}

// The line at begin_ is longer than the limit: keeps its start, drops the rest without storing it.
void LineReader::skipRest(Line& line) {
    line.tooLong = true;
    head_.assign(buffer_.data() + begin_, std::min<std::size_t>(200, end_ - begin_));
    line.text = head_;
    for (;;) {
        const void* found = std::memchr(buffer_.data() + begin_, '\n', end_ - begin_);
        if (found) begin_ = static_cast<std::size_t>(static_cast<const char*>(found) - buffer_.data()) + 1;
        if (found) return;
        begin_ = end_;
        if (!fill()) return;
    }
}

bool LineReader::next(Line& line) {
    std::size_t searched = 0;
    for (;;) {
        const char* from = buffer_.data() + begin_;
        const void* found = std::memchr(from + searched, '\n', end_ - begin_ - searched);
        const std::size_t length =
            found ? static_cast<std::size_t>(static_cast<const char*>(found) - from) : end_ - begin_;
        if (!found && length <= limit_) {
            searched = length;
            if (fill()) continue;
            if (length == 0) return false;
            from = buffer_.data() + begin_;  // fill() may have moved it
        }
        line = {{from, std::min(length, limit_)}, ++number_, offset(), false};
        if (length > limit_) {
            skipRest(line);
            return true;
        }
        begin_ += length + (found ? 1 : 0);
        if (!line.text.empty() && line.text.back() == '\r') line.text.remove_suffix(1);
        return true;
    }
}

std::string tooLongReason(const Line& line) {
    return "line longer than " + std::to_string(LineReader::kLongest >> 20) + " MiB; it starts at byte " +
           std::to_string(line.offset) + " of the file (is a line break missing?)";
}

}  // namespace candor
