// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace candor {

// Hashed word 1- and 2-grams of a text: (index below 2^18, value), values of Euclidean norm 1, indices ascending.
using SparseRow = std::vector<std::pair<std::uint32_t, double>>;
SparseRow wordFeatures(const std::string& text);

// text-prior: what the words of a question alone say. Ridge regression (penalty 1, intercept free) of the target on
// wordFeatures, by conjugate gradients. Its number is a score: it may leave [0, 1].
class TextPrior {
  public:
    TextPrior(std::span<const std::string> questions, std::span<const double> targets);  // throws Error for none
    double score(const std::string& question) const;

  private:
    std::vector<double> weight_;
    double intercept_ = 0;
};

// set-prior: training accuracy of the question's data set among the budget, of the whole budget where it has none.
class SetPrior {
  public:
    SetPrior(std::span<const std::string> datasets, std::span<const double> correct);  // throws Error for none
    double score(const std::string& dataset) const;

  private:
    std::vector<std::pair<std::string, double>> accuracy_;
    double overall_ = 0;
};

}  // namespace candor
