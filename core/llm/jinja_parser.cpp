// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/llm/jinja_expressions.h"

namespace candor {

namespace {

// The statements of a template: text, tags and what stands between them.
class Parser : public JinjaExpressions {
  public:
    explicit Parser(std::string_view text) : JinjaExpressions(text) {}

    NodePtr run() {
        NodePtr body = statements({});
        if (peek().kind != TokenKind::End) fail("a tag that nothing opened");
        return body;
    }

  private:
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
};

}  // namespace

std::unique_ptr<JinjaNode> parseJinja(std::string_view text) { return Parser(text).run(); }

}  // namespace candor
