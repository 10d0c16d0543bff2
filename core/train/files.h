// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>

namespace candor {

// Writes through a temporary file in the same folder, fsync and rename: readers see the old file or the whole new one.
// Makes the folder. Throws Error naming the file and the system's reason; then the old file stands.
void writeFileAtomically(const std::filesystem::path& file, std::span<const std::string_view> pieces);
// Cuts the file to `size` bytes, writes the pieces behind them and syncs. Throws Error.
void appendDurably(const std::filesystem::path& file, std::uint64_t size, std::span<const std::string_view> pieces);
std::string readWholeFile(const std::filesystem::path& file);  // throws Error

// 64-bit check of bytes against damage (not against intent): FNV-1a over 8-byte words.
std::uint64_t checksum64(std::string_view bytes, std::uint64_t seed = 0);

// Bytes of plain values.
template <typename T>
std::string_view bytesOf(std::span<const T> values) {
    return {reinterpret_cast<const char*>(values.data()), values.size_bytes()};
}

}  // namespace candor
