// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/experiment/state_cache.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <unordered_set>

#include "core/error.h"
#include "core/experiment/half.h"
#include "core/llm/hash.h"
#include "core/train/files.h"

namespace candor {
namespace {

using nlohmann::json;

// File: magic, u64 length of the JSON header, its u64 checksum, header; then blocks. Block: magic, u64 rows, u64
// checksum of its content, content = rows x 16 bytes of SHA-256 of the text, rows x width values. Little endian.
constexpr std::string_view kFileMagic = "CANDORH1", kBlockMagic = "CANDORHB";
constexpr std::size_t kKeyBytes = 16, kBlockHead = 24;
constexpr std::size_t kBlockRows = 4096;

std::string textKey(const std::string& question) { return sha256(question).substr(0, 2 * kKeyBytes); }

std::string packed(const std::string& hex) {
    const auto digit = [](char c) { return static_cast<unsigned char>(c <= '9' ? c - '0' : c - 'a' + 10); };
    std::string bytes;
    for (std::size_t i = 0; i < hex.size(); i += 2) bytes += static_cast<char>(digit(hex[i]) << 4 | digit(hex[i + 1]));
    return bytes;
}

std::string keyOf(const std::string& question) { return packed(textKey(question)); }

std::size_t sizeOf(StateDtype dtype) { return dtype == StateDtype::Fp16 ? 2 : 4; }

void appendNumber(std::string& bytes, std::uint64_t value) {
    bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

std::uint64_t numberAt(const char* bytes) {
    std::uint64_t value;
    std::memcpy(&value, bytes, sizeof value);
    return value;
}

std::string headerBytes(const StateInfo& info) {
    const std::string text = json{{"key", info.key},
                                  {"model", info.model},
                                  {"read_position", info.readPosition},
                                  {"provenance", info.provenance},
                                  {"layer", info.layer},
                                  {"width", info.width},
                                  {"dtype", info.dtype == StateDtype::Fp16 ? "fp16" : "fp32"}}
                                 .dump();
    std::string bytes(kFileMagic);
    appendNumber(bytes, text.size());
    appendNumber(bytes, checksum64(text));
    return bytes + text;
}

std::string blockBytes(const StateInfo& info, std::span<const std::string> questions,
                       std::span<const std::size_t> places, const float* matrix) {
    std::string content;
    const auto width = static_cast<std::size_t>(info.width);
    for (const std::size_t place : places) content += keyOf(questions[place]);
    for (const std::size_t place : places) {
        const float* row = matrix + place * width;
        if (info.dtype == StateDtype::Fp32) {
            content.append(reinterpret_cast<const char*>(row), width * sizeof(float));
            continue;
        }
        for (std::size_t j = 0; j < width; ++j) {
            const std::uint16_t half = toHalf(row[j]);
            content.append(reinterpret_cast<const char*>(&half), sizeof half);
        }
    }
    std::string bytes(kBlockMagic);
    appendNumber(bytes, places.size());
    appendNumber(bytes, checksum64(content));
    return bytes + content;
}

Error damaged(const std::filesystem::path& file, const std::string& what) {
    return Error("cached hidden states " + file.string() + " are damaged (" + what +
                 "): delete the file, they are computed again");
}

struct Header {
    StateInfo info;
    std::uint64_t size = 0;  // bytes before the first block
};

Header readHeader(std::ifstream& in, const std::filesystem::path& file) {
    std::array<char, 24> head{};
    if (!in.read(head.data(), head.size()) || std::string_view(head.data(), 8) != kFileMagic)
        throw damaged(file, "no header");
    const std::uint64_t length = numberAt(head.data() + 8);
    if (length > (1U << 24)) throw damaged(file, "header length");
    std::string text(length, '\0');
    if (!in.read(text.data(), static_cast<std::streamsize>(length)) || checksum64(text) != numberAt(head.data() + 16))
        throw damaged(file, "header");
    Header h;
    try {
        const json j = json::parse(text);
        h.info.key = j.at("key");
        h.info.model = j.at("model");
        h.info.readPosition = j.at("read_position");
        h.info.provenance = j.at("provenance");
        h.info.layer = j.at("layer");
        h.info.width = j.at("width");
        h.info.dtype = j.at("dtype") == "fp16" ? StateDtype::Fp16 : StateDtype::Fp32;
    } catch (const json::exception&) {
        throw damaged(file, "header");
    }
    if (h.info.width < 1) throw damaged(file, "width");
    h.size = head.size() + length;
    return h;
}

void requireFits(const StateInfo& info, std::span<const std::string> questions, std::span<const float> matrix) {
    if (info.width < 1 || matrix.size() != questions.size() * static_cast<std::size_t>(info.width))
        throw Error("hidden states: " + std::to_string(matrix.size()) + " values for " +
                    std::to_string(questions.size()) + " questions of width " + std::to_string(info.width));
}

// Places of the questions that `skip` does not hold, each question once.
std::vector<std::size_t> newPlaces(std::span<const std::string> questions, const StateCache* skip) {
    std::unordered_set<std::string> seen;
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < questions.size(); ++i)
        if (!(skip && skip->contains(questions[i])) && seen.insert(questions[i]).second) places.push_back(i);
    return places;
}

std::vector<std::string> blocksOf(const StateInfo& info, std::span<const std::string> questions,
                                  std::span<const float> matrix, std::span<const std::size_t> places) {
    std::vector<std::string> blocks;
    for (std::size_t at = 0; at < places.size(); at += kBlockRows)
        blocks.push_back(
            blockBytes(info, questions, places.subspan(at, std::min(kBlockRows, places.size() - at)), matrix.data()));
    return blocks;
}

}  // namespace

StateCache StateCache::open(const std::filesystem::path& file) {
    std::ifstream in(file, std::ios::binary);
    if (!in) throw Error("cannot open cached hidden states " + file.string());
    const Header header = readHeader(in, file);
    StateCache cache;
    cache.info_ = header.info;
    cache.file_ = file;
    const std::uint64_t size = std::filesystem::file_size(file);
    const std::uint64_t rowBytes = static_cast<std::uint64_t>(header.info.width) * sizeOf(header.info.dtype);
    std::uint64_t at = header.size;
    std::string content;
    while (at + kBlockHead <= size) {
        std::array<char, kBlockHead> head{};
        in.seekg(static_cast<std::streamoff>(at));
        in.read(head.data(), head.size());
        if (!in || std::string_view(head.data(), 8) != kBlockMagic) throw damaged(file, "block");
        const std::uint64_t rows = numberAt(head.data() + 8);
        if (rows > size) throw damaged(file, "block length");
        const std::uint64_t bytes = rows * (kKeyBytes + rowBytes);
        if (at + kBlockHead + bytes > size) break;  // cut off while it was written
        content.resize(bytes);
        if (!in.read(content.data(), static_cast<std::streamsize>(bytes))) throw damaged(file, "unreadable");
        if (checksum64(content) != numberAt(head.data() + 16)) throw damaged(file, "checksum");
        for (std::uint64_t r = 0; r < rows; ++r)
            cache.places_.try_emplace(content.substr(r * kKeyBytes, kKeyBytes),
                                      Place{at + kBlockHead + rows * kKeyBytes + r * rowBytes});
        at += kBlockHead + bytes;
    }
    cache.info_.rows = static_cast<std::int64_t>(cache.places_.size());
    cache.info_.bytes = at;
    return cache;
}

void StateCache::append(std::span<const std::string> questions, std::span<const float> matrix) {
    requireFits(info_, questions, matrix);
    appendLocked(file_, [&](std::uint64_t size) {
        if (size != info_.bytes) *this = open(file_);  // another process was here, or the file was cut off
        const std::vector<std::size_t> places = newPlaces(questions, this);
        Append append{info_.bytes, blocksOf(info_, questions, matrix, places)};
        std::span<const std::size_t> left = places;
        for (const std::string& block : append.pieces) {
            const std::uint64_t rows = numberAt(block.data() + 8),
                                rowBytes = block.size() - kBlockHead - rows * kKeyBytes;
            for (std::uint64_t r = 0; r < rows; ++r)
                places_.try_emplace(keyOf(questions[left[r]]),
                                    Place{info_.bytes + kBlockHead + rows * kKeyBytes + r * (rowBytes / rows)});
            left = left.subspan(rows);
            info_.bytes += block.size();
        }
        info_.rows = static_cast<std::int64_t>(places_.size());
        return append;
    });
}

bool StateCache::contains(const std::string& question) const { return places_.contains(keyOf(question)); }

std::vector<float> StateCache::read(std::span<const std::string> questions) const {
    std::ifstream in(file_, std::ios::binary);
    if (!in) throw Error("cannot open cached hidden states " + file_.string());
    const auto width = static_cast<std::size_t>(info_.width);
    std::vector<float> matrix(questions.size() * width);
    std::vector<std::uint16_t> halves(info_.dtype == StateDtype::Fp16 ? width : 0);
    for (std::size_t i = 0; i < questions.size(); ++i) {
        const auto found = places_.find(keyOf(questions[i]));
        if (found == places_.end())
            throw Error("cached hidden states " + file_.string() + " lack the question \"" + questions[i] + "\"");
        in.seekg(static_cast<std::streamoff>(found->second.offset));
        float* row = matrix.data() + i * width;
        if (info_.dtype == StateDtype::Fp32) {
            in.read(reinterpret_cast<char*>(row), static_cast<std::streamsize>(width * sizeof(float)));
        } else {
            in.read(reinterpret_cast<char*>(halves.data()), static_cast<std::streamsize>(width * 2));
            std::ranges::transform(halves, row, fromHalf);
        }
        if (!in) throw damaged(file_, "cut short while it was read");
    }
    return matrix;
}

std::filesystem::path statesFolder(const std::filesystem::path& projectFolder) { return projectFolder / "states"; }

std::filesystem::path statesFile(const std::filesystem::path& projectFolder, const std::string& key) {
    return statesFolder(projectFolder) / (key + ".states");
}

void writeStates(const std::filesystem::path& file, const StateInfo& info, std::span<const std::string> questions,
                 std::span<const float> matrix) {
    requireFits(info, questions, matrix);
    const std::string head = headerBytes(info);
    const std::vector<std::string> blocks = blocksOf(info, questions, matrix, newPlaces(questions, nullptr));
    std::vector<std::string_view> pieces = {head};
    pieces.insert(pieces.end(), blocks.begin(), blocks.end());
    writeFileAtomically(file, pieces);
}

void appendStates(const std::filesystem::path& file, const StateInfo& info, std::span<const std::string> questions,
                  std::span<const float> matrix) {
    requireFits(info, questions, matrix);
    if (!std::filesystem::exists(file)) return writeStates(file, info, questions, matrix);
    StateCache there = StateCache::open(file);
    if (there.info().key != info.key || there.info().width != info.width)
        throw Error("cached hidden states " + file.string() + " are of key " + there.info().key + " and width " +
                    std::to_string(there.info().width) + ", not " + info.key + " and " + std::to_string(info.width));
    there.append(questions, matrix);
}

std::vector<StateInfo> listStates(const std::filesystem::path& projectFolder) {
    std::vector<StateInfo> all;
    std::error_code absent;
    for (const auto& entry : std::filesystem::directory_iterator(statesFolder(projectFolder), absent)) {
        if (entry.path().extension() != ".states") continue;
        try {
            std::ifstream in(entry.path(), std::ios::binary);
            all.push_back(readHeader(in, entry.path()).info);
            all.back().bytes = entry.file_size();
        } catch (const Error&) {
            continue;  // open() says what is wrong with it
        }
    }
    std::ranges::sort(all, {}, &StateInfo::key);
    return all;
}

}  // namespace candor
