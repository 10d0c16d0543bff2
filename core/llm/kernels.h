// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include "core/llm/simd.h"

// Row-wise kernels of a decoder layer for the CPU: rows [begin, end) of contiguous row-major matrices, any thread.
// Matrices that matrix products take or give are fp32 or bf16; everything is computed in fp32.
namespace candor::kernels {

using simd::Bf16;

// y = x / sqrt(mean(x^2) + eps) * weight; `inverse` receives 1 / sqrt(...), one a row.
void rmsNorm(const float* x, const float* weight, double eps, std::int64_t width, float* y, float* inverse,
             std::int64_t begin, std::int64_t end);
void rmsNorm(const float* x, const float* weight, double eps, std::int64_t width, Bf16* y, float* inverse,
             std::int64_t begin, std::int64_t end);
void rmsNormBackward(const float* dy, const float* x, const float* weight, const float* inverse, std::int64_t width,
                     float* dx, std::int64_t begin, std::int64_t end);
void rmsNormBackward(const Bf16* dy, const float* x, const float* weight, const float* inverse, std::int64_t width,
                     float* dx, std::int64_t begin, std::int64_t end);

// out = silu(gate) * up over rows [gate | up] of 2 * half values.
void swiGlu(const float* gateUp, std::int64_t half, float* out, std::int64_t begin, std::int64_t end);
void swiGlu(const Bf16* gateUp, std::int64_t half, Bf16* out, std::int64_t begin, std::int64_t end);
void swiGluBackward(const float* dOut, const float* gateUp, std::int64_t half, float* dGateUp, std::int64_t begin,
                    std::int64_t end);
void swiGluBackward(const Bf16* dOut, const Bf16* gateUp, std::int64_t half, Bf16* dGateUp, std::int64_t begin,
                    std::int64_t end);

// Rotary embedding of `heads` heads of `dim` values a row, the halves of a head against each other, times `scale`;
// `turn` +1, or -1 for the gradient. cos and sin have dim / 2 values a row; rows of x and y are strides apart.
void rotate(const float* x, std::int64_t xStride, const float* cos, const float* sin, std::int64_t heads,
            std::int64_t dim, float turn, float scale, float* y, std::int64_t yStride, std::int64_t begin,
            std::int64_t end);
void rotate(const Bf16* x, std::int64_t xStride, const float* cos, const float* sin, std::int64_t heads,
            std::int64_t dim, float turn, float scale, float* y, std::int64_t yStride, std::int64_t begin,
            std::int64_t end);
void rotate(const float* x, std::int64_t xStride, const float* cos, const float* sin, std::int64_t heads,
            std::int64_t dim, float turn, float scale, Bf16* y, std::int64_t yStride, std::int64_t begin,
            std::int64_t end);

}  // namespace candor::kernels
