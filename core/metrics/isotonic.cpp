// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/metrics/isotonic.h"

namespace candor {
namespace {

struct Pool {
    double count, correct;
    std::size_t blocks;
    // Compared by cross products, so that equal shares of whole counts are equal exactly.
    bool above(const Pool& other) const { return correct * other.count > other.correct * count; }
};

}  // namespace

std::vector<double> poolAdjacentViolators(const TieBlocks& rows) {
    std::vector<Pool> pools;
    for (const TieBlock& block : rows.blocks) {
        pools.push_back({block.count, block.correct, 1});
        while (pools.size() > 1 && pools[pools.size() - 2].above(pools.back())) {
            const Pool last = pools.back();
            pools.pop_back();
            pools.back().count += last.count;
            pools.back().correct += last.correct;
            pools.back().blocks += last.blocks;
        }
    }
    std::vector<double> fitted;
    fitted.reserve(rows.blocks.size());
    for (const Pool& pool : pools) fitted.insert(fitted.end(), pool.blocks, pool.correct / pool.count);
    return fitted;
}

}  // namespace candor
