// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/data/record.h"

// How lists lie in a BLOB. These layouts are on disk: do not change them, add new ones.
namespace candor::db {

std::string packIntegers(std::span<const std::int64_t> values);  // differences, zigzag, base-128 varints
std::string packTokens(std::span<const std::int32_t> values);    // zigzag varints
std::string packDoubles(std::span<const double> values);         // 8 bytes each, little endian; NaN and infinities too
std::string packTexts(std::span<const std::string> values);      // length as varint, then the bytes
std::string packVerdicts(std::span<const Verdict> values);       // a byte each

// They throw Error where the bytes are not what packing makes.
std::vector<std::int64_t> unpackIntegers(std::string_view bytes);
std::vector<std::int32_t> unpackTokens(std::string_view bytes);
std::vector<double> unpackDoubles(std::string_view bytes);
std::vector<std::string> unpackTexts(std::string_view bytes);
std::vector<Verdict> unpackVerdicts(std::string_view bytes);

// A number column holds what is finite and NULL for the rest; its kind says what NULL stands for. Kinds of several
// columns share one integer, two bits each.
enum class Kind : std::uint8_t { Plain = 0, NaN = 1, Infinity = 2, MinusInfinity = 3 };  // stored: do not renumber
Kind kindOf(double value);
std::optional<double> finite(double value);  // what goes into the column
double restore(std::optional<double> column, Kind kind);

template <std::size_t N>
std::int64_t packKinds(const std::array<double, N>& values) {
    std::int64_t kinds = 0;
    for (std::size_t i = 0; i < N; ++i) kinds |= static_cast<std::int64_t>(kindOf(values[i])) << (2 * i);
    return kinds;
}
inline Kind kindAt(std::int64_t kinds, int index) { return static_cast<Kind>((kinds >> (2 * index)) & 3); }

// 64 bits of a text, the same on every machine; equal texts are found by it.
std::int64_t textHash(std::string_view text);
// Of a set of texts: order and repetition do not matter.
std::int64_t setHash(std::vector<std::string> texts);

}  // namespace candor::db
