// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/json_text.h"

#include <charconv>
#include <cmath>

namespace candor {

void appendJsonString(std::string& json, std::string_view text) {
    static constexpr char kHex[] = "0123456789abcdef";
    json.push_back('"');
    std::size_t plain = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto c = static_cast<unsigned char>(text[i]);
        if (c >= 0x20 && c != '"' && c != '\\') continue;
        json.append(text, plain, i - plain);
        plain = i + 1;
        switch (c) {
            case '"':
                json.append("\\\"");
                break;
            case '\\':
                json.append("\\\\");
                break;
            case '\n':
                json.append("\\n");
                break;
            case '\r':
                json.append("\\r");
                break;
            case '\t':
                json.append("\\t");
                break;
            default:
                json.append("\\u00");
                json.push_back(kHex[c >> 4]);
                json.push_back(kHex[c & 15]);
        }
    }
    json.append(text, plain);
    json.push_back('"');
}

void appendJsonNumber(std::string& json, double value) {
    if (std::isnan(value)) {
        json.append("null");
        return;
    }
    if (std::isinf(value)) {
        json.append(value > 0 ? "\"Infinity\"" : "\"-Infinity\"");
        return;
    }
    char digits[32];
    const auto end = std::to_chars(std::begin(digits), std::end(digits), value).ptr;
    const std::string_view text(digits, static_cast<std::size_t>(end - digits));
    json.append(text);
    if (text.find_first_of(".e") == std::string_view::npos) json.append(".0");
}

void appendJsonKey(std::string& json, std::string_view key) {
    if (json.back() != '{') json.push_back(',');
    appendJsonString(json, key);
    json.push_back(':');
}

bool isJsonNumber(std::string_view text) {
    std::size_t i = 0;
    const auto digits = [&] {
        const std::size_t from = i;
        while (i < text.size() && text[i] >= '0' && text[i] <= '9') ++i;
        return i - from;
    };
    if (i < text.size() && text[i] == '-') ++i;
    const std::size_t first = i, whole = digits();
    if (whole == 0 || (whole > 1 && text[first] == '0')) return false;
    if (i < text.size() && text[i] == '.') {
        ++i;
        if (digits() == 0) return false;
    }
    if (i < text.size() && (text[i] == 'e' || text[i] == 'E')) {
        ++i;
        if (i < text.size() && (text[i] == '+' || text[i] == '-')) ++i;
        if (digits() == 0) return false;
    }
    return i == text.size();
}

}  // namespace candor
