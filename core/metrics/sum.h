// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cmath>

namespace candor {

// Compensated sum (Neumaier): the error does not grow with the number of terms. Infinities stay what they are.
class Sum {
  public:
    void add(double term) {
        const double sum = sum_ + term;
        rest_ += std::abs(sum_) >= std::abs(term) ? (sum_ - sum) + term : (term - sum) + sum_;
        sum_ = sum;
    }
    double value() const { return std::isfinite(sum_) ? sum_ + rest_ : sum_; }

  private:
    double sum_ = 0;
    double rest_ = 0;
};

}  // namespace candor
