// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <memory>
#include <string>
#include <string_view>

#include "core/llm/jinja_cursor.h"

namespace candor {

// Recursive descent over Jinja's expressions; precedence as in Jinja's own parser (or < and < not < comparison < + -
// < ~ < * / // % < unary < postfix and filters).
class JinjaExpressions : public JinjaCursor {
  protected:
    using JinjaCursor::JinjaCursor;
    NodePtr expressionOrTuple();
    NodePtr expression();
    NodePtr orExpression();

  private:
    NodePtr andExpression();
    NodePtr notExpression();
    std::string comparisonOperator();
    NodePtr comparison();
    template <std::size_t N>
    NodePtr chain(const std::array<std::string_view, N>& operators, NodePtr (JinjaExpressions::*operand)());
    NodePtr sum();
    NodePtr concatenation();
    NodePtr product();
    NodePtr unaryWithFilters();
    NodePtr unary(bool filters);
    NodePtr literal(nlohmann::ordered_json value) const;
    NodePtr primary();
    NodePtr nameNode(const std::string& name);
    NodePtr parenthesised();
    NodePtr list(std::string_view close);
    NodePtr dict();
    NodePtr postfix(NodePtr node);
    void arguments(JinjaNode& call);
    NodePtr subscript(NodePtr node);
    NodePtr filterChain(NodePtr node);
    NodePtr test(NodePtr node);
};

}  // namespace candor
