// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace candor {

// The alphabet of byte-level BPE: each byte has one visible character (GPT-2's table: printable Latin-1 bytes stand
// for themselves, the other 68 for U+0100 and up).

// The bytes that a token's spelling stands for; nothing if a character is outside the alphabet.
std::optional<std::string> bytesOfSpelling(std::string_view spelling);
// The reverse.
std::string spellingOfBytes(std::string_view bytes);

}  // namespace candor
