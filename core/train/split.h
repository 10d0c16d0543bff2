// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace candor {

// A question's text for splitting: lower case (ASCII), white space runs to one blank, trimmed. Questions that are
// equal so stay on one side of every split.
std::string splitKey(const std::string& question);

struct Split {
    std::vector<std::int64_t> train, heldOut;  // places in the list that was split, ascending
};

// Takes about `share` of the places out, at least one and not all of them; groups are whole. Which ones follows from
// the seed. Throws Error for fewer than two groups.
Split holdOut(std::span<const std::string> keys, double share, std::uint64_t seed);

// `folds` splits whose held-out parts cover every place once; with fewer groups than folds, one fold a group.
std::vector<Split> kFold(std::span<const std::string> keys, int folds, std::uint64_t seed);

}  // namespace candor
