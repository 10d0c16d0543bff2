// SPDX-License-Identifier: GPL-3.0-or-later
#include "db/filesystem.h"

#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <fstream>
#include <random>
#include <set>
#include <sstream>
#include <system_error>

#include "core/error.h"

namespace candor::db {
namespace fs = std::filesystem;

std::string networkFileSystem(const fs::path& file) {
    struct statfs info {};
    const fs::path folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
    if (::statfs(folder.c_str(), &info) != 0) return {};
    return networkFileSystemOfType(static_cast<std::uint32_t>(info.f_type));
}

std::string networkFileSystemOfType(std::uint32_t type) {
    struct Known {
        std::uint32_t magic;
        const char* name;
    };
    // From statfs(2) and the kernel's magic.h; 9p is how a Windows drive looks from WSL 2.
    static constexpr std::array known = {
        Known{0x6969, "NFS"},        Known{0xFF534D42, "CIFS"}, Known{0xFE534D42, "SMB2"},
        Known{0x517B, "SMB"},        Known{0x01021997, "9p"},   Known{0x65735546, "FUSE"},
        Known{0x0BD00BD0, "Lustre"}, Known{0x47504653, "GPFS"}, Known{0x19830326, "BeeGFS"},
        Known{0x00C36400, "Ceph"},   Known{0x5346414F, "AFS"},  Known{0x786F4256, "vboxsf"},
    };
    for (const Known& k : known)
        if (type == k.magic) return k.name;
    return {};
}

std::string lockHolders(const fs::path& file) {
    std::set<ino_t> inodes;
    for (const char* suffix : {"", "-shm"}) {
        struct stat info {};
        if (::stat((file.string() + suffix).c_str(), &info) == 0) inodes.insert(info.st_ino);
    }
    // "1: POSIX  ADVISORY  WRITE 4711 fe:00:131090 120 120". The files themselves are not opened: closing one would
    // drop this process's own POSIX locks on it.
    std::ifstream locks("/proc/locks");
    std::set<long> holders;
    for (std::string line; std::getline(locks, line);) {
        std::istringstream words(line);
        std::string number, type, mode, access, where;
        long pid = 0;
        if (!(words >> number >> type >> mode >> access >> pid >> where) || pid <= 0 || pid == ::getpid()) continue;
        const auto colon = where.rfind(':');
        if (colon == std::string::npos || access != "WRITE") continue;
        if (inodes.contains(static_cast<ino_t>(std::strtoull(where.c_str() + colon + 1, nullptr, 10))))
            holders.insert(pid);
    }
    std::string text;
    for (const long pid : holders) {
        std::ifstream comm("/proc/" + std::to_string(pid) + "/comm");
        std::string name;
        std::getline(comm, name);
        text += (text.empty() ? " (process " : "; process ") + std::to_string(pid) + (name.empty() ? "" : ", " + name);
    }
    return text.empty() ? text : text + ")";
}

void requireWritable(const fs::path& file) {
    const fs::path folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
    for (const fs::path& path : {file, folder})
        if (::access(path.c_str(), W_OK) != 0)
            throw Error(path.string() + " cannot be written (" + systemMessage(errno) +
                        "): check its permissions, or copy the project elsewhere");
}

std::string systemMessage(int error) { return std::generic_category().message(error); }

std::string hostName() {
    std::array<char, 256> name{};
    return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "unknown";
}

std::int64_t nowMs() {
    using namespace std::chrono;
    return duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count();
}

std::string randomId() {
    static constexpr char digits[] = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
    std::random_device device;
    std::string id(26, '0');
    auto time = static_cast<std::uint64_t>(nowMs());
    for (int i = 9; i >= 0; --i, time >>= 5) id[static_cast<std::size_t>(i)] = digits[time & 31];
    for (std::size_t i = 10; i < id.size(); ++i) id[i] = digits[device() & 31];
    return id;
}

}  // namespace candor::db
