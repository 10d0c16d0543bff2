// SPDX-License-Identifier: GPL-3.0-or-later
#include <bit>
#include <cstring>
#include <limits>

#include "core/error.h"
#include "core/llm/safetensors.h"

namespace candor {

std::size_t dtypeSize(Dtype dtype) {
    switch (dtype) {
        case Dtype::F64:
        case Dtype::I64:
            return 8;
        case Dtype::F32:
        case Dtype::I32:
            return 4;
        case Dtype::F16:
        case Dtype::BF16:
        case Dtype::I16:
            return 2;
        case Dtype::I8:
        case Dtype::U8:
        case Dtype::Bool:
            return 1;
    }
    throw Error("dtype " + std::to_string(static_cast<int>(dtype)) + " does not exist");
}

const char* dtypeName(Dtype dtype) {
    switch (dtype) {
        case Dtype::F64:
            return "F64";
        case Dtype::I64:
            return "I64";
        case Dtype::F32:
            return "F32";
        case Dtype::I32:
            return "I32";
        case Dtype::F16:
            return "F16";
        case Dtype::BF16:
            return "BF16";
        case Dtype::I16:
            return "I16";
        case Dtype::I8:
            return "I8";
        case Dtype::U8:
            return "U8";
        case Dtype::Bool:
            return "BOOL";
    }
    throw Error("dtype " + std::to_string(static_cast<int>(dtype)) + " does not exist");
}

std::int64_t TensorView::elements() const {
    std::int64_t count = 1;
    for (const std::int64_t size : shape) count *= size;
    return count;
}

namespace {

float fromHalf(std::uint16_t half) {
    const std::uint32_t sign = std::uint32_t{half} >> 15 << 31;
    const std::uint32_t exponent = half >> 10 & 31, mantissa = half & 1023;
    if (exponent == 31) return std::bit_cast<float>(sign | 0x7f800000u | mantissa << 13);
    if (exponent != 0) return std::bit_cast<float>(sign | (exponent + 112) << 23 | mantissa << 13);
    const float small = static_cast<float>(mantissa) * 0x1p-24f;  // subnormal or zero
    return sign ? -small : small;
}

template <class Stored, class Convert>
std::vector<float> convert(const TensorView& tensor, Convert one) {
    std::vector<float> values(tensor.bytes / sizeof(Stored));
    for (std::size_t i = 0; i < values.size(); ++i) {
        Stored stored;
        std::memcpy(&stored, tensor.data + i * sizeof(Stored), sizeof(Stored));
        values[i] = one(stored);
    }
    return values;
}

}  // namespace

std::vector<float> toFloats(const TensorView& tensor) {
    const auto plain = [](auto value) { return static_cast<float>(value); };
    switch (tensor.dtype) {
        case Dtype::F32:
            return convert<float>(tensor, plain);
        case Dtype::F64:
            return convert<double>(tensor, plain);
        case Dtype::F16:
            return convert<std::uint16_t>(tensor, fromHalf);
        case Dtype::BF16:
            return convert<std::uint16_t>(
                tensor, [](std::uint16_t value) { return std::bit_cast<float>(std::uint32_t{value} << 16); });
        case Dtype::I16:
            return convert<std::int16_t>(tensor, plain);
        case Dtype::I8:
            return convert<std::int8_t>(tensor, plain);
        case Dtype::U8:
        case Dtype::Bool:
            return convert<std::uint8_t>(tensor, plain);
        default:
            throw Error("tensor " + tensor.name + ": " + dtypeName(tensor.dtype) +
                        " values do not all fit fp32; expected a floating-point tensor");
    }
}

}  // namespace candor
