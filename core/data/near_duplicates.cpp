// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>

#include "core/data/checks.h"
#include "core/error.h"
#include "core/text/normalise.h"

namespace candor {
namespace {

using Ids = std::vector<std::int32_t>;

// Token sets as ids; rare tokens get small ids, so that sorted sets begin with their rarest.
class Vocabulary {
  public:
    explicit Vocabulary(std::span<const std::string> first, std::span<const std::string> second) {
        std::vector<std::vector<std::int32_t>> sets[2];
        for (const std::string& text : first) sets[0].push_back(read(text));
        for (const std::string& text : second) sets[1].push_back(read(text));
        std::vector<std::int32_t> byCount(counts_.size()), rank(counts_.size());
        for (std::size_t i = 0; i < byCount.size(); ++i) byCount[i] = static_cast<std::int32_t>(i);
        std::stable_sort(byCount.begin(), byCount.end(), [&](auto a, auto b) { return counts_[a] < counts_[b]; });
        for (std::size_t i = 0; i < byCount.size(); ++i) rank[byCount[i]] = static_cast<std::int32_t>(i);
        for (auto& side : sets) {
            for (Ids& set : side) {
                for (std::int32_t& id : set) id = rank[id];
                std::sort(set.begin(), set.end());
            }
        }
        train = std::move(sets[0]);
        eval = std::move(sets[1]);
    }
    std::size_t size() const { return counts_.size(); }

    std::vector<Ids> train, eval;

  private:
    Ids read(const std::string& text) {
        const std::string plain = normalised(text);
        Ids set;
        for (const std::string_view token : splitTokens(plain)) {
            const auto id = ids_.try_emplace(std::string(token), static_cast<std::int32_t>(ids_.size())).first->second;
            if (std::find(set.begin(), set.end(), id) == set.end()) set.push_back(id);
        }
        counts_.resize(ids_.size(), 0);
        for (const std::int32_t id : set) ++counts_[id];
        return set;
    }
    std::unordered_map<std::string, std::int32_t> ids_;
    std::vector<std::int64_t> counts_;
};

std::size_t common(const Ids& a, const Ids& b) {
    std::size_t count = 0;
    for (auto i = a.begin(), j = b.begin(); i != a.end() && j != b.end();) {
        if (*i == *j) ++count;
        const bool left = *i <= *j, right = *j <= *i;
        i += left, j += right;
    }
    return count;
}

// Two sets of Jaccard >= t share a token among the first n - ceil(t n) + 1 of each, sorted alike.
std::size_t prefix(std::size_t size, double threshold) {
    const auto needed = static_cast<std::size_t>(std::ceil(threshold * static_cast<double>(size) - 1e-9));
    return size == 0 ? 0 : size - std::max<std::size_t>(needed, 1) + 1;
}

}  // namespace

NearDuplicates nearDuplicates(std::span<const std::string> train, std::span<const std::string> eval, double threshold,
                              std::stop_token stop) {
    if (!(threshold > 0 && threshold <= 1))
        throw InputError("bad_threshold",
                         "near-duplicates: expected a threshold in (0, 1], got " + std::to_string(threshold));
    const Vocabulary sets(train, eval);
    std::vector<Ids> index(sets.size());  // token -> train rows that have it in their prefix
    for (std::size_t row = 0; row < sets.train.size(); ++row)
        for (std::size_t i = 0; i < prefix(sets.train[row].size(), threshold); ++i)
            index[sets.train[row][i]].push_back(static_cast<std::int32_t>(row));

    NearDuplicates out;
    std::vector<std::int32_t> seenBy(sets.train.size(), -1);
    for (std::size_t row = 0; row < sets.eval.size(); ++row) {
        if (row % 1024 == 0 && stop.stop_requested()) throw Stopped("near-duplicates: stopped");
        const Ids& set = sets.eval[row];
        const auto n = static_cast<double>(set.size());
        NearDuplicate best{-1, static_cast<std::int64_t>(row), 0};
        for (std::size_t i = 0; i < prefix(set.size(), threshold); ++i) {
            for (const std::int32_t candidate : index[set[i]]) {
                if (seenBy[candidate] == static_cast<std::int32_t>(row)) continue;
                seenBy[candidate] = static_cast<std::int32_t>(row);
                const auto m = static_cast<double>(sets.train[candidate].size());
                if (std::min(n, m) < threshold * std::max(n, m) - 1e-9) continue;
                const auto both = static_cast<double>(common(set, sets.train[candidate]));
                const double jaccard = both / (n + m - both);
                const bool nearer = jaccard > best.jaccard || (jaccard == best.jaccard && candidate < best.train);
                if (jaccard >= threshold - 1e-12 && nearer) best = {candidate, best.eval, jaccard};
            }
        }
        if (best.train < 0) continue;
        ++out.evalRows;
        out.pairs.push_back(best);
    }
    return out;
}

}  // namespace candor
