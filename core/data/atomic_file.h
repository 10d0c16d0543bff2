// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace candor {

// A file that is written piece by piece and appears under its name only when it is whole: a temporary file in the same
// folder, synced and renamed. Destroyed without commit() it leaves nothing behind. One thread at a time.
class AtomicFile {
  public:
    // Throws Error naming the file, the system's reason and what to do (read-only folder, full disk, ...).
    explicit AtomicFile(const std::filesystem::path& file);
    ~AtomicFile();
    AtomicFile(const AtomicFile&) = delete;
    AtomicFile& operator=(const AtomicFile&) = delete;

    void write(std::string_view bytes);
    void commit();

  private:
    void flush();
    [[noreturn]] void fail() const;

    std::filesystem::path file_;
    std::string temporary_, buffer_;
    int descriptor_ = -1;
};

}  // namespace candor
