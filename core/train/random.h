// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <random>
#include <string_view>
#include <vector>

namespace candor {

// A seed for one purpose ("subset", "order", "init", ...) and index, so that no two uses share random numbers:
// splitmix64 over the seed, FNV-1a of the purpose and the index.
std::uint64_t mixSeed(std::uint64_t seed, std::string_view purpose, std::uint64_t index = 0);

// Uniform in 0..n-1 without bias (rejection). The standard's distributions differ between libraries, this does not.
std::uint64_t below(std::mt19937_64& generator, std::uint64_t n);
// Uniform in [0, 1) with 53 bits.
double uniform(std::mt19937_64& generator);

// 0..n-1 in an order drawn by Fisher-Yates from mt19937_64(seed). The first b of it are the budget of b rows, so
// budgets of one seed are nested.
std::vector<std::int64_t> permutation(std::int64_t n, std::uint64_t seed);

}  // namespace candor
