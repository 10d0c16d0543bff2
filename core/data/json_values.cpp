// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/json_values.h"

#include <cmath>
#include <limits>

namespace candor::json {
namespace {

using simdjson::dom::array;
using simdjson::dom::element_type;
using simdjson::dom::object;

const char* typeName(Element value) {
    switch (value.type()) {
        case element_type::ARRAY:
            return "a list";
        case element_type::OBJECT:
            return "an object";
        case element_type::STRING:
            return "a string";
        case element_type::BOOL:
            return "true or false";
        case element_type::NULL_VALUE:
            return "null";
        default:
            return "a number";
    }
}

std::string quoted(const std::string& name) { return "field \"" + name + "\""; }

bool isNumber(Element value) {
    return value.type() == element_type::INT64 || value.type() == element_type::UINT64 ||
           value.type() == element_type::DOUBLE;
}

// Log-probabilities may be infinite; JSON has no word for that, so they come as strings.
std::optional<double> number(Element value) {
    double out = 0;
    if (isNumber(value)) return value.get(out) == simdjson::SUCCESS ? std::optional(out) : std::nullopt;
    std::string_view text;
    if (value.get(text) != simdjson::SUCCESS) return std::nullopt;
    if (text == "-Infinity") return -std::numeric_limits<double>::infinity();
    if (text == "Infinity") return std::numeric_limits<double>::infinity();
    return std::nullopt;
}

// The only list in a list of one, the list itself, or nothing. `nested` tells which.
std::optional<array> innerList(Element value, const std::string& name, const char* expected, bool& nested) {
    nested = false;
    if (value.is_null()) return std::nullopt;
    array list;
    if (value.get(list) != simdjson::SUCCESS) rejectType(name, expected, value);
    if (list.size() == 0) return std::nullopt;
    Element first = list.at(0);
    array inner;
    if (first.get(inner) != simdjson::SUCCESS) return list;
    if (list.size() > 1)
        throw Reject{quoted(name) + ": expected " + expected + " for one answer, got " + std::to_string(list.size()) +
                     " lists"};
    nested = true;
    return inner.size() == 0 ? std::nullopt : std::optional(inner);
}

double checkedLogprob(std::optional<double> value, Element given, const std::string& name) {
    if (!value) rejectType(name, "log-probabilities", given);
    // Rounding may lift a certain token a hair above 0; more than that is a probability or another number.
    if (*value > 1e-6)
        throw Reject{quoted(name) + ": " + std::to_string(*value) +
                     " is above 0, so no log-probability (probabilities are mapped with token_probs=...)"};
    return *value;
}

// The log-probability in the object of one position.
double logprobOf(object candidates, const std::string& name, std::size_t position,
                 const std::vector<std::int32_t>& tokens) {
    Element value;
    if (candidates.at_key("logprob").get(value) == simdjson::SUCCESS) return checkedLogprob(number(value), value, name);
    const std::string token = position < tokens.size() ? std::to_string(tokens[position]) : std::string();
    Element chosen;
    if (candidates.at_key(token).get(chosen) != simdjson::SUCCESS) {
        if (candidates.size() != 1)
            throw Reject{quoted(name) + ": position " + std::to_string(position) + " has " +
                         std::to_string(candidates.size()) + " candidates and greedy_tokens does not say which it was"};
        chosen = (*candidates.begin()).value;
    }
    if (chosen.is_object() && chosen.at_key("logprob").get(value) != simdjson::SUCCESS)
        throw Reject{quoted(name) + ": position " + std::to_string(position) + " has no \"logprob\""};
    if (!chosen.is_object()) value = chosen;
    return checkedLogprob(number(value), value, name);
}

Verdict verdictOf(Element value, const std::string& name, bool& canonical) {
    bool flag = false;
    double given = -1;
    if (value.is_null()) return Verdict::Unparsed;
    if (value.get(flag) == simdjson::SUCCESS) {
        canonical = false;
        return flag ? Verdict::Yes : Verdict::No;
    }
    if (value.type() == element_type::DOUBLE) canonical = false;
    if (!isNumber(value) || value.get(given) != simdjson::SUCCESS) rejectType(name, "0, 1, true, false or null", value);
    if (given != 0 && given != 1) {
        throw Reject{quoted(name) + ": expected 0, 1, true, false or null, got " + simdjson::minify(value)};
    }
    return given == 1 ? Verdict::Yes : Verdict::No;
}

}  // namespace

void rejectType(const std::string& name, const char* expected, Element got) {
    throw Reject{quoted(name) + ": expected " + expected + ", got " + typeName(got)};
}

bool readQuestion(Element value, const std::string& name, std::string& out) {
    std::string_view text;
    if (value.get(text) != simdjson::SUCCESS) rejectType(name, "a string", value);
    if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) throw Reject{quoted(name) + " is empty"};
    out = text;
    return true;
}

bool readTexts(Element value, const std::string& name, std::vector<std::string>& out) {
    static constexpr const char* kExpected = "a list of strings";
    std::string_view text;
    bool canonical = true;
    const auto take = [&](Element item) {
        if (item.get(text) == simdjson::SUCCESS) {
            out.emplace_back(text);
        } else if (isNumber(item)) {
            out.push_back(simdjson::minify(item));
            canonical = false;
        } else {
            rejectType(name, kExpected, item);
        }
    };
    if (value.is_null()) return false;
    array list;
    if (value.get(list) != simdjson::SUCCESS) {
        if (value.is_object() || value.is_bool()) rejectType(name, kExpected, value);
        take(value);
        return false;
    }
    out.reserve(out.size() + list.size());
    for (const Element item : list) take(item);
    return canonical && list.size() > 0;
}

bool readText(Element value, const std::string& name, std::optional<std::string>& out) {
    std::string_view text;
    if (value.is_null()) return false;
    if (value.get(text) == simdjson::SUCCESS) {
        out = text;
        return false;
    }
    array list;
    if (value.get(list) != simdjson::SUCCESS) rejectType(name, "a string or a list of one", value);
    if (list.size() == 0) return false;
    if (list.size() > 1)
        throw Reject{quoted(name) + ": expected one answer, got " + std::to_string(list.size()) +
                     " (sampled answers are mapped with samples=...)"};
    if (list.at(0).get(text) != simdjson::SUCCESS) rejectType(name, "a string", list.at(0));
    out = text;
    return true;
}

bool readTokens(Element value, const std::string& name, std::vector<std::int32_t>& out) {
    bool nested = false;
    const auto list = innerList(value, name, "a list of token ids", nested);
    if (!list) return false;
    out.reserve(list->size());
    for (const Element item : *list) {
        std::int64_t token = 0;
        if (item.get(token) != simdjson::SUCCESS) rejectType(name, "token ids", item);
        if (token < 0 || token > std::numeric_limits<std::int32_t>::max())
            throw Reject{quoted(name) + ": " + std::to_string(token) + " is no token id (0 to 2147483647)"};
        out.push_back(static_cast<std::int32_t>(token));
    }
    return nested;
}

bool readNumber(Element value, const std::string& name, std::optional<double>& out) {
    if (value.is_null()) return false;
    array list;
    const bool inList = value.get(list) == simdjson::SUCCESS;
    if (inList && list.size() == 0) return false;
    if (inList && list.size() > 1)
        throw Reject{quoted(name) + ": expected one number, got " + std::to_string(list.size())};
    const Element item = inList ? Element(list.at(0)) : value;
    out = number(item);
    if (!out) rejectType(name, "a number", item);
    return inList;
}

bool readLogprobs(Element value, const std::string& name, const std::vector<std::int32_t>& tokens,
                  std::vector<double>& out) {
    bool canonical = false;
    const auto list = innerList(value, name, "a list of log-probabilities", canonical);
    if (!list) return false;
    out.reserve(list->size());
    for (const Element item : *list) {
        object candidates;
        if (item.get(candidates) == simdjson::SUCCESS) {
            canonical = false;
            out.push_back(logprobOf(candidates, name, out.size(), tokens));
        } else {
            out.push_back(checkedLogprob(number(item), item, name));
        }
    }
    return canonical;
}

bool readProbabilities(Element value, const std::string& name, std::vector<double>& logprobs) {
    bool nested = false;
    const auto list = innerList(value, name, "a list of probabilities", nested);
    if (!list) return false;
    for (const Element item : *list) {
        const std::optional<double> p = number(item);
        if (!p) rejectType(name, "probabilities", item);
        if (!(*p >= 0 && *p <= 1 + 1e-6))
            throw Reject{quoted(name) + ": " + std::to_string(*p) + " is no probability (0 to 1)"};
        logprobs.push_back(std::log(std::min(*p, 1.0)));
    }
    return false;
}

bool readVerdict(Element value, const std::string& name, std::optional<Verdict>& out) {
    bool canonical = true;
    array list;
    if (value.get(list) == simdjson::SUCCESS) {
        if (list.size() == 0) return false;
        if (list.size() > 1) throw Reject{quoted(name) + ": expected one verdict, got " + std::to_string(list.size())};
        value = list.at(0);
        canonical = false;
    }
    out = verdictOf(value, name, canonical);
    return canonical;
}

bool readVerdicts(Element value, const std::string& name, std::vector<Verdict>& out) {
    if (value.is_null()) return false;
    array list;
    if (value.get(list) != simdjson::SUCCESS) rejectType(name, "a list of 0 and 1", value);
    bool canonical = list.size() > 0;
    out.reserve(list.size());
    for (const Element item : list) out.push_back(verdictOf(item, name, canonical));
    return canonical;
}

}  // namespace candor::json
