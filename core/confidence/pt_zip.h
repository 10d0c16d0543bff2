// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <iosfwd>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace candor {

std::uint32_t crc32(std::string_view bytes);  // of zip files

// The stored (uncompressed) entries of a zip archive that lies in memory, as torch.save writes it; zip64 sizes and
// offsets included. Throws std::runtime_error saying what is wrong; never looks outside `bytes`.
class ZipReader {
  public:
    explicit ZipReader(std::string_view bytes);
    const std::map<std::string, std::string_view>& entries() const { return entries_; }

  private:
    void readDirectory(std::uint64_t begin, std::uint64_t size, std::uint64_t count);
    std::size_t readEntry(std::size_t at);
    std::uint64_t number(std::size_t at, int bytes) const;
    std::string_view part(std::uint64_t at, std::uint64_t size) const;

    std::string_view bytes_;
    std::map<std::string, std::string_view> entries_;
};

// Writes stored entries whose data start at multiples of 64 bytes, as torch does. Up to 4 GiB in all.
class ZipWriter {
  public:
    explicit ZipWriter(std::ostream& out) : out_(out) {}
    void add(const std::string& name, std::string_view data);
    void finish();

  private:
    std::ostream& out_;
    std::uint64_t place_ = 0;
    std::uint16_t count_ = 0;
    std::string directory_;
};

}  // namespace candor
