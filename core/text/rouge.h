// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string_view>

namespace candor {

// ROUGE-L F1 of two texts: longest common subsequence of their tokens at white space, case and punctuation kept,
// 2 L / (n + m); 0 where one has no tokens. Symmetric. Time and memory O(n m) and O(m). Pure.
double rougeL(std::string_view a, std::string_view b);
// The same over normalised texts (core/text/normalise.h).
double rougeLNormalised(std::string_view a, std::string_view b);

// ROUGE-L F of the Python package `rouge` 1.0.1 (the paper's Consis-Lex): sentences end at every ".", words count once,
// L is the size of the union of all sentence pairs' common subsequences. Nothing where that package raises an error
// (a text that is empty or dots only).
std::optional<double> elicalRougeL(std::string_view hypothesis, std::string_view reference);

}  // namespace candor
