// SPDX-License-Identifier: GPL-3.0-or-later
#include "db/pack.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "core/error.h"

namespace candor::db {
namespace {

static_assert(std::endian::native == std::endian::little, "packed numbers are little endian");

void putVarint(std::string& out, std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) out.push_back(static_cast<char>((value & 0x7f) | 0x80));
    out.push_back(static_cast<char>(value));
}

[[noreturn]] void broken() { throw Error("a packed list in the project is damaged: restore a copy of the project"); }

std::uint64_t takeVarint(std::string_view& bytes) {
    std::uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
        if (bytes.empty()) broken();
        const auto byte = static_cast<std::uint8_t>(bytes.front());
        bytes.remove_prefix(1);
        value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
        if (byte < 0x80) return value;
    }
    broken();
}

std::uint64_t zigzag(std::int64_t value) {
    return (static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63);
}
std::int64_t unzigzag(std::uint64_t value) { return static_cast<std::int64_t>((value >> 1) ^ (~(value & 1) + 1)); }

// Finalizer of SplitMix64.
std::uint64_t mix(std::uint64_t x) {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
    return x ^ (x >> 31);
}

}  // namespace

std::string packIntegers(std::span<const std::int64_t> values) {
    std::string out;
    std::uint64_t last = 0;
    for (const std::int64_t value : values) {
        putVarint(out, zigzag(static_cast<std::int64_t>(static_cast<std::uint64_t>(value) - last)));
        last = static_cast<std::uint64_t>(value);
    }
    return out;
}

std::vector<std::int64_t> unpackIntegers(std::string_view bytes) {
    std::vector<std::int64_t> values;
    std::uint64_t last = 0;
    while (!bytes.empty()) {
        last += static_cast<std::uint64_t>(unzigzag(takeVarint(bytes)));
        values.push_back(static_cast<std::int64_t>(last));
    }
    return values;
}

std::string packTokens(std::span<const std::int32_t> values) {
    std::string out;
    for (const std::int32_t value : values) putVarint(out, zigzag(value));
    return out;
}

std::vector<std::int32_t> unpackTokens(std::string_view bytes) {
    std::vector<std::int32_t> values;
    while (!bytes.empty()) values.push_back(static_cast<std::int32_t>(unzigzag(takeVarint(bytes))));
    return values;
}

std::string packDoubles(std::span<const double> values) {
    return {reinterpret_cast<const char*>(values.data()), values.size_bytes()};
}

std::vector<double> unpackDoubles(std::string_view bytes) {
    if (bytes.size() % sizeof(double) != 0) broken();
    std::vector<double> values(bytes.size() / sizeof(double));
    if (!values.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
}

std::string packTexts(std::span<const std::string> values) {
    std::string out;
    for (const std::string& value : values) {
        putVarint(out, value.size());
        out += value;
    }
    return out;
}

std::vector<std::string> unpackTexts(std::string_view bytes) {
    std::vector<std::string> values;
    while (!bytes.empty()) {
        const std::uint64_t size = takeVarint(bytes);
        if (size > bytes.size()) broken();
        values.emplace_back(bytes.substr(0, size));
        bytes.remove_prefix(size);
    }
    return values;
}

std::string packVerdicts(std::span<const Verdict> values) {
    return {reinterpret_cast<const char*>(values.data()), values.size()};
}

std::vector<Verdict> unpackVerdicts(std::string_view bytes) {
    std::vector<Verdict> values(bytes.size());
    std::transform(bytes.begin(), bytes.end(), values.begin(), [](char c) {
        if (static_cast<std::uint8_t>(c) > 2) broken();
        return static_cast<Verdict>(c);
    });
    return values;
}

Kind kindOf(double value) {
    if (std::isnan(value)) return Kind::NaN;
    if (std::isinf(value)) return value > 0 ? Kind::Infinity : Kind::MinusInfinity;
    return Kind::Plain;
}

std::optional<double> finite(double value) { return std::isfinite(value) ? std::optional(value) : std::nullopt; }

double restore(std::optional<double> column, Kind kind) {
    switch (kind) {
        case Kind::NaN:
            return std::numeric_limits<double>::quiet_NaN();
        case Kind::Infinity:
            return std::numeric_limits<double>::infinity();
        case Kind::MinusInfinity:
            return -std::numeric_limits<double>::infinity();
        case Kind::Plain:
            break;
    }
    return column.value_or(std::numeric_limits<double>::quiet_NaN());
}

std::int64_t textHash(std::string_view text) {
    std::uint64_t hash = mix(text.size() + 0x9e3779b97f4a7c15ULL);
    while (!text.empty()) {
        std::uint64_t word = 0;
        const std::size_t n = std::min<std::size_t>(8, text.size());
        std::memcpy(&word, text.data(), n);
        hash = mix(hash ^ (word + 0x9e3779b97f4a7c15ULL)) * 0x9fb21c651e98df25ULL + word;
        text.remove_prefix(n);
    }
    return static_cast<std::int64_t>(mix(hash));
}

std::int64_t setHash(std::vector<std::string> texts) {
    std::sort(texts.begin(), texts.end());
    texts.erase(std::unique(texts.begin(), texts.end()), texts.end());
    return textHash(packTexts(texts));
}

}  // namespace candor::db
