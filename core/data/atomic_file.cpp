// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/atomic_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <system_error>

#include "core/error.h"

namespace candor {
namespace {

constexpr std::size_t kBuffer = std::size_t(1) << 20;

const char* advice(int error) {
    switch (error) {
        case ENOSPC:
        case EDQUOT:
            return "free space there, or write to another disk";
        case EACCES:
        case EPERM:
        case EROFS:
            return "check the permissions of its folder, or write elsewhere";
        case ENOENT:
        case ENOTDIR:
            return "its folder does not exist: make it first";
        case EISDIR:
            return "name a file, not a folder";
        default:
            return "try another place";
    }
}

}  // namespace

AtomicFile::AtomicFile(const std::filesystem::path& file) : file_(file), temporary_(file.string() + ".XXXXXX") {
    if (std::filesystem::is_directory(file)) {
        errno = EISDIR;
        fail();
    }
    descriptor_ = ::mkostemp(temporary_.data(), O_CLOEXEC);
    if (descriptor_ < 0) fail();
}

AtomicFile::~AtomicFile() {
    if (descriptor_ < 0) return;
    ::close(descriptor_);
    ::unlink(temporary_.c_str());
}

void AtomicFile::fail() const {
    const int error = errno;
    throw Error(file_.string() + " cannot be written (" + std::generic_category().message(error) +
                "): " + advice(error) + ". Nothing was left there.");
}

void AtomicFile::write(std::string_view bytes) {
    buffer_ += bytes;
    if (buffer_.size() >= kBuffer) flush();
}

void AtomicFile::flush() {
    std::string_view left = buffer_;
    while (!left.empty()) {
        const ssize_t n = ::write(descriptor_, left.data(), left.size());
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) fail();
        left.remove_prefix(static_cast<std::size_t>(n));
    }
    buffer_.clear();
}

void AtomicFile::commit() {
    flush();
    // mkostemp makes a private file: give it what the user's mask leaves, as any other program's output has.
    const mode_t mask = ::umask(0);
    ::umask(mask);
    if (::fchmod(descriptor_, 0666 & ~mask) != 0 || ::fsync(descriptor_) != 0) fail();
    if (::rename(temporary_.c_str(), file_.c_str()) != 0) fail();
    ::close(descriptor_);
    descriptor_ = -1;
    const std::filesystem::path folder = file_.has_parent_path() ? file_.parent_path() : std::filesystem::path(".");
    const int handle = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (handle < 0) return;
    ::fsync(handle);  // some file systems cannot: the rename stands all the same
    ::close(handle);
}

}  // namespace candor
