// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/train/random.h"

#include <limits>
#include <numeric>
#include <utility>

namespace candor {
namespace {

std::uint64_t splitmix(std::uint64_t x) {
    x += 0x9e3779b97f4a7c15ULL;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
    return x ^ (x >> 31);
}

}  // namespace

std::uint64_t mixSeed(std::uint64_t seed, std::string_view purpose, std::uint64_t index) {
    std::uint64_t hash = 0xcbf29ce484222325ULL;
    for (const char c : purpose) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
    return splitmix(splitmix(splitmix(seed) ^ hash) ^ index);
}

std::uint64_t below(std::mt19937_64& generator, std::uint64_t n) {
    const std::uint64_t limit = std::numeric_limits<std::uint64_t>::max() / n * n;
    for (;;) {
        const std::uint64_t x = generator();
        if (x < limit) return x % n;
    }
}

double uniform(std::mt19937_64& generator) { return static_cast<double>(generator() >> 11) * 0x1.0p-53; }

std::vector<std::int64_t> permutation(std::int64_t n, std::uint64_t seed) {
    std::vector<std::int64_t> order(static_cast<std::size_t>(n));
    std::iota(order.begin(), order.end(), 0);
    std::mt19937_64 generator(seed);
    for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[below(generator, i)]);
    return order;
}

}  // namespace candor
