// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

namespace candor {

// The generator of every resample (spec/metrics.md B.14): 64-bit congruential, equal on every machine. Not for secrets.
class Lcg {
  public:
    explicit Lcg(std::uint64_t seed) : state_(seed) {}

    std::uint64_t next() { return state_ = state_ * 6364136223846793005ULL + 1442695040888963407ULL; }
    // Uniform in 0..n-1, one step; 0 < n <= 2^31.
    std::uint64_t below(std::uint64_t n) { return ((next() >> 33) * n) >> 31; }
    // Uniform in [0, 1), one step, a multiple of 2^-53.
    double unit() { return static_cast<double>(next() >> 11) * 0x1p-53; }

  private:
    std::uint64_t state_;
};

}  // namespace candor
