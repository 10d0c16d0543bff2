// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/train/split.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "core/error.h"
#include "core/train/random.h"

namespace candor {
namespace {

using Group = std::vector<std::int64_t>;

// Groups of equal keys, in an order drawn from the seed.
std::vector<Group> shuffledGroups(std::span<const std::string> keys, std::uint64_t seed) {
    std::unordered_map<std::string, std::size_t> index;
    std::vector<Group> groups;
    for (std::size_t i = 0; i < keys.size(); ++i) {
        const auto [found, added] = index.try_emplace(keys[i], groups.size());
        if (added) groups.emplace_back();
        groups[found->second].push_back(static_cast<std::int64_t>(i));
    }
    if (groups.size() < 2)
        throw Error("cannot hold out labels: " + std::to_string(keys.size()) + " questions with " +
                    std::to_string(groups.size()) + " different texts; use more labels or selection \"last\"");
    std::vector<Group> shuffled;
    for (const std::int64_t g : permutation(static_cast<std::int64_t>(groups.size()), seed))
        shuffled.push_back(std::move(groups[static_cast<std::size_t>(g)]));
    return shuffled;
}

Split splitOf(const std::vector<Group>& groups, std::size_t first, std::size_t last) {
    Split split;
    for (std::size_t g = 0; g < groups.size(); ++g) {
        auto& side = g >= first && g < last ? split.heldOut : split.train;
        side.insert(side.end(), groups[g].begin(), groups[g].end());
    }
    std::ranges::sort(split.train);
    std::ranges::sort(split.heldOut);
    return split;
}

}  // namespace

std::string splitKey(const std::string& question) {
    std::string key;
    for (const char c : question) {
        if (c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v') {
            if (!key.empty() && key.back() != ' ') key += ' ';
        } else {
            key += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
        }
    }
    if (!key.empty() && key.back() == ' ') key.pop_back();
    return key;
}

Split holdOut(std::span<const std::string> keys, double share, std::uint64_t seed) {
    const std::vector<Group> groups = shuffledGroups(keys, seed);
    const auto wanted = std::max<std::int64_t>(1, std::llround(share * static_cast<double>(keys.size())));
    std::size_t count = 0;
    for (std::int64_t rows = 0; rows < wanted && count + 1 < groups.size(); ++count)
        rows += static_cast<std::int64_t>(groups[count].size());
    return splitOf(groups, 0, count);
}

std::vector<Split> kFold(std::span<const std::string> keys, int folds, std::uint64_t seed) {
    const std::vector<Group> groups = shuffledGroups(keys, seed);
    const std::size_t n = std::min(groups.size(), static_cast<std::size_t>(std::max(folds, 2)));
    std::vector<Split> splits;
    for (std::size_t f = 0; f < n; ++f)
        splits.push_back(splitOf(groups, f * groups.size() / n, (f + 1) * groups.size() / n));
    return splits;
}

}  // namespace candor
