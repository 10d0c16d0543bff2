// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace candor {

// The tree of a template. Expressions: `text` is the operator or name, `parts` the operands in reading order.
struct JinjaNode {
    enum class Kind : std::uint8_t {
        // statements
        Body,
        Text,
        Print,
        For,
        If,
        Set,
        SetBlock,
        Break,
        Continue,
        // expressions
        Literal,
        Name,
        List,
        Dict,
        Unary,
        Binary,
        Compare,
        And,
        Or,
        Not,
        Choice,
        Attribute,
        Index,
        Slice,
        Call,
        Method,
        Filter,
        Test,
        Missing
    };
    Kind kind = Kind::Missing;
    std::string text;
    std::vector<std::unique_ptr<JinjaNode>> parts;
    std::vector<std::string>
        names;  // For: targets; Set: target and attribute; Call, Method, Filter: keywords (trailing parts)
    nlohmann::ordered_json value;  // Literal
    int line = 1;
};

// Throws Error naming the line and the construct.
std::unique_ptr<JinjaNode> parseJinja(std::string_view text);

}  // namespace candor
