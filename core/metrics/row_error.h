// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <string>

#include "core/error.h"

namespace candor {

// What validate() throws where a value of one row breaks a rule. The message names the row; who knows where the row
// stands in a file says it with rule() and advice().
class RowError : public InputError {
  public:
    RowError(const std::string& code, const std::string& rule, std::size_t row, double value,
             const std::string& advice = {});
    std::size_t row() const { return row_; }  // from 0
    double value() const { return value_; }
    const std::string& rule() const { return rule_; }
    const std::string& advice() const { return advice_; }  // may be empty

  private:
    std::size_t row_;
    double value_;
    std::string rule_, advice_;
};

}  // namespace candor
