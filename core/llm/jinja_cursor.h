// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "core/llm/jinja_ast.h"
#include "core/llm/jinja_lexer.h"

namespace candor {

// Where a parser of templates is in its tokens. Every failure names the line.
class JinjaCursor {
  protected:
    using Kind = JinjaNode::Kind;
    using NodePtr = std::unique_ptr<JinjaNode>;
    static constexpr int kDeepest = 200;

    explicit JinjaCursor(std::string_view text) : tokens_(lexJinja(text)) {}

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
        explicit Depth(JinjaCursor& parser) : parser_(parser) {
            if (++parser.depth_ > kDeepest) parser.fail("nested too deeply");
        }
        ~Depth() { --parser_.depth_; }
        JinjaCursor& parser_;
    };

    void checkLength(int length) const {
        if (length > kDeepest) fail("an expression of too many parts");
    }

  private:
    std::vector<JinjaToken> tokens_;
    std::size_t at_ = 0;
    int depth_ = 0;
};

}  // namespace candor
