// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace candor {

// Writes through a temporary file in the same folder, fsync and rename: readers see the old file or the whole new one.
// Makes the folder. Throws Error naming the file and the system's reason; then the old file stands.
void writeFileAtomically(const std::filesystem::path& file, std::span<const std::string_view> pieces);
// Appends under the file's lock, so that two processes may: `prepare` gets the size the file has now and gives the
// pieces and the size to cut it to before they are written. Syncs. Throws Error.
struct Append {
    std::uint64_t keep = 0;
    std::vector<std::string> pieces;
};
void appendLocked(const std::filesystem::path& file, const std::function<Append(std::uint64_t size)>& prepare);
std::string readWholeFile(const std::filesystem::path& file);  // throws Error

// 64-bit check of bytes against damage (not against intent): FNV-1a over 8-byte words.
std::uint64_t checksum64(std::string_view bytes, std::uint64_t seed = 0);

// Bytes of plain values.
template <typename T>
std::string_view bytesOf(std::span<const T> values) {
    return {reinterpret_cast<const char*>(values.data()), values.size_bytes()};
}

}  // namespace candor
