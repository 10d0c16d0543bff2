// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace candor {

// A value of a template. Jinja's "undefined" is nlohmann's discarded value; strings are UTF-8 and are indexed by
// character. The functions follow Python and Jinja; what they do not know they throw as Error by name.
using JinjaValue = nlohmann::ordered_json;
using JinjaKeywords = std::map<std::string, JinjaValue>;

inline JinjaValue jinjaUndefined() { return JinjaValue(JinjaValue::value_t::discarded); }

bool jinjaTrue(const JinjaValue& value);
std::string jinjaText(const JinjaValue& value);  // as {{ value }} prints it
std::string jinjaKind(const JinjaValue& value);  // for messages
std::string jinjaJson(const JinjaValue& value);  // tojson, as transformers sets it

JinjaValue jinjaUnary(const std::string& op, const JinjaValue& value);
JinjaValue jinjaBinary(const std::string& op, const JinjaValue& left, const JinjaValue& right);
bool jinjaCompare(const std::string& op, const JinjaValue& left, const JinjaValue& right);

JinjaValue jinjaAttribute(const JinjaValue& value, const std::string& name);
JinjaValue jinjaIndex(const JinjaValue& value, const JinjaValue& index);
JinjaValue jinjaSlice(const JinjaValue& value, const JinjaValue& from, const JinjaValue& to, const JinjaValue& step);

JinjaValue jinjaMethod(const JinjaValue& value, const std::string& name, const std::vector<JinjaValue>& arguments);
JinjaValue jinjaFilter(const std::string& name, const JinjaValue& value, const std::vector<JinjaValue>& arguments,
                       const JinjaKeywords& keywords);
bool jinjaTest(const std::string& name, const JinjaValue& value, const std::vector<JinjaValue>& arguments);

}  // namespace candor
