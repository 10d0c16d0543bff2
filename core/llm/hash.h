// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace candor {

// SHA-256 (FIPS 180-4), fed piece by piece.
class Sha256 {
  public:
    Sha256& update(std::string_view bytes);
    Sha256& update(const std::byte* data, std::size_t size);
    std::string hex();  // 64 characters; ends the hash

  private:
    void block(const std::uint8_t* data);
    std::array<std::uint32_t, 8> state_ = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                           0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    std::array<std::uint8_t, 64> buffer_{};
    std::size_t filled_ = 0;
    std::uint64_t total_ = 0;
};

std::string sha256(std::string_view bytes);
std::string sha256File(const std::filesystem::path& file);  // throws Error if it cannot be read

}  // namespace candor
