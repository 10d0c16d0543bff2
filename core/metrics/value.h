// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <utility>

namespace candor {

// A metric's value without its name.
struct Value {
    double number = 0;
    std::string undefinedReason;            // not empty: undefined
    Value(double value) : number(value) {}  // NOLINT: numbers are values
    static Value undefined(std::string reason) {
        Value value(0);
        value.undefinedReason = std::move(reason);
        return value;
    }
    bool defined() const { return undefinedReason.empty(); }
};

}  // namespace candor
