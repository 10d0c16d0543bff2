// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace candor {

enum class TokenKind : std::uint8_t {
    Text,
    BlockBegin,
    BlockEnd,
    PrintBegin,
    PrintEnd,
    Name,
    String,
    Integer,
    Float,
    Operator,
    End
};

struct JinjaToken {
    TokenKind kind = TokenKind::End;
    std::string text;  // a string's value, without quotes and escapes
    int line = 1;
};

// Cuts a template into tokens, white-space control applied (trim_blocks and lstrip_blocks set, as transformers sets
// them; comments dropped). Ends with an End token. Throws Error naming the line.
std::vector<JinjaToken> lexJinja(std::string_view text);

}  // namespace candor
