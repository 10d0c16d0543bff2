// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/llm/jinja.h"

#include "core/error.h"
#include "core/llm/jinja_ast.h"
#include "core/llm/jinja_value.h"

namespace candor {

namespace {

using Kind = JinjaNode::Kind;
using Value = JinjaValue;

constexpr std::size_t kLongest = 16 << 20;  // bytes of output or of a text
constexpr int kMostSteps = 300'000;         // a prompt of one question takes some hundred

enum class Flow : std::uint8_t { Normal, Break, Continue };

// Renders one template once.
class Renderer {
  public:
    explicit Renderer(const Value& variables) : scopes_{variables} {}

    Flow run(const JinjaNode& node) {
        step(node);
        switch (node.kind) {
            case Kind::Body:
                for (const auto& part : node.parts)
                    if (const Flow flow = run(*part); flow != Flow::Normal) return flow;
                return Flow::Normal;
            case Kind::Text:
                write(node.text);
                return Flow::Normal;
            case Kind::Print:
                write(jinjaText(evaluate(*node.parts[0])));
                return Flow::Normal;
            case Kind::If:
                return runIf(node);
            case Kind::For:
                runFor(node);
                return Flow::Normal;
            case Kind::Set:
                set(node, evaluate(*node.parts[0]));
                return Flow::Normal;
            case Kind::SetBlock:
                runSetBlock(node);
                return Flow::Normal;
            case Kind::Break:
                return Flow::Break;
            case Kind::Continue:
                return Flow::Continue;
            default:
                throw Error("an expression where a statement belongs");
        }
    }
    std::string output;
    int line = 1;  // of what is being rendered

  private:
    void step(const JinjaNode& node) {
        line = node.line;
        if (++steps_ > kMostSteps) throw Error("it runs for too long");
    }
    void write(const std::string& text) {
        if (output.size() + text.size() > kLongest) throw Error("its output grows past 16 MiB");
        output += text;
    }

    Flow runIf(const JinjaNode& node) {
        std::size_t at = 0;
        for (; at + 1 < node.parts.size(); at += 2)
            if (jinjaTrue(evaluate(*node.parts[at]))) return run(*node.parts[at + 1]);
        return at < node.parts.size() ? run(*node.parts[at]) : Flow::Normal;
    }

    void runSetBlock(const JinjaNode& node) {
        std::string outer;
        outer.swap(output);
        run(*node.parts[0]);
        outer.swap(output);
        set(node, std::move(outer));
    }

    void set(const JinjaNode& node, Value value) {
        if (value.is_string() && value.get_ref<const std::string&>().size() > kLongest)
            throw Error("\"" + node.names[0] + "\" grows past 16 MiB");
        if (node.names.size() == 1) {
            scopes_.back()[node.names[0]] = std::move(value);
            return;
        }
        // ns.name = value changes the namespace where it was made.
        for (std::size_t i = scopes_.size(); i-- > 0;)
            if (const auto found = scopes_[i].find(node.names[0]); found != scopes_[i].end()) {
                if (!found->is_object()) throw Error("\"" + node.names[0] + "\" is no namespace");
                (*found)[node.names[1]] = std::move(value);
                return;
            }
        throw Error("\"" + node.names[0] + "\" is undefined");
    }

    void bind(const JinjaNode& node, const Value& item, Value& scope) const {
        if (node.names.size() == 1) {
            scope[node.names[0]] = item;
            return;
        }
        if (!item.is_array() || item.size() != node.names.size())
            throw Error("a loop over " + std::to_string(node.names.size()) + " names does not fit its items");
        for (std::size_t i = 0; i < node.names.size(); ++i) scope[node.names[i]] = item[i];
    }

    std::vector<Value> loopItems(const JinjaNode& node) {
        const Value list = evaluate(*node.parts[0]);
        std::vector<Value> items;
        if (list.is_object())
            for (const auto& [key, field] : list.items()) items.emplace_back(key);
        else if (list.is_array())
            items.assign(list.begin(), list.end());
        else if (!list.is_discarded())
            throw Error("a loop over " + jinjaKind(list));
        if (node.parts[1]->kind == Kind::Missing) return items;
        std::vector<Value> kept;
        for (Value& item : items) {
            scopes_.push_back(Value::object());
            bind(node, item, scopes_.back());
            const bool keep = jinjaTrue(evaluate(*node.parts[1]));
            scopes_.pop_back();
            if (keep) kept.push_back(std::move(item));
        }
        return kept;
    }

    void runFor(const JinjaNode& node) {
        const std::vector<Value> items = loopItems(node);
        if (items.empty() && node.parts.size() > 3) run(*node.parts[3]);
        for (std::size_t i = 0; i < items.size(); ++i) {
            Value scope = Value::object();
            Value loop = {{"index", i + 1},
                          {"index0", i},
                          {"first", i == 0},
                          {"last", i + 1 == items.size()},
                          {"length", items.size()},
                          {"revindex", items.size() - i},
                          {"revindex0", items.size() - i - 1}};
            if (i > 0) loop["previtem"] = items[i - 1];
            if (i + 1 < items.size()) loop["nextitem"] = items[i + 1];
            scope["loop"] = std::move(loop);
            bind(node, items[i], scope);
            scopes_.push_back(std::move(scope));
            const Flow flow = run(*node.parts[2]);
            scopes_.pop_back();
            if (flow == Flow::Break) break;
        }
    }

    Value lookUp(const std::string& name) const {
        for (std::size_t i = scopes_.size(); i-- > 0;)
            if (const auto found = scopes_[i].find(name); found != scopes_[i].end()) return *found;
        return jinjaUndefined();
    }

    Value evaluate(const JinjaNode& node) {
        step(node);
        const auto part = [&](std::size_t i) { return evaluate(*node.parts[i]); };
        switch (node.kind) {
            case Kind::Missing:
                return jinjaUndefined();
            case Kind::Literal:
                return node.value;
            case Kind::Name:
                return lookUp(node.text);
            case Kind::List:
                return list(node);
            case Kind::Dict:
                return dict(node);
            case Kind::Unary:
                return jinjaUnary(node.text, part(0));
            case Kind::Binary:
                return binary(node);
            case Kind::Compare: {
                const Value left = part(0);
                return jinjaCompare(node.text, left, part(1));
            }
            case Kind::And: {
                Value left = part(0);
                return jinjaTrue(left) ? part(1) : left;
            }
            case Kind::Or: {
                Value left = part(0);
                return jinjaTrue(left) ? left : part(1);
            }
            case Kind::Not:
                return !jinjaTrue(part(0));
            case Kind::Choice:
                return jinjaTrue(part(0)) ? part(1) : part(2);
            case Kind::Attribute:
                return jinjaAttribute(part(0), node.text);
            case Kind::Index: {
                const Value value = part(0);
                return jinjaIndex(value, part(1));
            }
            case Kind::Slice: {
                const Value value = part(0), from = part(1), to = part(2);
                return jinjaSlice(value, from, to, part(3));
            }
            case Kind::Call:
            case Kind::Method:
            case Kind::Filter:
            case Kind::Test:
                return call(node);
            default:
                throw Error("a statement where an expression belongs");
        }
    }

    Value binary(const JinjaNode& node) {
        const Value left = evaluate(*node.parts[0]);
        Value result = jinjaBinary(node.text, left, evaluate(*node.parts[1]));
        if (result.is_string() && result.get_ref<const std::string&>().size() > kLongest)
            throw Error("a text that grows past 16 MiB");
        if (result.is_array() && result.size() > 100'000) throw Error("a list of more than 100000 items");
        return result;
    }

    Value list(const JinjaNode& node) {
        Value items = Value::array();
        for (const auto& part : node.parts) items.push_back(defined(evaluate(*part)));
        return items;
    }

    Value dict(const JinjaNode& node) {
        Value fields = Value::object();
        for (std::size_t i = 0; i < node.parts.size(); i += 2) {
            const Value key = evaluate(*node.parts[i]);
            if (!key.is_string()) throw Error("a key that is " + jinjaKind(key));
            fields[key.get<std::string>()] = defined(evaluate(*node.parts[i + 1]));
        }
        return fields;
    }

    // A container holds none in place of an undefined value.
    static Value defined(Value value) { return value.is_discarded() ? Value(nullptr) : value; }

    // Parts of Call, Method, Filter and Test: what it is about, then arguments, then the named ones.
    Value call(const JinjaNode& node) {
        std::vector<Value> arguments;
        JinjaKeywords keywords;
        const std::size_t named = node.parts.size() - node.names.size();
        for (std::size_t i = 1; i < named; ++i) arguments.push_back(evaluate(*node.parts[i]));
        for (std::size_t i = named; i < node.parts.size(); ++i)
            keywords[node.names[i - named]] = evaluate(*node.parts[i]);
        if (node.kind == Kind::Call) return function(*node.parts[0], arguments, keywords);
        const Value subject = evaluate(*node.parts[0]);
        line = node.line;
        if (node.kind == Kind::Filter) return jinjaFilter(node.text, subject, arguments, keywords);
        if (!keywords.empty()) throw Error("\"" + node.text + "\" with named arguments is not supported");
        if (node.kind == Kind::Test) return jinjaTest(node.text, subject, arguments);
        return jinjaMethod(subject, node.text, arguments);
    }

    Value function(const JinjaNode& callee, const std::vector<Value>& arguments, const JinjaKeywords& keywords) {
        const std::string name = callee.kind == Kind::Name ? callee.text : "an expression";
        if (name == "namespace" && arguments.empty()) {
            Value fields = Value::object();
            for (const auto& [key, value] : keywords) fields[key] = defined(value);
            return fields;
        }
        if (name == "raise_exception")
            throw Error("the template refuses this conversation: " +
                        (arguments.empty() ? std::string() : jinjaText(arguments.front())));
        if (name == "range" && keywords.empty() && !arguments.empty() && arguments.size() < 3) return range(arguments);
        throw Error("the call of \"" + name + "\" is not supported");
    }

    static Value range(const std::vector<Value>& arguments) {
        for (const Value& value : arguments)
            if (!value.is_number_integer()) throw Error("range of " + jinjaKind(value));
        const auto from = arguments.size() > 1 ? arguments[0].get<std::int64_t>() : 0;
        const auto to = arguments.back().get<std::int64_t>();
        if (from < -100'000 || to > 100'000) throw Error("a range of more than 100000 numbers");
        Value items = Value::array();
        for (std::int64_t i = from; i < to; ++i) items.push_back(i);
        return items;
    }

    std::vector<Value> scopes_;
    int steps_ = 0;
};

}  // namespace

struct JinjaTemplate::Impl {
    std::unique_ptr<JinjaNode> root;
};

JinjaTemplate::JinjaTemplate(std::string_view text) : impl_(std::make_unique<Impl>()) {
    if (text.size() > (1 << 20)) throw Error("chat template: more than 1 MiB");
    impl_->root = parseJinja(text);
}

JinjaTemplate::~JinjaTemplate() = default;
JinjaTemplate::JinjaTemplate(JinjaTemplate&&) noexcept = default;
JinjaTemplate& JinjaTemplate::operator=(JinjaTemplate&&) noexcept = default;

std::string JinjaTemplate::render(const nlohmann::ordered_json& variables) const {
    Renderer renderer(variables);
    try {
        renderer.run(*impl_->root);
    } catch (const std::exception& error) {
        throw Error("chat template, line " + std::to_string(renderer.line) + ": " + error.what());
    }
    return std::move(renderer.output);
}

}  // namespace candor
