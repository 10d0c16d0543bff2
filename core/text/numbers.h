// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace candor {

// The numbers a text states, in order, read before punctuation is dropped: "1.0" is 1 and not 10, "1,000" is 1000,
// "twenty-one" is 21. Commas group thousands, a dot is decimal; English number words up to millions. Pure.
std::vector<double> numbersIn(std::string_view text);

// Number mode of answer matching: some gold answer is one number and nothing else, and the answer states it. The string
// rules say no where digits and words differ ("2", "two"); results must name the mode they used. Pure.
bool statesNumber(std::span<const std::string> gold, std::string_view answer);

}  // namespace candor
