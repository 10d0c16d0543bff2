// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/llm/jinja_expressions.h"

#include <array>

namespace candor {

JinjaExpressions::NodePtr JinjaExpressions::expressionOrTuple() {
    NodePtr first = expression();
    if (!isOperator(",")) return first;
    NodePtr list = make(Kind::List, {}, std::move(first));
    while (acceptOperator(","))
        if (peek().kind != TokenKind::BlockEnd && peek().kind != TokenKind::PrintEnd)
            list->parts.push_back(expression());
    return list;
}

JinjaExpressions::NodePtr JinjaExpressions::expression() {
    const Depth depth(*this);
    NodePtr node = orExpression();
    for (int length = 0; acceptName("if"); checkLength(++length)) {
        NodePtr condition = orExpression();
        NodePtr otherwise = acceptName("else") ? expression() : make(Kind::Missing);
        node = make(Kind::Choice, {}, std::move(condition), std::move(node), std::move(otherwise));
    }
    return node;
}

JinjaExpressions::NodePtr JinjaExpressions::orExpression() {
    NodePtr node = andExpression();
    for (int length = 0; acceptName("or"); checkLength(++length))
        node = make(Kind::Or, {}, std::move(node), andExpression());
    return node;
}

JinjaExpressions::NodePtr JinjaExpressions::andExpression() {
    NodePtr node = notExpression();
    for (int length = 0; acceptName("and"); checkLength(++length))
        node = make(Kind::And, {}, std::move(node), notExpression());
    return node;
}

JinjaExpressions::NodePtr JinjaExpressions::notExpression() {
    const Depth depth(*this);
    if (isName("not") && !isName("in", 1)) {
        next();
        return make(Kind::Not, {}, notExpression());
    }
    return comparison();
}

std::string JinjaExpressions::comparisonOperator() {
    static constexpr std::array<std::string_view, 6> operators = {"==", "!=", "<", ">", "<=", ">="};
    for (const std::string_view text : operators)
        if (acceptOperator(text)) return std::string(text);
    if (acceptName("in")) return "in";
    if (isName("not") && isName("in", 1)) {
        next(), next();
        return "not in";
    }
    return {};
}

JinjaExpressions::NodePtr JinjaExpressions::comparison() {
    NodePtr node = sum();
    for (int chained = 0;; ++chained) {
        const std::string op = comparisonOperator();
        if (op.empty()) return node;
        if (chained > 0) fail("chained comparisons are not supported");
        node = make(Kind::Compare, op, std::move(node), sum());
    }
}

template <std::size_t N>
JinjaExpressions::NodePtr JinjaExpressions::chain(const std::array<std::string_view, N>& operators,
                                                  NodePtr (JinjaExpressions::*operand)()) {
    NodePtr node = (this->*operand)();
    for (int length = 0;; checkLength(++length)) {
        const auto found = std::ranges::find_if(operators, [&](std::string_view text) { return isOperator(text); });
        if (found == operators.end()) return node;
        next();
        node = make(Kind::Binary, std::string(*found), std::move(node), (this->*operand)());
    }
}

JinjaExpressions::NodePtr JinjaExpressions::sum() {
    return chain(std::array<std::string_view, 2>{"+", "-"}, &JinjaExpressions::concatenation);
}

JinjaExpressions::NodePtr JinjaExpressions::concatenation() {
    return chain(std::array<std::string_view, 1>{"~"}, &JinjaExpressions::product);
}

JinjaExpressions::NodePtr JinjaExpressions::product() {
    return chain(std::array<std::string_view, 4>{"*", "//", "/", "%"}, &JinjaExpressions::unaryWithFilters);
}

JinjaExpressions::NodePtr JinjaExpressions::unaryWithFilters() { return unary(true); }

JinjaExpressions::NodePtr JinjaExpressions::unary(bool filters) {
    const Depth depth(*this);
    NodePtr node;
    if (isOperator("-") || isOperator("+")) {
        const std::string op = next().text;
        node = make(Kind::Unary, op, unary(false));
    } else {
        node = primary();
    }
    node = postfix(std::move(node));
    if (isOperator("**")) fail("powers are not supported");
    return filters ? filterChain(std::move(node)) : std::move(node);
}

JinjaExpressions::NodePtr JinjaExpressions::literal(nlohmann::ordered_json value) const {
    NodePtr node = make(Kind::Literal);
    node->value = std::move(value);
    return node;
}

JinjaExpressions::NodePtr JinjaExpressions::primary() {
    const JinjaToken token = peek();
    switch (token.kind) {
        case TokenKind::String: {
            std::string text;
            while (peek().kind == TokenKind::String) text += next().text;
            return literal(std::move(text));
        }
        case TokenKind::Integer:
            next();
            return literal(std::stoll(token.text));
        case TokenKind::Float:
            next();
            return literal(std::stod(token.text));
        case TokenKind::Name:
            next();
            return nameNode(token.text);
        default:
            break;
    }
    if (acceptOperator("(")) return parenthesised();
    if (acceptOperator("[")) return list("]");
    if (acceptOperator("{")) return dict();
    fail("expected an expression, got " + shown());
}

JinjaExpressions::NodePtr JinjaExpressions::nameNode(const std::string& name) {
    if (name == "true" || name == "True") return literal(true);
    if (name == "false" || name == "False") return literal(false);
    if (name == "none" || name == "None") return literal(nullptr);
    return make(Kind::Name, name);
}

JinjaExpressions::NodePtr JinjaExpressions::parenthesised() {
    if (isOperator(")")) return list(")");
    NodePtr first = expression();
    if (acceptOperator(")")) return first;
    expectOperator(",");
    NodePtr rest = list(")");
    rest->parts.insert(rest->parts.begin(), std::move(first));
    return rest;
}

JinjaExpressions::NodePtr JinjaExpressions::list(std::string_view close) {
    NodePtr node = make(Kind::List);
    while (!acceptOperator(close)) {
        node->parts.push_back(expression());
        if (!isOperator(close)) expectOperator(",");
    }
    return node;
}

JinjaExpressions::NodePtr JinjaExpressions::dict() {
    NodePtr node = make(Kind::Dict);
    while (!acceptOperator("}")) {
        node->parts.push_back(expression());
        expectOperator(":");
        node->parts.push_back(expression());
        if (!isOperator("}")) expectOperator(",");
    }
    return node;
}

JinjaExpressions::NodePtr JinjaExpressions::postfix(NodePtr node) {
    for (int length = 0;; checkLength(++length)) {
        if (acceptOperator(".")) {
            if (peek().kind == TokenKind::Integer) {
                node = make(Kind::Index, {}, std::move(node), literal(std::stoll(next().text)));
                continue;
            }
            const std::string name = expectName();
            if (acceptOperator("(")) {
                node = make(Kind::Method, name, std::move(node));
                arguments(*node);
            } else {
                node = make(Kind::Attribute, name, std::move(node));
            }
        } else if (acceptOperator("[")) {
            node = subscript(std::move(node));
        } else if (acceptOperator("(")) {
            node = make(Kind::Call, {}, std::move(node));
            arguments(*node);
        } else {
            return node;
        }
    }
}

// Appends arguments to the parts; keyword arguments come last, named in `names`.
void JinjaExpressions::arguments(JinjaNode& call) {
    while (!acceptOperator(")")) {
        if (isOperator("*") || isOperator("**")) fail("unpacking arguments is not supported");
        if (peek().kind == TokenKind::Name && isOperator("=", 1)) {
            call.names.push_back(next().text);
            next();
        } else if (!call.names.empty()) {
            fail("an argument without a name after one with a name");
        }
        call.parts.push_back(expression());
        if (!isOperator(")")) expectOperator(",");
    }
}

JinjaExpressions::NodePtr JinjaExpressions::subscript(NodePtr node) {
    std::array<NodePtr, 3> bounds;
    int colons = 0;
    while (!isOperator("]")) {
        if (acceptOperator(":")) {
            if (++colons > 2) fail("a slice of more than three parts");
            continue;
        }
        if (bounds[static_cast<std::size_t>(colons)]) fail("unexpected " + shown() + " in an index");
        bounds[static_cast<std::size_t>(colons)] = expression();
    }
    next();
    if (colons == 0) {
        if (!bounds[0]) fail("an empty index");
        return make(Kind::Index, {}, std::move(node), std::move(bounds[0]));
    }
    for (NodePtr& bound : bounds)
        if (!bound) bound = make(Kind::Missing);
    return make(Kind::Slice, {}, std::move(node), std::move(bounds[0]), std::move(bounds[1]), std::move(bounds[2]));
}

JinjaExpressions::NodePtr JinjaExpressions::filterChain(NodePtr node) {
    for (int length = 0;; checkLength(++length)) {
        if (acceptOperator("|")) {
            node = make(Kind::Filter, expectName(), std::move(node));
            if (acceptOperator("(")) arguments(*node);
        } else if (acceptName("is")) {
            node = test(std::move(node));
        } else if (acceptOperator("(")) {
            node = make(Kind::Call, {}, std::move(node));
            arguments(*node);
        } else {
            return node;
        }
    }
}

JinjaExpressions::NodePtr JinjaExpressions::test(NodePtr node) {
    const bool negated = acceptName("not");
    NodePtr result = make(Kind::Test, expectName(), std::move(node));
    const bool bare = peek().kind == TokenKind::String || peek().kind == TokenKind::Integer || isOperator("[") ||
                      (peek().kind == TokenKind::Name && !isName("else") && !isName("or") && !isName("and") &&
                       !isName("is") && !isName("if") && !isName("not") && !isName("in"));
    if (acceptOperator("("))
        arguments(*result);
    else if (bare)
        result->parts.push_back(postfix(primary()));
    return negated ? make(Kind::Not, {}, std::move(result)) : std::move(result);
}

}  // namespace candor
