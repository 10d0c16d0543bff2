// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/confidence/pt_zip.h"

#include <algorithm>
#include <array>
#include <ostream>
#include <stdexcept>

namespace candor {

namespace {

// Offsets of APPNOTE.TXT 4.3; names as there.
constexpr std::uint32_t kLocal = 0x04034b50, kCentral = 0x02014b50, kEnd = 0x06054b50, kEnd64 = 0x06064b50,
                        kLocator64 = 0x07064b50;
constexpr std::size_t kLocalSize = 30, kCentralSize = 46, kEndSize = 22, kEnd64Size = 56, kLocatorSize = 20;
constexpr std::size_t kAlignment = 64;

[[noreturn]] void fail(const std::string& what) { throw std::runtime_error(what); }

void put(std::string& out, std::uint64_t value, int bytes) {
    for (int i = 0; i < bytes; ++i) out += static_cast<char>(value >> (8 * i));
}

}  // namespace

std::uint32_t crc32(std::string_view bytes) {
    static const auto table = [] {
        std::array<std::uint32_t, 256> made{};
        for (std::uint32_t i = 0; i < 256; ++i) {
            std::uint32_t value = i;
            for (int bit = 0; bit < 8; ++bit) value = value >> 1 ^ (value & 1 ? 0xEDB88320u : 0);
            made[i] = value;
        }
        return made;
    }();
    std::uint32_t value = 0xFFFFFFFFu;
    for (const char c : bytes) value = value >> 8 ^ table[(value ^ static_cast<unsigned char>(c)) & 255];
    return ~value;
}

std::string_view ZipReader::part(std::uint64_t at, std::uint64_t size) const {
    if (at > bytes_.size() || size > bytes_.size() - at) fail("the zip archive points outside the file");
    return bytes_.substr(at, size);
}

std::uint64_t ZipReader::number(std::size_t at, int bytes) const {
    const std::string_view raw = part(at, static_cast<std::uint64_t>(bytes));
    std::uint64_t value = 0;
    for (int i = bytes - 1; i >= 0; --i)
        value = value << 8 | static_cast<unsigned char>(raw[static_cast<std::size_t>(i)]);
    return value;
}

ZipReader::ZipReader(std::string_view bytes) : bytes_(bytes) {
    if (bytes.size() < kEndSize) fail("is too short for a zip archive");
    const std::size_t last = bytes.size() - kEndSize;
    const std::size_t first = last > 0xFFFF ? last - 0xFFFF : 0;  // a comment of up to 64 KiB may follow
    for (std::size_t end = last + 1; end-- > first;) {
        if (number(end, 4) != kEnd || number(end + 20, 2) != last - end) continue;
        std::uint64_t count = number(end + 10, 2), size = number(end + 12, 4), begin = number(end + 16, 4);
        if (end >= kLocatorSize && number(end - kLocatorSize, 4) == kLocator64) {
            const std::uint64_t end64 = number(end - kLocatorSize + 8, 8);
            if (number(part(end64, kEnd64Size).data() - bytes.data(), 4) != kEnd64) fail("has a damaged zip64 record");
            count = number(end64 + 32, 8), size = number(end64 + 40, 8), begin = number(end64 + 48, 8);
        }
        readDirectory(begin, size, count);
        return;
    }
    fail("is no complete zip archive (truncated?)");
}

void ZipReader::readDirectory(std::uint64_t begin, std::uint64_t size, std::uint64_t count) {
    part(begin, size);
    if (count > size / kCentralSize) fail("the zip directory is damaged");
    std::size_t at = begin;
    for (std::uint64_t i = 0; i < count; ++i) at = readEntry(at);
}

// Reads the directory entry at `at`; returns where the next one starts.
std::size_t ZipReader::readEntry(std::size_t at) {
    if (number(at, 4) != kCentral) fail("the zip directory is damaged");
    const std::uint64_t flags = number(at + 8, 2), method = number(at + 10, 2), crc = number(at + 16, 4);
    std::uint64_t packed = number(at + 20, 4), size = number(at + 24, 4), local = number(at + 42, 4);
    const std::size_t nameSize = number(at + 28, 2), extraSize = number(at + 30, 2), commentSize = number(at + 32, 2);
    const std::string name(part(at + kCentralSize, nameSize));
    const std::size_t extra = at + kCentralSize + nameSize;
    part(extra, extraSize);
    for (std::size_t field = extra; field + 4 <= extra + extraSize;) {
        const std::size_t length = number(field + 2, 2);
        std::size_t value = field + 4;
        if (length > extra + extraSize - value) break;  // padding, not a field
        if (number(field, 2) == 1) {
            const std::size_t end = value + length;
            for (std::uint64_t* wide : {&size, &packed, &local})
                if (*wide == 0xFFFFFFFFu && value + 8 <= end) *wide = number(value, 8), value += 8;
        }
        field += 4 + length;
    }
    if (method != 0 || packed != size) fail("entry \"" + name + "\" is compressed; torch.save stores entries plainly");
    if (flags & 1) fail("entry \"" + name + "\" is encrypted");
    if (number(local, 4) != kLocal) fail("entry \"" + name + "\" has no local header");
    const std::uint64_t data = local + kLocalSize + number(local + 26, 2) + number(local + 28, 2);
    const std::string_view content = part(data, size);
    // torch can be told to leave checksums out; then the field is 0.
    if (crc != 0 && crc32(content) != crc) fail("entry \"" + name + "\" is damaged: its checksum is wrong");
    if (!entries_.emplace(name, content).second) fail("entry \"" + name + "\" appears twice");
    return extra + extraSize + commentSize;
}

void ZipWriter::add(const std::string& name, std::string_view data) {
    if (data.size() > 0xFFFFFFF0u - place_ - 4096) fail("more than 4 GiB do not fit a .pt file written here");
    // The padding is an extra field of its own, named FB as torch names it.
    const std::size_t header = kLocalSize + name.size() + 4;
    const std::size_t padding = (kAlignment - (place_ + header) % kAlignment) % kAlignment;
    std::string common;
    put(common, 0, 2);                        // flags
    put(common, 0, 2);                        // stored
    put(common, 0, 2), put(common, 0x21, 2);  // 1980-01-01: the same content gives the same file
    put(common, crc32(data), 4);
    put(common, data.size(), 4), put(common, data.size(), 4);
    put(common, name.size(), 2);
    std::string local;
    put(local, kLocal, 4), put(local, 20, 2);
    local += common;
    put(local, 4 + padding, 2);
    local += name + "FB";
    put(local, padding, 2);
    local.append(padding, 'Z');
    put(directory_, kCentral, 4), put(directory_, 20, 2), put(directory_, 20, 2);
    directory_ += common;
    put(directory_, 0, 2), put(directory_, 0, 2), put(directory_, 0, 2), put(directory_, 0, 2);
    put(directory_, 0, 4), put(directory_, place_, 4);
    directory_ += name;
    out_.write(local.data(), static_cast<std::streamsize>(local.size()));
    out_.write(data.data(), static_cast<std::streamsize>(data.size()));
    place_ += local.size() + data.size();
    if (++count_ == 0xFFFF) fail("more than 65534 tensors do not fit a .pt file written here");
}

void ZipWriter::finish() {
    std::string end;
    put(end, kEnd, 4), put(end, 0, 2), put(end, 0, 2), put(end, count_, 2), put(end, count_, 2);
    put(end, directory_.size(), 4), put(end, place_, 4), put(end, 0, 2);
    out_.write(directory_.data(), static_cast<std::streamsize>(directory_.size()));
    out_.write(end.data(), static_cast<std::streamsize>(end.size()));
}

}  // namespace candor
