// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/metrics/random.h"
#include "core/metrics/tie_blocks.h"

namespace candor {

// Tie blocks of resamples of the same rows without sorting again: rows are counted into the cells they belong to.
class Resampler {
  public:
    explicit Resampler(const Scored& rows);  // valid rows; copies what it needs
    void clear();
    void add(std::size_t row, double times = 1) { cells_[cellOfRow_[row]] += times * weightOf(row); }
    TieBlocks blocks() const;

  private:
    double weightOf(std::size_t row) const { return weights_.empty() ? 1 : weights_[row]; }
    std::vector<double> confidence_, weights_, cells_;  // cells: wrong and correct of each block
    std::vector<std::size_t> cellOfRow_;
};

// Rows that are drawn together because they ask the same question. `cluster` has one id a row; empty: each row alone.
class Clusters {
  public:
    Clusters(std::size_t rows, std::span<const std::int64_t> cluster);
    std::size_t size() const { return rowsOf_.empty() ? rows_ : rowsOf_.size(); }
    // As many clusters as there are, with replacement; calls visit(row) for each row drawn.
    template <class Visit>
    void draw(Lcg& random, Visit visit) const {
        for (std::size_t i = 0; i < size(); ++i) {
            const auto drawn = static_cast<std::size_t>(random.below(size()));
            if (rowsOf_.empty())
                visit(drawn);
            else
                for (const std::size_t row : rowsOf_[drawn]) visit(row);
        }
    }

  private:
    std::size_t rows_;
    std::vector<std::vector<std::size_t>> rowsOf_;  // in order of first appearance
};

// Quantile of ascending values, type 7 (linear between order statistics); not empty, 0 <= p <= 1.
double quantile(std::span<const double> ascending, double p);

}  // namespace candor
