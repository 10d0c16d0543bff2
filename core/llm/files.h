// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <iosfwd>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace candor {

// The file's bytes. Throws InputError(code) if it cannot be read or holds more than `limit` bytes.
std::string readFile(const std::filesystem::path& file, std::size_t limit, const char* code);

// JSON of a file or a part of one. Throws InputError(code) saying where `text` is no JSON, or nests deeper than 64.
nlohmann::json parseJson(std::string_view text, const std::filesystem::path& file, const char* code);
nlohmann::json readJson(const std::filesystem::path& file, std::size_t limit, const char* code);

// Calls `write` on a temporary file beside `file`, syncs it, and renames it to `file`: readers see all or nothing.
// Throws Error and leaves no temporary file if any of it fails.
void writeAtomically(const std::filesystem::path& file, const std::function<void(std::ostream&)>& write);

// A name beside `path` that nobody else uses: for what is renamed to `path` when it is complete.
std::filesystem::path temporaryBeside(const std::filesystem::path& path);

}  // namespace candor
