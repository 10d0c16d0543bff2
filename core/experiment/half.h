// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

namespace candor {

// IEEE binary16, round to nearest even; what is too large becomes an infinity.
std::uint16_t toHalf(float value);
float fromHalf(std::uint16_t half);

}  // namespace candor
