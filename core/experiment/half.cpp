// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/experiment/half.h"

#include <bit>
#include <cmath>

namespace candor {

std::uint16_t toHalf(float value) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    const auto sign = static_cast<std::uint16_t>(bits >> 16 & 0x8000U);
    const std::uint32_t magnitude = bits & 0x7fffffffU;
    if (magnitude > 0x7f800000U) return static_cast<std::uint16_t>(sign | 0x7e00U);   // NaN
    if (magnitude >= 0x477ff000U) return static_cast<std::uint16_t>(sign | 0x7c00U);  // from 65520 on
    if (magnitude < 0x38800000U) {  // below 2^-14: a multiple of 2^-24
        const float scaled = std::nearbyint(std::bit_cast<float>(magnitude) * 0x1p24F);
        return static_cast<std::uint16_t>(sign | static_cast<std::uint16_t>(scaled));
    }
    const std::uint32_t rounded = magnitude + 0xfffU + (magnitude >> 13 & 1U);
    return static_cast<std::uint16_t>(sign | ((rounded - 0x38000000U) >> 13));
}

float fromHalf(std::uint16_t half) {
    const std::uint32_t sign = static_cast<std::uint32_t>(half & 0x8000U) << 16;
    const std::uint32_t exponent = half >> 10 & 0x1fU, mantissa = half & 0x3ffU;
    if (exponent == 0) {
        const float value = static_cast<float>(mantissa) * 0x1p-24F;
        return sign ? -value : value;
    }
    if (exponent == 31) return std::bit_cast<float>(sign | 0x7f800000U | mantissa << 13);
    return std::bit_cast<float>(sign | (exponent + 112) << 23 | mantissa << 13);
}

}  // namespace candor
