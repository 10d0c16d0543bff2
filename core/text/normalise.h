// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace candor {

// All functions here are pure and reentrant; broken UTF-8 counts as U+FFFD.

// The text that answers are compared by: NFKD, lower case, combining marks dropped, punctuation, symbols and
// separators to spaces, the words a, an, the dropped. Tokens stand apart by one space; "" where nothing is left.
std::string normalised(std::string_view text);

// The tokens of a normalised text; views into it.
std::vector<std::string_view> splitTokens(std::string_view normalisedText);

// Whether the tokens of `part` (not empty) stand contiguously in `whole`; both normalised.
bool standsIn(std::string_view part, std::string_view whole);

// The paper's normalisation (NFD, lower case, ASCII punctuation to spaces, a/an/the deleted at Unicode word borders).
// Kept for comparison: it also deletes the base letter of an accented "a" and leaves nothing of "A+".
std::string elicalNormalised(std::string_view text);
// The paper's tokens of any text: runs of letters, numbers and marks, or one other visible character; lower case.
std::vector<std::string> elicalTokens(std::string_view text);

}  // namespace candor
