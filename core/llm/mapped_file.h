// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <filesystem>
#include <string_view>

namespace candor {

// A whole file, mapped copy-on-write: torch may take the pointer as writable, the file never changes.
class MappedFile {
  public:
    // Throws InputError(code) if it is no regular file or cannot be mapped. An empty file has no data.
    MappedFile(const std::filesystem::path& file, const char* code);
    ~MappedFile();
    MappedFile(const MappedFile&) = delete;
    MappedFile& operator=(const MappedFile&) = delete;

    const std::byte* data() const { return static_cast<const std::byte*>(data_); }
    std::size_t size() const { return size_; }
    std::string_view bytes() const { return {static_cast<const char*>(data_), size_}; }

  private:
    void* data_ = nullptr;
    std::size_t size_ = 0;
};

}  // namespace candor
