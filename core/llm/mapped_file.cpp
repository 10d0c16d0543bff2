// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/llm/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "core/error.h"

namespace candor {

MappedFile::MappedFile(const std::filesystem::path& file, const char* code) {
    const auto fail = [&](const std::string& what) {
        throw InputError(code, file.string() + ": " + what, file.string());
    };
    // O_NONBLOCK: a pipe of that name must not make us wait; it is refused below.
    const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor < 0) fail(std::string("cannot be opened: ") + std::strerror(errno));
    struct stat info {};
    const bool regular = ::fstat(descriptor, &info) == 0 && S_ISREG(info.st_mode);
    size_ = regular ? static_cast<std::size_t>(info.st_size) : 0;
    // MAP_NORESERVE: a model may be larger than the memory; nothing is written to it.
    if (size_ > 0) data_ = ::mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_NORESERVE, descriptor, 0);
    const int reason = errno;
    ::close(descriptor);
    if (!regular) fail("is not a regular file");
    if (data_ == MAP_FAILED) fail(std::string("cannot be mapped: ") + std::strerror(reason));
}

MappedFile::~MappedFile() {
    if (data_) ::munmap(data_, size_);
}

}  // namespace candor
