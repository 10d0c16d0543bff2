// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string_view>

namespace candor {

// A confidence in [0, 1] that a model put into words, or nothing: unparsed, to be counted and shown, never 0.
// Reads the reply up to a blank line or a new "Question:". Understood: 0.85, .85, 1e-3, 85%, 9/10, "0.8 out of 1", any
// script's digits. One value must result: several different ones, a scale nobody stated ("7", "100"), a negative number
// or a decimal comma are unparsed. Pure.
std::optional<double> parseVerbal(std::string_view reply);

// The paper's rule: the last of 0, 1, 1.0, 0.x, .x between word borders; 0 where there is none.
double elicalVerbal(std::string_view reply);

}  // namespace candor
