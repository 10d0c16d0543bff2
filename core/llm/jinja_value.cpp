// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/llm/jinja_value.h"

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "core/text/unicode.h"

namespace candor {

bool jinjaTrue(const JinjaValue& value) {
    if (value.is_discarded() || value.is_null()) return false;
    if (value.is_boolean()) return value.get<bool>();
    if (value.is_number()) return value.get<double>() != 0;
    if (value.is_string()) return !value.get_ref<const std::string&>().empty();
    return !value.empty();
}

std::string jinjaKind(const JinjaValue& value) {
    if (value.is_discarded()) return "an undefined value";
    if (value.is_null()) return "none";
    if (value.is_array()) return "a list";
    return std::string("a ") + (value.is_object() ? "mapping" : value.type_name());
}

std::string jinjaText(const JinjaValue& value) {
    if (value.is_discarded()) return {};
    if (value.is_null()) return "None";
    if (value.is_boolean()) return value.get<bool>() ? "True" : "False";
    if (value.is_string()) return value.get<std::string>();
    if (value.is_number()) return value.dump();
    throw Error("printing " + jinjaKind(value) + " is not supported");
}

std::string jinjaJson(const JinjaValue& value) {
    if (value.is_discarded()) throw Error("tojson of an undefined value");
    std::string text;
    const auto join = [&](char open, char close, auto each) {
        text += open;
        for (auto item = value.begin(); item != value.end(); ++item) {
            if (item != value.begin()) text += ", ";
            each(item);
        }
        text += close;
    };
    if (value.is_object())
        join('{', '}', [&](auto item) { text += JinjaValue(item.key()).dump() + ": " + jinjaJson(item.value()); });
    else if (value.is_array())
        join('[', ']', [&](auto item) { text += jinjaJson(*item); });
    else
        text = value.dump();
    return text;
}

JinjaValue jinjaUnary(const std::string& op, const JinjaValue& value) {
    if (!value.is_number()) throw Error("\"" + op + "\" of " + jinjaKind(value));
    if (op == "+") return value;
    if (value.is_number_float()) return -value.get<double>();
    return -value.get<std::int64_t>();
}

namespace {

std::int64_t floorDivide(std::int64_t left, std::int64_t right) {
    const std::int64_t quotient = left / right;
    return left % right != 0 && (left < 0) != (right < 0) ? quotient - 1 : quotient;
}

JinjaValue integers(const std::string& op, std::int64_t left, std::int64_t right) {
    std::int64_t result = 0;
    bool overflow = false;
    if (op == "+") overflow = __builtin_add_overflow(left, right, &result);
    if (op == "-") overflow = __builtin_sub_overflow(left, right, &result);
    if (op == "*") overflow = __builtin_mul_overflow(left, right, &result);
    if (op == "//" || op == "%" || op == "/") {
        if (right == 0) throw Error("division by zero");
        if (op == "/") return static_cast<double>(left) / static_cast<double>(right);
        if (right == -1) return op == "%" ? JinjaValue(0) : integers("-", 0, left);
        const std::int64_t quotient = floorDivide(left, right);
        result = op == "//" ? quotient : left - quotient * right;
    }
    if (overflow) throw Error("a number that is too large");
    return result;
}

JinjaValue decimals(const std::string& op, double left, double right) {
    if (op == "+") return left + right;
    if (op == "-") return left - right;
    if (op == "*") return left * right;
    if (right == 0) throw Error("division by zero");
    if (op == "/") return left / right;
    const double quotient = std::floor(left / right);
    return op == "//" ? quotient : left - quotient * right;
}

std::int64_t integer(const JinjaValue& value, std::int64_t fallback) {
    if (value.is_discarded() || value.is_null()) return fallback;
    if (!value.is_number_integer()) throw Error("an index that is " + jinjaKind(value));
    return value.get<std::int64_t>();
}

// Calls take(i) for the places that a Python slice of `size` things names.
template <class Take>
void slice(std::int64_t size, const JinjaValue& from, const JinjaValue& to, const JinjaValue& by, Take take) {
    const std::int64_t step = integer(by, 1);
    if (step == 0) throw Error("a slice with step 0");
    const std::int64_t low = step > 0 ? 0 : -1, high = step > 0 ? size : size - 1;
    const auto place = [&](const JinjaValue& bound, std::int64_t fallback) {
        if (bound.is_discarded() || bound.is_null()) return fallback;
        std::int64_t at = integer(bound, 0);
        if (at < 0) at = std::max(at, -size - 1) + size;
        return std::clamp(at, low, high);
    };
    const std::int64_t stop = place(to, step > 0 ? high : low);
    std::int64_t at = place(from, step > 0 ? low : high);
    for (; step > 0 ? at < stop : at > stop;) {
        take(static_cast<std::size_t>(at));
        if (__builtin_add_overflow(at, step, &at)) break;
    }
}

}  // namespace

JinjaValue jinjaBinary(const std::string& op, const JinjaValue& left, const JinjaValue& right) {
    if (op == "~") return jinjaText(left) + jinjaText(right);
    if (left.is_number() && right.is_number()) {
        if (left.is_number_integer() && right.is_number_integer())
            return integers(op, left.get<std::int64_t>(), right.get<std::int64_t>());
        return decimals(op, left.get<double>(), right.get<double>());
    }
    if (op == "+" && left.is_string() && right.is_string())
        return left.get_ref<const std::string&>() + right.get_ref<const std::string&>();
    if (op == "+" && left.is_array() && right.is_array()) {
        JinjaValue both = left;
        both.insert(both.end(), right.begin(), right.end());
        return both;
    }
    throw Error("\"" + op + "\" between " + jinjaKind(left) + " and " + jinjaKind(right));
}

namespace {

bool contains(const JinjaValue& where, const JinjaValue& what) {
    if (where.is_string() && what.is_string())
        return where.get_ref<const std::string&>().find(what.get_ref<const std::string&>()) != std::string::npos;
    if (where.is_array()) return std::ranges::find(where, what) != where.end();
    if (where.is_object()) return what.is_string() && where.contains(what.get_ref<const std::string&>());
    throw Error("\"in\" with " + jinjaKind(where));
}

}  // namespace

bool jinjaCompare(const std::string& op, const JinjaValue& left, const JinjaValue& right) {
    if (op == "==" || op == "!=") {
        const bool both = left.is_discarded() && right.is_discarded();
        return (both || (!left.is_discarded() && !right.is_discarded() && left == right)) == (op == "==");
    }
    if (op == "in" || op == "not in") return contains(right, left) == (op == "in");
    const bool comparable = (left.is_number() && right.is_number()) || (left.is_string() && right.is_string());
    if (!comparable) throw Error("\"" + op + "\" between " + jinjaKind(left) + " and " + jinjaKind(right));
    if (op == "<") return left < right;
    if (op == ">") return right < left;
    return op == "<=" ? !(right < left) : !(left < right);
}

JinjaValue jinjaAttribute(const JinjaValue& value, const std::string& name) {
    if (value.is_discarded()) throw Error("\"" + name + "\" of an undefined value");
    if (!value.is_object()) return jinjaUndefined();
    const auto found = value.find(name);
    return found == value.end() ? jinjaUndefined() : *found;
}

JinjaValue jinjaIndex(const JinjaValue& value, const JinjaValue& index) {
    if (index.is_string() || value.is_discarded()) return jinjaAttribute(value, jinjaText(index));
    if (!value.is_array() && !value.is_string()) return jinjaUndefined();
    const std::u32string characters = value.is_string() ? decodeUtf8(value.get_ref<const std::string&>()) : U"";
    const auto size = static_cast<std::int64_t>(value.is_string() ? characters.size() : value.size());
    std::int64_t at = integer(index, 0);
    if (at < 0) at += size;
    if (at < 0 || at >= size) return jinjaUndefined();
    const auto place = static_cast<std::size_t>(at);
    return value.is_string() ? JinjaValue(encodeUtf8(characters.substr(place, 1))) : value[place];
}

JinjaValue jinjaSlice(const JinjaValue& value, const JinjaValue& from, const JinjaValue& to, const JinjaValue& step) {
    if (value.is_string()) {
        const std::u32string characters = decodeUtf8(value.get_ref<const std::string&>());
        std::u32string part;
        slice(static_cast<std::int64_t>(characters.size()), from, to, step,
              [&](std::size_t at) { part += characters[at]; });
        return encodeUtf8(part);
    }
    if (!value.is_array()) throw Error("a slice of " + jinjaKind(value));
    JinjaValue part = JinjaValue::array();
    slice(static_cast<std::int64_t>(value.size()), from, to, step, [&](std::size_t at) { part.push_back(value[at]); });
    return part;
}

}  // namespace candor
