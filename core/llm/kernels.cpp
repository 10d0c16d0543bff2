// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/llm/kernels.h"

#include <cmath>

namespace candor::kernels {

using namespace simd;

namespace {

template <class T>
CANDOR_INLINE void normRow(const float* x, const float* weight, double eps, std::int64_t width, T* y, float* inverse) {
    Floats squares{};
    float rest = 0;
    std::int64_t at = 0;
    for (; at + kLanes <= width; at += kLanes) {
        Floats v;
        load(v, x + at);
        squares += v * v;
    }
    for (; at < width; ++at) rest += x[at] * x[at];
    const float scale = 1 / std::sqrt((sum(squares) + rest) / static_cast<float>(width) + static_cast<float>(eps));
    *inverse = scale;
    for (at = 0; at + kLanes <= width; at += kLanes) {
        Floats v, w;
        load(v, x + at);
        load(w, weight + at);
        store(y + at, v * scale * w);
    }
    for (; at < width; ++at) store1(y + at, x[at] * scale * weight[at]);
}

template <class T>
CANDOR_INLINE void normRowBackward(const T* dy, const float* x, const float* weight, float inverse, std::int64_t width,
                                   float* dx) {
    Floats dots{};
    float rest = 0;
    std::int64_t at = 0;
    for (; at + kLanes <= width; at += kLanes) {
        Floats g, v, w;
        load(g, dy + at);
        load(v, x + at);
        load(w, weight + at);
        dots += g * w * v;
    }
    for (; at < width; ++at) rest += load1(dy + at) * weight[at] * x[at];
    const float pull = (sum(dots) + rest) / static_cast<float>(width) * inverse * inverse * inverse;
    for (at = 0; at + kLanes <= width; at += kLanes) {
        Floats g, v, w;
        load(g, dy + at);
        load(v, x + at);
        load(w, weight + at);
        store(dx + at, g * w * inverse - v * pull);
    }
    for (; at < width; ++at) dx[at] = load1(dy + at) * weight[at] * inverse - x[at] * pull;
}

template <class T>
CANDOR_INLINE void swiGluRow(const T* gate, const T* up, std::int64_t half, T* out) {
    std::int64_t at = 0;
    for (; at + kLanes <= half; at += kLanes) {
        Floats g, u, e;
        load(g, gate + at);
        load(u, up + at);
        exp(e, -g);
        store(out + at, g / (1.0F + e) * u);
    }
    for (; at < half; ++at) {
        const float g = load1(gate + at);
        store1(out + at, g / (1 + std::exp(-g)) * load1(up + at));
    }
}

template <class T>
CANDOR_INLINE void swiGluRowBackward(const T* d, const T* gate, const T* up, std::int64_t half, T* dGate, T* dUp) {
    std::int64_t at = 0;
    for (; at + kLanes <= half; at += kLanes) {
        Floats g, u, e, o;
        load(g, gate + at);
        load(u, up + at);
        load(o, d + at);
        exp(e, -g);
        const Floats s = 1.0F / (1.0F + e);
        store(dUp + at, o * g * s);
        store(dGate + at, o * u * s * (1.0F + g * (1.0F - s)));
    }
    for (; at < half; ++at) {
        const float g = load1(gate + at), o = load1(d + at), s = 1 / (1 + std::exp(-g));
        store1(dUp + at, o * g * s);
        store1(dGate + at, o * load1(up + at) * s * (1 + g * (1 - s)));
    }
}

template <class In, class Out>
CANDOR_INLINE void rotateHead(const In* x, const float* cos, const float* sin, std::int64_t half, float turn,
                              float scale, Out* y) {
    std::int64_t at = 0;
    for (; at + kLanes <= half; at += kLanes) {
        Floats first, second, c, s;
        load(first, x + at);
        load(second, x + half + at);
        load(c, cos + at);
        load(s, sin + at);
        s *= turn;
        store(y + at, (first * c - second * s) * scale);
        store(y + half + at, (second * c + first * s) * scale);
    }
    for (; at < half; ++at) {
        const float first = load1(x + at), second = load1(x + half + at), c = cos[at], s = sin[at] * turn;
        store1(y + at, (first * c - second * s) * scale);
        store1(y + half + at, (second * c + first * s) * scale);
    }
}

}  // namespace

// One function for each element type, so that the loader can dispatch it (templates cannot be cloned).
#define CANDOR_KERNELS(T)                                                                                             \
    CANDOR_CLONES void rmsNorm(const float* x, const float* weight, double eps, std::int64_t width, T* y,             \
                               float* inverse, std::int64_t begin, std::int64_t end) {                                \
        for (auto i = begin; i < end; ++i) normRow(x + i * width, weight, eps, width, y + i * width, inverse + i);    \
    }                                                                                                                 \
    CANDOR_CLONES void rmsNormBackward(const T* dy, const float* x, const float* weight, const float* inverse,        \
                                       std::int64_t width, float* dx, std::int64_t begin, std::int64_t end) {         \
        for (auto i = begin; i < end; ++i)                                                                            \
            normRowBackward(dy + i * width, x + i * width, weight, inverse[i], width, dx + i * width);                \
    }                                                                                                                 \
    CANDOR_CLONES void swiGlu(const T* x, std::int64_t half, T* out, std::int64_t begin, std::int64_t end) {          \
        for (auto i = begin; i < end; ++i) swiGluRow(x + 2 * i * half, x + (2 * i + 1) * half, half, out + i * half); \
    }                                                                                                                 \
    CANDOR_CLONES void swiGluBackward(const T* dOut, const T* x, std::int64_t half, T* dx, std::int64_t begin,        \
                                      std::int64_t end) {                                                             \
        for (auto i = begin; i < end; ++i)                                                                            \
            swiGluRowBackward(dOut + i * half, x + 2 * i * half, x + (2 * i + 1) * half, half, dx + 2 * i * half,     \
                              dx + (2 * i + 1) * half);                                                               \
    }
CANDOR_KERNELS(float)
CANDOR_KERNELS(Bf16)

#define CANDOR_ROTATE(In, Out)                                                                                        \
    CANDOR_CLONES void rotate(const In* x, std::int64_t xStride, const float* cos, const float* sin,                  \
                              std::int64_t heads, std::int64_t dim, float turn, float scale, Out* y,                  \
                              std::int64_t yStride, std::int64_t begin, std::int64_t end) {                           \
        for (auto i = begin; i < end; ++i)                                                                            \
            for (std::int64_t h = 0; h < heads; ++h)                                                                  \
                rotateHead(x + i * xStride + h * dim, cos + i * (dim / 2), sin + i * (dim / 2), dim / 2, turn, scale, \
                           y + i * yStride + h * dim);                                                                \
    }
CANDOR_ROTATE(float, float)
CANDOR_ROTATE(Bf16, float)
CANDOR_ROTATE(float, Bf16)

}  // namespace candor::kernels
