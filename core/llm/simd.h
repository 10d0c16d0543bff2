// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

// Sixteen lanes at a time in the compiler's vector types. A function marked CANDOR_CLONES is compiled for AVX-512, AVX2
// and the baseline, and the loader picks one; helpers are inlined into it, so that they follow.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__)
#define CANDOR_CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define CANDOR_CLONES
#endif
#define CANDOR_INLINE __attribute__((always_inline)) inline

namespace candor::simd {

inline constexpr std::ptrdiff_t kLanes = 16;

// bf16 as stored: the upper half of an fp32.
struct Bf16 {
    std::uint16_t bits;
};

using Floats = float __attribute__((vector_size(64), aligned(4)));
using Ints = std::int32_t __attribute__((vector_size(64), aligned(4)));
using Words = std::uint32_t __attribute__((vector_size(64), aligned(4)));
using Shorts = std::uint16_t __attribute__((vector_size(32), aligned(2)));

constexpr std::ptrdiff_t roundUp(std::ptrdiff_t n) { return (n + kLanes - 1) / kLanes * kLanes; }

CANDOR_INLINE float load1(const float* p) { return *p; }
CANDOR_INLINE float load1(const Bf16* p) { return std::bit_cast<float>(static_cast<std::uint32_t>(p->bits) << 16); }
CANDOR_INLINE void store1(float* p, float value) { *p = value; }
CANDOR_INLINE void store1(Bf16* p, float value) {  // to nearest, ties to even; NaN stays NaN
    const auto bits = std::bit_cast<std::uint32_t>(value);
    p->bits = static_cast<std::uint16_t>(value != value ? 0x7fc0 : (bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}

// Writes a sum of lanes in a fixed order.
CANDOR_INLINE float sum(const Floats& v) {
    float total = 0;
    for (int i = 0; i < kLanes; ++i) total += v[i];
    return total;
}

CANDOR_INLINE void load(Floats& out, const float* p) { out = *reinterpret_cast<const Floats*>(p); }
CANDOR_INLINE void load(Floats& out, const Bf16* p) {
    const Words wide = __builtin_convertvector(*reinterpret_cast<const Shorts*>(p), Words) << 16;
    std::memcpy(&out, &wide, sizeof out);
}
CANDOR_INLINE void store(float* p, const Floats& v) { *reinterpret_cast<Floats*>(p) = v; }
CANDOR_INLINE void store(Bf16* p, const Floats& v) {
    Words bits;
    std::memcpy(&bits, &v, sizeof bits);
    const Words rounded = (bits + 0x7fff + ((bits >> 16) & 1)) >> 16;
    const Words isNan = (Words)(v != v);
    *reinterpret_cast<Shorts*>(p) = __builtin_convertvector((rounded & ~isNan) | (isNan & 0x7fc0), Shorts);
}

// e^x to about 2 units in the last place; x counts as at most 88, and below -87 it is 0. After Cephes' expf: 2^n times
// a polynomial.
CANDOR_INLINE void exp(Floats& out, const Floats& argument) {
    const Floats x = argument > 88.0F ? Floats{} + 88.0F : argument;
    const Ints small = x < -87.0F;
    const Floats magic = Floats{} + 12582912.0F;  // 1.5 * 2^23: adding it rounds to a whole number
    const Floats shifted = x * 1.44269504F + magic;
    const Floats n = shifted - magic;
    const Floats r = (x - n * 0.693359375F) + n * 2.12194440e-4F;
    Floats p = r * 1.9875691500e-4F + 1.3981999507e-3F;
    p = p * r + 8.3334519073e-3F;
    p = p * r + 4.1665795894e-2F;
    p = p * r + 1.6666665459e-1F;
    p = p * r + 5.0000001201e-1F;
    p = p * r * r + r + 1.0F;
    Ints power;
    std::memcpy(&power, &shifted, sizeof power);
    power = (power << 23) + 0x3f800000;
    Floats scale;
    std::memcpy(&scale, &power, sizeof scale);
    const Floats value = p * scale;
    Ints bits;
    std::memcpy(&bits, &value, sizeof bits);
    bits &= ~small;
    std::memcpy(&out, &bits, sizeof out);
}

// out[0, n) = (add ? out : 0) + sum over k of a[k * stride] * m[k * width + 0 .. n); n a multiple of 16.
template <int Blocks>
CANDOR_INLINE void combineBlock(const float* a, std::ptrdiff_t stride, std::ptrdiff_t count, const float* m,
                                std::ptrdiff_t width, float* out, bool add) {
    Floats total[Blocks];
    for (int b = 0; b < Blocks; ++b) {
        total[b] = Floats{};
        if (add) load(total[b], out + b * kLanes);
    }
    for (std::ptrdiff_t k = 0; k < count; ++k) {
        const float factor = a[k * stride];
        for (int b = 0; b < Blocks; ++b)
            total[b] += factor * *reinterpret_cast<const Floats*>(m + k * width + b * kLanes);
    }
    for (int b = 0; b < Blocks; ++b) store(out + b * kLanes, total[b]);
}

CANDOR_INLINE void combine(const float* a, std::ptrdiff_t stride, std::ptrdiff_t count, const float* m,
                           std::ptrdiff_t width, std::ptrdiff_t n, float* out, bool add) {
    std::ptrdiff_t at = 0;
    for (; at + 4 * kLanes <= n; at += 4 * kLanes) combineBlock<4>(a, stride, count, m + at, width, out + at, add);
    for (; at < n; at += kLanes) combineBlock<1>(a, stride, count, m + at, width, out + at, add);
}

}  // namespace candor::simd
