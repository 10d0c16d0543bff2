// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <array>

#include "core/error.h"
#include "core/llm/jinja_ast.h"
#include "core/llm/jinja_lexer.h"

namespace candor {

namespace {

using Kind = JinjaNode::Kind;
using NodePtr = std::unique_ptr<JinjaNode>;

constexpr int kDeepest = 200;

// Recursive descent over Jinja's grammar; precedence as in Jinja's own parser (or < and < not < comparison < + - <
// ~ < * / // % < unary < power < postfix and filters).
class Parser {
  public:
    explicit Parser(std::string_view text) : tokens_(lexJinja(text)) {}

    NodePtr run() {
        NodePtr body = statements({});
        if (peek().kind != TokenKind::End) fail("a tag that nothing opened");
        return body;
    }

  private:
    const JinjaToken& peek(std::size_t ahead = 0) const { return tokens_[std::min(at_ + ahead, tokens_.size() - 1)]; }
    const JinjaToken& next() { return tokens_[at_ + 1 < tokens_.size() ? at_++ : at_]; }
    [[noreturn]] void fail(const std::string& what) const {
        throw Error("chat template, line " + std::to_string(peek().line) + ": " + what);
    }
    bool isOperator(std::string_view text, std::size_t ahead = 0) const {
        return peek(ahead).kind == TokenKind::Operator && peek(ahead).text == text;
    }
    bool isName(std::string_view text, std::size_t ahead = 0) const {
        return peek(ahead).kind == TokenKind::Name && peek(ahead).text == text;
    }
    bool acceptOperator(std::string_view text) { return isOperator(text) && (next(), true); }
    bool acceptName(std::string_view text) { return isName(text) && (next(), true); }
    void expectOperator(std::string_view text) {
        if (!acceptOperator(text)) fail("expected \"" + std::string(text) + "\", got " + shown());
    }
    std::string expectName() {
        if (peek().kind != TokenKind::Name) fail("expected a name, got " + shown());
        return next().text;
    }
    void expectBlockEnd() {
        if (peek().kind != TokenKind::BlockEnd) fail("unexpected " + shown() + " in a tag");
        next();
    }
    std::string shown() const {
        switch (peek().kind) {
            case TokenKind::BlockEnd:
            case TokenKind::PrintEnd:
                return "the end of the tag";
            case TokenKind::End:
                return "the end of the template";
            default:
                return '"' + peek().text.substr(0, 60) + '"';
        }
    }
    NodePtr make(Kind kind, std::string text = {}) const {
        auto node = std::make_unique<JinjaNode>();
        node->kind = kind, node->text = std::move(text), node->line = peek().line;
        return node;
    }
    template <class... Parts>
    NodePtr make(Kind kind, std::string text, Parts... parts) const {
        NodePtr node = make(kind, std::move(text));
        (node->parts.push_back(std::move(parts)), ...);
        return node;
    }
    struct Depth {
        explicit Depth(Parser& parser) : parser_(parser) {
            if (++parser.depth_ > kDeepest) parser.fail("nested too deeply");
        }
        ~Depth() { --parser_.depth_; }
        Parser& parser_;
    };

    void checkLength(int length) const {
        if (length > kDeepest) fail("an expression of too many parts");
    }

    // Statements up to a tag whose name is one of `ends` (left unread after its BlockBegin), or the end.
    NodePtr statements(const std::vector<std::string_view>& ends) {
        const Depth depth(*this);
        NodePtr body = make(Kind::Body);
        while (peek().kind != TokenKind::End) {
            if (peek().kind == TokenKind::Text) {
                body->parts.push_back(make(Kind::Text, peek().text));
                next();
            } else if (peek().kind == TokenKind::PrintBegin) {
                next();
                body->parts.push_back(make(Kind::Print, {}, expressionOrTuple()));
                if (peek().kind != TokenKind::PrintEnd) fail("unexpected " + shown() + " in an expression");
                next();
            } else {
                next();
                if (std::ranges::find(ends, peek().text) != ends.end()) return body;
                body->parts.push_back(statement());
            }
        }
        if (!ends.empty()) fail("the template ends before \"" + std::string(ends.back()) + '"');
        return body;
    }

    NodePtr statement() {
        const std::string name = expectName();
        if (name == "for") return forStatement();
        if (name == "if") return ifStatement();
        if (name == "set") return setStatement();
        if (name == "generation") {  // marks what a model wrote; the text is the same
            expectBlockEnd();
            return endOf("endgeneration");
        }
        if (name == "break" || name == "continue") {
            expectBlockEnd();
            return make(name == "break" ? Kind::Break : Kind::Continue);
        }
        fail("the tag \"" + name.substr(0, 60) + "\" is not supported");
    }

    NodePtr endOf(std::string_view end) {
        NodePtr body = statements({end});
        next();
        expectBlockEnd();
        return body;
    }

    NodePtr forStatement() {
        NodePtr node = make(Kind::For);
        do node->names.push_back(expectName());
        while (acceptOperator(","));
        if (!acceptName("in")) fail("expected \"in\", got " + shown());
        node->parts.push_back(orExpression());
        node->parts.push_back(acceptName("if") ? expression() : make(Kind::Missing));
        if (isName("recursive")) fail("recursive loops are not supported");
        expectBlockEnd();
        node->parts.push_back(statements({"else", "endfor"}));
        if (acceptName("else")) {
            expectBlockEnd();
            node->parts.push_back(statements({"endfor"}));
        }
        next();
        expectBlockEnd();
        return node;
    }

    // Parts: condition, body, condition, body, ..., and a last body if there is an else.
    NodePtr ifStatement() {
        NodePtr node = make(Kind::If);
        while (true) {
            node->parts.push_back(expressionOrTuple());
            expectBlockEnd();
            node->parts.push_back(statements({"elif", "else", "endif"}));
            const std::string end = next().text;
            if (end == "elif") continue;
            if (end == "else") {
                expectBlockEnd();
                node->parts.push_back(statements({"endif"}));
                next();
            }
            expectBlockEnd();
            return node;
        }
    }

    NodePtr setStatement() {
        NodePtr node = make(Kind::Set);
        node->names.push_back(expectName());
        if (acceptOperator(".")) node->names.push_back(expectName());
        if (isOperator(",")) fail("setting several names at once is not supported");
        if (acceptOperator("=")) {
            node->parts.push_back(expressionOrTuple());
            expectBlockEnd();
            return node;
        }
        if (node->names.size() > 1 || isOperator("|")) fail("this form of \"set\" is not supported");
        expectBlockEnd();
        node->kind = Kind::SetBlock;
        node->parts.push_back(endOf("endset"));
        return node;
    }

    NodePtr expressionOrTuple() {
        NodePtr first = expression();
        if (!isOperator(",")) return first;
        NodePtr list = make(Kind::List, {}, std::move(first));
        while (acceptOperator(","))
            if (peek().kind != TokenKind::BlockEnd && peek().kind != TokenKind::PrintEnd)
                list->parts.push_back(expression());
        return list;
    }

    NodePtr expression() {
        const Depth depth(*this);
        NodePtr node = orExpression();
        for (int length = 0; acceptName("if"); checkLength(++length)) {
            NodePtr condition = orExpression();
            NodePtr otherwise = acceptName("else") ? expression() : make(Kind::Missing);
            node = make(Kind::Choice, {}, std::move(condition), std::move(node), std::move(otherwise));
        }
        return node;
    }

    NodePtr orExpression() {
        NodePtr node = andExpression();
        for (int length = 0; acceptName("or"); checkLength(++length))
            node = make(Kind::Or, {}, std::move(node), andExpression());
        return node;
    }

    NodePtr andExpression() {
        NodePtr node = notExpression();
        for (int length = 0; acceptName("and"); checkLength(++length))
            node = make(Kind::And, {}, std::move(node), notExpression());
        return node;
    }

    NodePtr notExpression() {
        const Depth depth(*this);
        if (isName("not") && !isName("in", 1)) {
            next();
            return make(Kind::Not, {}, notExpression());
        }
        return comparison();
    }

    std::string comparisonOperator() {
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

    NodePtr comparison() {
        NodePtr node = sum();
        for (int chained = 0;; ++chained) {
            const std::string op = comparisonOperator();
            if (op.empty()) return node;
            if (chained > 0) fail("chained comparisons are not supported");
            node = make(Kind::Compare, op, std::move(node), sum());
        }
    }

    template <std::size_t N>
    NodePtr chain(const std::array<std::string_view, N>& operators, NodePtr (Parser::*operand)()) {
        NodePtr node = (this->*operand)();
        for (int length = 0;; checkLength(++length)) {
            const auto found = std::ranges::find_if(operators, [&](std::string_view text) { return isOperator(text); });
            if (found == operators.end()) return node;
            next();
            node = make(Kind::Binary, std::string(*found), std::move(node), (this->*operand)());
        }
    }
    NodePtr sum() { return chain(std::array<std::string_view, 2>{"+", "-"}, &Parser::concatenation); }
    NodePtr concatenation() { return chain(std::array<std::string_view, 1>{"~"}, &Parser::product); }
    NodePtr product() { return chain(std::array<std::string_view, 4>{"*", "//", "/", "%"}, &Parser::unaryWithFilters); }
    NodePtr unaryWithFilters() { return unary(true); }

    NodePtr unary(bool filters) {
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

    NodePtr literal(nlohmann::ordered_json value) const {
        NodePtr node = make(Kind::Literal);
        node->value = std::move(value);
        return node;
    }

    NodePtr primary() {
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

    NodePtr nameNode(const std::string& name) {
        if (name == "true" || name == "True") return literal(true);
        if (name == "false" || name == "False") return literal(false);
        if (name == "none" || name == "None") return literal(nullptr);
        return make(Kind::Name, name);
    }

    NodePtr parenthesised() {
        if (isOperator(")")) return list(")");
        NodePtr first = expression();
        if (acceptOperator(")")) return first;
        expectOperator(",");
        NodePtr rest = list(")");
        rest->parts.insert(rest->parts.begin(), std::move(first));
        return rest;
    }

    NodePtr list(std::string_view close) {
        NodePtr node = make(Kind::List);
        while (!acceptOperator(close)) {
            node->parts.push_back(expression());
            if (!isOperator(close)) expectOperator(",");
        }
        return node;
    }

    NodePtr dict() {
        NodePtr node = make(Kind::Dict);
        while (!acceptOperator("}")) {
            node->parts.push_back(expression());
            expectOperator(":");
            node->parts.push_back(expression());
            if (!isOperator("}")) expectOperator(",");
        }
        return node;
    }

    NodePtr postfix(NodePtr node) {
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
    void arguments(JinjaNode& call) {
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

    NodePtr subscript(NodePtr node) {
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

    NodePtr filterChain(NodePtr node) {
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

    NodePtr test(NodePtr node) {
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

    std::vector<JinjaToken> tokens_;
    std::size_t at_ = 0;
    int depth_ = 0;
};

}  // namespace

std::unique_ptr<JinjaNode> parseJinja(std::string_view text) { return Parser(text).run(); }

}  // namespace candor
