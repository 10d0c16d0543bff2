// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/train/files.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>

#include "core/error.h"

namespace candor {
namespace {

[[noreturn]] void fail(const std::filesystem::path& file, const char* what) {
    throw Error(std::string("cannot ") + what + " " + file.string() + ": " + std::strerror(errno));
}

void writeAll(int descriptor, std::string_view bytes, const std::filesystem::path& file) {
    while (!bytes.empty()) {
        const ssize_t n = ::write(descriptor, bytes.data(), bytes.size());
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) fail(file, "write");
        bytes.remove_prefix(static_cast<std::size_t>(n));
    }
}

void syncFolder(const std::filesystem::path& folder) {
    const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0) return;
    ::fsync(descriptor);  // some file systems cannot: the rename stands all the same
    ::close(descriptor);
}

}  // namespace

void writeFileAtomically(const std::filesystem::path& file, std::span<const std::string_view> pieces) {
    const std::filesystem::path folder = file.has_parent_path() ? file.parent_path() : std::filesystem::path(".");
    std::error_code failed;
    std::filesystem::create_directories(folder, failed);
    std::string temporary = file.string() + ".XXXXXX";
    const int descriptor = ::mkostemp(temporary.data(), O_CLOEXEC);
    if (descriptor < 0) fail(file, "write");
    try {
        for (const std::string_view piece : pieces) writeAll(descriptor, piece, file);
        if (::fchmod(descriptor, 0644) != 0 || ::fsync(descriptor) != 0) fail(file, "write");
    } catch (...) {
        ::close(descriptor);
        ::unlink(temporary.c_str());
        throw;
    }
    if (::close(descriptor) != 0 || ::rename(temporary.c_str(), file.c_str()) != 0) {
        const int reason = errno;
        ::unlink(temporary.c_str());
        errno = reason;
        fail(file, "write");
    }
    syncFolder(folder);
}

void appendLocked(const std::filesystem::path& file, const std::function<Append(std::uint64_t size)>& prepare) {
    const int descriptor = ::open(file.c_str(), O_WRONLY | O_CLOEXEC);
    if (descriptor < 0) fail(file, "open");
    try {
        if (::flock(descriptor, LOCK_EX) != 0) fail(file, "lock");  // closing the descriptor gives it back
        const off_t size = ::lseek(descriptor, 0, SEEK_END);
        if (size < 0) fail(file, "read");
        const Append append = prepare(static_cast<std::uint64_t>(size));
        if (!append.pieces.empty()) {
            if (::ftruncate(descriptor, static_cast<off_t>(append.keep)) != 0 || ::lseek(descriptor, 0, SEEK_END) < 0)
                fail(file, "write");
            for (const std::string& piece : append.pieces) writeAll(descriptor, piece, file);
            if (::fsync(descriptor) != 0) fail(file, "write");
        }
    } catch (...) {
        ::close(descriptor);
        throw;
    }
    ::close(descriptor);
}

std::string readWholeFile(const std::filesystem::path& file) {
    std::ifstream in(file, std::ios::binary | std::ios::ate);
    if (!in) fail(file, "open");
    std::string bytes(static_cast<std::size_t>(in.tellg()), '\0');
    in.seekg(0);
    if (!in.read(bytes.data(), static_cast<std::streamsize>(bytes.size()))) fail(file, "read");
    return bytes;
}

std::uint64_t checksum64(std::string_view bytes, std::uint64_t seed) {
    std::uint64_t hash = 0xcbf29ce484222325ULL ^ seed;
    const auto mix = [&hash](std::uint64_t word) {
        hash = (hash ^ word) * 0x100000001b3ULL;
        hash ^= hash >> 32;
    };
    while (bytes.size() >= 8) {
        std::uint64_t word;
        std::memcpy(&word, bytes.data(), 8);
        mix(word);
        bytes.remove_prefix(8);
    }
    std::uint64_t last = bytes.size();
    for (const char c : bytes) last = last << 8 | static_cast<unsigned char>(c);
    mix(last);
    return hash;
}

}  // namespace candor
