// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace candor::db {

// The name of the network or foreign file system that holds `file` (or would), empty for a local one. SQLite's
// write-ahead log needs memory shared between all users of a file, which such file systems do not give.
std::string networkFileSystem(const std::filesystem::path& file);
// The same of statfs(2)'s type number.
std::string networkFileSystemOfType(std::uint32_t type);

// " (process 4711, candor-cli)" for the processes that hold locks on the database, empty if unknown.
std::string lockHolders(const std::filesystem::path& file);

// Throws Error where the file or its folder (SQLite keeps its journal there) cannot be written.
void requireWritable(const std::filesystem::path& file);

std::string systemMessage(int error);  // of an errno
std::string hostName();
std::string randomId();  // 26 characters, sorts by creation time (ULID)
std::int64_t nowMs();    // UTC

}  // namespace candor::db
