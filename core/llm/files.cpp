// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/llm/files.h"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/error.h"

namespace candor {

namespace fs = std::filesystem;

std::string readFile(const fs::path& file, std::size_t limit, const char* code) {
    std::error_code error;
    if (!fs::is_regular_file(file, error))
        throw InputError(code, file.string() + ": no such file (expected a regular file)", file.string());
    const std::uintmax_t size = fs::file_size(file, error);
    if (error) throw InputError(code, file.string() + ": " + error.message(), file.string());
    if (size > limit)
        throw InputError(code,
                         file.string() + ": " + std::to_string(size) + " bytes, at most " + std::to_string(limit) +
                             " are expected in a file of this kind",
                         file.string());
    std::ifstream in(file, std::ios::binary);
    std::string bytes(static_cast<std::size_t>(size), '\0');
    in.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    if (!in) throw InputError(code, file.string() + ": cannot be read", file.string());
    return bytes;
}

nlohmann::json parseJson(std::string_view text, const fs::path& file, const char* code) {
    constexpr int kDeepest = 64;
    const auto guard = [&](int depth, nlohmann::json::parse_event_t, nlohmann::json&) {
        if (depth > kDeepest)
            throw InputError(code, file.string() + ": JSON nested deeper than " + std::to_string(kDeepest) + " levels",
                             file.string());
        return true;
    };
    try {
        return nlohmann::json::parse(text.begin(), text.end(), guard);
    } catch (const nlohmann::json::parse_error& error) {
        throw InputError(code, file.string() + ": not JSON at byte " + std::to_string(error.byte), file.string());
    } catch (const nlohmann::json::exception& error) {
        throw InputError(code, file.string() + ": not JSON: " + error.what(), file.string());
    }
}

nlohmann::json readJson(const fs::path& file, std::size_t limit, const char* code) {
    return parseJson(readFile(file, limit, code), file, code);
}

fs::path temporaryBeside(const fs::path& path) {
    static std::atomic<unsigned> counter{0};
    std::string name = path.filename().string();
    name.insert(name.begin(), '.');
    name.append(".").append(std::to_string(::getpid())).append("-").append(std::to_string(counter++)).append(".tmp");
    return path.parent_path() / name;
}

namespace {

void sync(const fs::path& file) {
    const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) throw Error(file.string() + ": " + std::strerror(errno));
    const int result = ::fsync(descriptor);
    const int reason = errno;
    ::close(descriptor);
    if (result != 0) throw Error(file.string() + ": " + std::strerror(reason));
}

}  // namespace

void writeAtomically(const fs::path& file, const std::function<void(std::ostream&)>& write) {
    const fs::path temporary = temporaryBeside(file);
    try {
        std::ofstream out(temporary, std::ios::binary | std::ios::trunc);
        if (!out) throw Error(temporary.string() + ": cannot be written: " + std::strerror(errno));
        write(out);
        out.close();
        if (!out) throw Error(temporary.string() + ": writing failed, is the disk full?");
        sync(temporary);
        fs::rename(temporary, file);
    } catch (const fs::filesystem_error& error) {
        std::error_code ignored;
        fs::remove(temporary, ignored);
        throw Error(file.string() + ": " + error.code().message());
    } catch (...) {
        std::error_code ignored;
        fs::remove(temporary, ignored);
        throw;
    }
}

}  // namespace candor
