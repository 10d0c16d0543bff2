// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string_view>

namespace candor {

// The letter that a reply to a multiple-choice question chooses, 'A' to the last of `options` (2 to 26), or nothing.
// Read at the answer's position: the whole reply, "X." or "X)" or "X:" where it starts, "(X)", or behind a word such as
// answer, option, Antwort, with "is" or ":" between; else a capital letter that stands alone only once. Pure.
std::optional<char> parseChoice(std::string_view reply, int options = 4);

}  // namespace candor
