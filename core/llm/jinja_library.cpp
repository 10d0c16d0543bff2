// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>

#include "core/error.h"
#include "core/llm/jinja_value.h"
#include "core/text/unicode.h"

namespace candor {

namespace {

enum Sides { kLeft = 1, kRight = 2, kBoth = 3 };

// str.strip of Python: white space, or the characters named.
std::string strip(const std::string& text, const JinjaValue& characters, int sides) {
    const std::u32string all = decodeUtf8(text);
    const bool named = characters.is_string();
    const std::u32string set = named ? decodeUtf8(characters.get_ref<const std::string&>()) : U"";
    const auto drop = [&](char32_t c) { return named ? set.find(c) != std::u32string::npos : isSpace(c); };
    std::size_t begin = 0, end = all.size();
    while ((sides & kLeft) && begin < end && drop(all[begin])) ++begin;
    while ((sides & kRight) && end > begin && drop(all[end - 1])) --end;
    return encodeUtf8(std::u32string_view(all).substr(begin, end - begin));
}

JinjaValue splitAt(const std::string& text, const std::string& separator, std::int64_t most) {
    if (separator.empty()) throw Error("split with an empty separator");
    JinjaValue parts = JinjaValue::array();
    std::size_t from = 0;
    for (std::size_t at; most != 0 && (at = text.find(separator, from)) != std::string::npos; --most) {
        parts.push_back(text.substr(from, at - from));
        from = at + separator.size();
    }
    parts.push_back(text.substr(from));
    return parts;
}

JinjaValue splitWords(const std::string& text) {
    JinjaValue parts = JinjaValue::array();
    std::string word;
    for (const char32_t c : decodeUtf8(text))
        if (!isSpace(c)) {
            appendUtf8(word, c);
        } else if (!word.empty()) {
            parts.push_back(word);
            word.clear();
        }
    if (!word.empty()) parts.push_back(word);
    return parts;
}

std::string replaceAll(const std::string& text, const std::string& from, const std::string& to) {
    if (from.empty()) throw Error("replace of an empty string");
    std::string result;
    std::size_t done = 0;
    for (std::size_t at; (at = text.find(from, done)) != std::string::npos; done = at + from.size()) {
        result.append(text, done, at - done).append(to);
        if (result.size() > (16u << 20)) throw Error("a text that grows past 16 MiB");
    }
    return result.append(text, done);
}

// Letters beyond ASCII change case in ways that templates do not need.
std::string upperAscii(std::string text) {
    if (!isAscii(text)) throw Error("upper of text that is not ASCII is not supported");
    std::ranges::transform(text, text.begin(),
                           [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; });
    return text;
}

std::string stringAt(const std::vector<JinjaValue>& arguments, std::size_t at, const std::string& who) {
    if (at >= arguments.size() || !arguments[at].is_string()) throw Error(who + " needs a string");
    return arguments[at].get<std::string>();
}

JinjaValue textMethod(const std::string& text, const std::string& name, const std::vector<JinjaValue>& arguments) {
    const JinjaValue first = arguments.empty() ? jinjaUndefined() : arguments.front();
    if (name == "strip") return strip(text, first, kBoth);
    if (name == "lstrip") return strip(text, first, kLeft);
    if (name == "rstrip") return strip(text, first, kRight);
    if (name == "startswith") return text.starts_with(stringAt(arguments, 0, name));
    if (name == "endswith") return text.ends_with(stringAt(arguments, 0, name));
    if (name == "lower") return lower(text);
    if (name == "upper") return upperAscii(text);
    if (name == "replace") return replaceAll(text, stringAt(arguments, 0, name), stringAt(arguments, 1, name));
    if (name == "split") {
        if (first.is_discarded() || first.is_null()) return splitWords(text);
        const bool limited = arguments.size() > 1 && arguments[1].is_number_integer();
        return splitAt(text, stringAt(arguments, 0, name), limited ? arguments[1].get<std::int64_t>() : -1);
    }
    throw Error("the method \"" + name + "\" of a string is not supported");
}

JinjaValue length(const JinjaValue& value) {
    if (value.is_string()) return decodeUtf8(value.get_ref<const std::string&>()).size();
    if (value.is_array() || value.is_object()) return value.size();
    if (value.is_discarded()) return 0;
    throw Error("length of " + jinjaKind(value));
}

JinjaValue items(const JinjaValue& value) {
    JinjaValue list = JinjaValue::array();
    for (const auto& [key, field] : value.items()) list.push_back(JinjaValue::array({key, field}));
    return list;
}

JinjaValue joined(const JinjaValue& value, const std::string& between) {
    if (!value.is_array()) throw Error("join of " + jinjaKind(value));
    std::string text;
    for (std::size_t i = 0; i < value.size(); ++i) text += (i > 0 ? between : std::string()) + jinjaText(value[i]);
    return text;
}

}  // namespace

JinjaValue jinjaMethod(const JinjaValue& value, const std::string& name, const std::vector<JinjaValue>& arguments) {
    if (value.is_string()) return textMethod(value.get_ref<const std::string&>(), name, arguments);
    if (value.is_object()) {
        if (name == "items") return items(value);
        if (name == "get" && !arguments.empty()) {
            const JinjaValue found = jinjaAttribute(value, stringAt(arguments, 0, name));
            if (!found.is_discarded()) return found;
            return arguments.size() > 1 ? arguments[1] : JinjaValue(nullptr);
        }
        if (name == "keys" || name == "values") {
            JinjaValue list = JinjaValue::array();
            for (const auto& [key, field] : value.items()) list.push_back(name == "keys" ? JinjaValue(key) : field);
            return list;
        }
    }
    throw Error("the method \"" + name + "\" of " + jinjaKind(value) + " is not supported");
}

JinjaValue jinjaFilter(const std::string& name, const JinjaValue& value, const std::vector<JinjaValue>& arguments,
                       const JinjaKeywords& keywords) {
    const JinjaValue first = arguments.empty() ? jinjaUndefined() : arguments.front();
    if (name == "default" || name == "d") {
        const bool falsy = arguments.size() > 1 ? jinjaTrue(arguments[1])
                                                : keywords.contains("boolean") && jinjaTrue(keywords.at("boolean"));
        const bool replace = value.is_discarded() || (falsy && !jinjaTrue(value));
        return replace ? (arguments.empty() ? JinjaValue("") : first) : value;
    }
    if (!keywords.empty()) throw Error("the filter \"" + name + "\" with named arguments is not supported");
    if (name == "length" || name == "count") return length(value);
    if (name == "tojson") return jinjaJson(value);
    if (name == "trim") return strip(jinjaText(value), first, kBoth);
    if (name == "string" || name == "safe") return jinjaText(value);
    if (name == "lower") return lower(jinjaText(value));
    if (name == "upper") return upperAscii(jinjaText(value));
    if (name == "replace")
        return replaceAll(jinjaText(value), stringAt(arguments, 0, name), stringAt(arguments, 1, name));
    if (name == "join") return joined(value, first.is_string() ? first.get<std::string>() : std::string());
    if (name == "items" && value.is_object()) return items(value);
    if (name == "list" && value.is_array()) return value;
    if ((name == "first" || name == "last") && value.is_array()) return jinjaIndex(value, name == "first" ? 0 : -1);
    throw Error("the filter \"" + name + "\" of " + jinjaKind(value) + " is not supported");
}

bool jinjaTest(const std::string& name, const JinjaValue& value, const std::vector<JinjaValue>& arguments) {
    if (name == "defined") return !value.is_discarded();
    if (name == "undefined") return value.is_discarded();
    if (name == "none") return value.is_null();
    if (name == "string") return value.is_string();
    if (name == "number") return value.is_number();
    if (name == "integer") return value.is_number_integer();
    if (name == "float") return value.is_number_float();
    if (name == "boolean") return value.is_boolean();
    if (name == "true") return value.is_boolean() && value.get<bool>();
    if (name == "false") return value.is_boolean() && !value.get<bool>();
    if (name == "mapping") return value.is_object();
    if (name == "sequence" || name == "iterable") return value.is_array() || value.is_object() || value.is_string();
    if (name == "in" && arguments.size() == 1) return jinjaCompare("in", value, arguments.front());
    if ((name == "equalto" || name == "eq") && arguments.size() == 1)
        return jinjaCompare("==", value, arguments.front());
    throw Error("the test \"" + name + "\" is not supported");
}

}  // namespace candor
