// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/llm/prompt.h"

#include <QTemporaryDir>
#include <QtTest>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/llm/jinja.h"
#include "tests/testing.h"

using namespace candor;
namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

namespace {

std::string render(const std::string& text, const Json& variables = Json::object()) {
    return JinjaTemplate(text).render(variables);
}

std::string failure(const std::string& text, const Json& variables = Json::object()) {
    try {
        render(text, variables);
    } catch (const Error& error) {
        return error.what();
    }
    return {};
}

}  // namespace

class LlmPromptTest : public QObject {
    Q_OBJECT

  private slots:
    void rendersAsTransformers();
    void rendersExpressions_data();
    void rendersExpressions();
    void namesWhatIsNotSupported_data();
    void namesWhatIsNotSupported();
    void survivesHostileTemplates();
    void wrapsQuestions();
    void followsThePaper();
    void needsATemplate();
    void hashesWhatSurroundsTheQuestion();
};

void LlmPromptTest::rendersAsTransformers() {
    CANDOR_NEED_SHARED();
    const Json entries = Json::parse(std::ifstream(testing::shared() / "fixtures" / "templates.json"));
    std::map<std::string, Json> templates;
    for (const Json& entry : entries)
        if (entry.contains("template")) templates[entry["name"]] = entry;
    int cases = 0;
    for (const Json& entry : entries) {
        if (!entry.contains("rendered")) continue;
        const Json& source = templates.at(entry["name"]);
        const Json variables = {{"messages", entry["messages"]},
                                {"add_generation_prompt", entry["add_generation_prompt"]},
                                {"enable_thinking", false},
                                {"bos_token", source["bos_token"]},
                                {"eos_token", source["eos_token"]}};
        QCOMPARE(QString::fromStdString(render(source["template"], variables)),
                 QString::fromStdString(entry["rendered"]));
        ++cases;
    }
    QCOMPARE(cases, 50);
}

void LlmPromptTest::rendersExpressions_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("expected");
    const auto row = [](const char* text, const char* expected) {
        QTest::newRow(text) << QString(text) << QString(expected);
    };
    // Each expected text was rendered by jinja2 with trim_blocks and lstrip_blocks.
    row("a\n{% if true %}\nb\n{% endif %}\nc\n", "a\nb\nc");
    row("a\n   {% if true %}b{% endif %}", "a\nb");
    row("a  {%- if true -%}  b  {%- endif -%}  c", "abc");
    row("a\n  {%+ if true %}b{% endif %}", "a\n  b");
    row("a\n  {{ 'x' }}\nb", "a\n  x\nb");
    row("a {#- c -#} b", "ab");
    row("{{ 1 + 2 * 3 - 4 // 3 }}", "6");
    row("{{ 'a' ~ 1 ~ true ~ none }}", "a1TrueNone");
    row("{{ 'a' + ' b ' | trim + 'c' }}", "abc");
    row("{{ -7 // 2 }} {{ -7 % 3 }} {{ 7 % -3 }}", "-4 2 -2");
    row("{{ 'yes' if 1 > 2 else 'no' }}{{ 'x' if false }}", "no");
    row("{{ not 1 == 2 and 2 in [1, 2] and 3 not in [1, 2] }}", "True");
    row("{{ (1 == 2) or 'b' in 'abc' }}", "True");
    row("{{ 'abc'[1] }}{{ 'abc'[-1] }}{{ 'abcdef'[1:4] }}{{ 'abc'[::-1] }}", "bcbcdcba");
    row("{{ 'äöü'[1] }}{{ 'äöü' | length }}", "ö3");
    row("{{ [1,2,3][5:] | length }}{{ [1, 2, 3][::-1][0] }}{{ [1,2,3][-10:2] | join('-') }}", "031-2");
    row("{{ x is defined }} {{ x is not defined }} {{ none is none }} {{ 'a' is string }} {{ x }}",
        "False True True True ");
    row("{{ x | default('d') }}{{ '' | default('e', true) }}", "de");
    row("{{ ' a\n'.strip() }}{{ 'xxaxx'.strip('x') }}{{ 'xa'.lstrip('x') }}{{ 'ax'.rstrip('x') }}", "aaaa");
    row("{{ 'a,b,c'.split(',')[-1] }}{{ ' a  b '.split() | length }}{{ 'a,b,c'.split(',', 1)[1] }}", "c2b,c");
    row("{{ 'abc'.startswith('ab') }}{{ 'abc'.endswith('ab') }}{{ 'aXa'.replace('a', 'bb') }}", "TrueFalsebbXbb");
    row("{% for i in range(3) if i != 1 %}{{ loop.index }}{{ i }}{{ loop.last }} {% endfor %}", "10False 22True ");
    row("{% for i in [] %}a{% else %}b{% endfor %}", "b");
    row("{% set x = 1 %}{% for i in [1, 2] %}{% set x = i %}{% endfor %}{{ x }}", "1");
    row("{% set n = namespace(x=1) %}{% for i in [1, 2] %}{% set n.x = n.x + i %}{% endfor %}{{ n.x }}", "4");
    row("{% for k, v in {'a': 1, 'b': 2}.items() %}{{ k }}{{ v }}{% endfor %}", "a1b2");
    row("{% for i in [1,2,3,4] %}{% if i == 2 %}{% continue %}{% endif %}{% if i == 4 %}{% break %}{% endif %}{{ i "
        "}}{% endfor %}",
        "13");
    row("{% set x %}a{{ 1 }}{% endset %}{{ x + 'b' }}", "a1b");
    row("{% if false %}a{% elif 0 %}b{% elif 'x' %}c{% else %}d{% endif %}", "c");
    row("{{ {'a': [1, 'ü\"']} | tojson }}", "{\"a\": [1, \"ü\\\"\"]}");
    row("{{ 'a\\n\\x41\\u00e4\\'' }}", "a\nAä'");
    row("{{ 'a' 'b' }}{{ (1, 2)[1] }}{{ true and 'x' or 'y' }}", "ab2x");
    row("{% generation %}a{% endgeneration %}", "a");
    row("{{ '{% if %}' }}{{ \"}}\" }}", "{% if %}}}");
    row("{{ 4 is number }}{{ {} is mapping }}{{ false is false }}{{ 'a' is in ['a'] }}", "TrueTrueTrueTrue");
}

void LlmPromptTest::rendersExpressions() {
    QFETCH(QString, text);
    QFETCH(QString, expected);
    QCOMPARE(QString::fromStdString(render(text.toStdString())), expected);
}

void LlmPromptTest::namesWhatIsNotSupported_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("names");
    const auto row = [](const char* text, const char* names) {
        QTest::newRow(text) << QString(text) << QString(names);
    };
    row("{% macro f() %}{% endmacro %}", "macro");
    row("{% include 'x' %}", "include");
    row("a\nb\n{{ 'x' | wordcount }}", "line 3: the filter \"wordcount\"");
    row("{{ 'x'.encode() }}", "encode");
    row("{{ 1 is divisibleby 3 }}", "divisibleby");
    row("{{ cycler(1) }}", "cycler");
    row("{{ x.y }}", "undefined");
    row("{{ 'a' + 1 }}", "\"+\"");
    row("{{ 'a' < 1 }}", "\"<\"");
    row("{% if true %}", "endif");
    row("{% endif %}", "endif");
    row("{{ 'a }}", "not closed");
    row("{{ 1 + }}", "expected an expression");
    row("{{ 1 ? 2 }}", "?");
    row("{{ (1 }}", "not closed");
    row("{{ (1; }}", ";");
    row("{% set x = [1 2] %}", "expected");
    row("{{ a.b(*c) }}", "unpacking");
    row("{% set a, b = 1, 2 %}", "several names");
    row("{{ 1 < 2 < 3 }}", "chained");
    row("{{ raise_exception('roles must alternate') }}", "roles must alternate");
    row("{{ 1 // 0 }}", "zero");
}

void LlmPromptTest::namesWhatIsNotSupported() {
    QFETCH(QString, text);
    QFETCH(QString, names);
    const std::string message = failure(text.toStdString());
    QVERIFY2(QString::fromStdString(message).contains(names), message.c_str());
    // In a branch that is not taken, what is known to the grammar does no harm.
    if (names.contains("wordcount")) QCOMPARE(render("{% if false %}{{ 'x' | wordcount }}{% endif %}"), std::string());
}

void LlmPromptTest::survivesHostileTemplates() {
    const auto repeated = [](const std::string& text, int times) {
        std::string result;
        for (int i = 0; i < times; ++i) result += text;
        return result;
    };
    QVERIFY(!failure("{{ " + repeated("(", 100000) + " }}").empty());
    QVERIFY(!failure("{{ " + repeated("not ", 100000) + "1 }}").empty());
    QVERIFY(!failure("{{ " + repeated("-", 100000) + "1 }}").empty());
    QVERIFY(!failure("{{ 1" + repeated(" or 1", 100000) + " }}").empty());
    QVERIFY(!failure("{{ a" + repeated(".b", 100000) + " }}").empty());
    QVERIFY(!failure(repeated("{% if true %}", 50000)).empty());
    QVERIFY(!failure(repeated("{% for i in range(1000) %}", 8) + "x" + repeated("{% endfor %}", 8)).empty());
    QVERIFY(!failure("{% set n = namespace(x='ab') %}{% for i in range(99) %}{% set n.x = n.x + n.x %}{% endfor %}")
                 .empty());
    QVERIFY(!failure("{{ " + repeated("9", 40) + " }}").empty());
    QVERIFY(!failure("{{ 999999999999999 * 999999999999999 }}").empty());
    QVERIFY(!failure(std::string(2 << 20, 'x')).empty());
    QCOMPARE(render("{{ 'abc'[999999999999999:-999999999999999:-999999999999999] }}"), std::string("c"));
}

void LlmPromptTest::wrapsQuestions() {
    CANDOR_NEED_SHARED();
    const fs::path folder = testing::shared() / "models" / "smollm2-135m-instruct";
    const Prompt prompt(folder);
    QCOMPARE(prompt.render("Who?"),
             std::string("<|im_start|>system\nYou are a helpful assistant.<|im_end|>\n<|im_start|>user\nAnswer the "
                         "following question.\nQuestion: Who?<|im_end|>\n<|im_start|>assistant\n"));
    // InternLM/lmdeploy #3475: without a system turn the template puts its own.
    PromptOptions options;
    options.system.clear();
    QVERIFY(
        Prompt(folder, options).render("Who?").starts_with("<|im_start|>system\nYou are a helpful AI assistant named"));
    options.templateText = "{{ bos_token }}{% for m in messages %}[{{ m.content }}]{% endfor %}";
    options.userPrefix = "Q: ";
    QCOMPARE(Prompt(folder, options).render("{{ 1 }}"), std::string("<|im_start|>[Q: {{ 1 }}]"));
    options = {};
    options.name = "none";
    options.userPrefix.clear();
    QCOMPARE(Prompt(folder, options).render("Who?"), std::string("Who?"));
    // The forward fixtures hold wrapped prompts of the tiny models.
    const Json forward = Json::parse(std::ifstream(testing::shared() / "fixtures" / "forward_qwen3.json"));
    const Prompt tiny(testing::shared() / "fixtures" / "models" / "qwen3");
    for (const Json& row : forward["rows"]) {
        const auto wrapped = row["prompt"].get<std::string>();
        const std::size_t from = wrapped.find("Question: ") + 10;
        QCOMPARE(tiny.render(wrapped.substr(from, wrapped.find("<|im_end|>", from) - from)), wrapped);
    }
}

void LlmPromptTest::followsThePaper() {
    const QTemporaryDir empty;
    PromptOptions options;
    options.name = "paper-qwen2";
    QCOMPARE(Prompt(empty.path().toStdString(), options).render("Who?"),
             std::string("<|im_start|>system\nYou are a helpful assistant.<|im_end|>\n<|im_start|>user\nAnswer the "
                         "following question.\nQuestion: Who?<|im_end|>\n<|im_start|>assistant\n"));
    options.name = "paper-llama3";
    QCOMPARE(Prompt(empty.path().toStdString(), options).render("Who?"),
             std::string("<|begin_of_text|><|start_header_id|>system<|end_header_id|>\n\nYou are a helpful "
                         "assistant<|eot_id|><|start_header_id|>user<|end_header_id|>\n\nAnswer the following "
                         "question.\nQuestion: Who?<|eot_id|><|start_header_id|>assistant<|end_header_id|>\n\n"));
}

void LlmPromptTest::needsATemplate() {
    const QTemporaryDir empty;
    const fs::path folder = empty.path().toStdString();
    QVERIFY_THROWS_EXCEPTION(InputError, Prompt{folder});
    PromptOptions options;
    options.name = "no-such-prompt";
    QVERIFY_THROWS_EXCEPTION(InputError, Prompt(folder, options));
    std::ofstream(folder / "tokenizer_config.json")
        << R"({"bos_token": {"content": "<s>"}, "chat_template": [{"name": "tool_use", "template": "no"},
               {"name": "default", "template": "{{ bos_token }}{{ messages[-1].content }}"}]})";
    QCOMPARE(Prompt(folder).render("Who?"), std::string("<s>Answer the following question.\nQuestion: Who?"));
    std::ofstream(folder / "chat_template.jinja") << "{% macro x() %}{% endmacro %}";
    QVERIFY_THROWS_EXCEPTION(InputError, Prompt{folder});
}

void LlmPromptTest::hashesWhatSurroundsTheQuestion() {
    CANDOR_NEED_SHARED();
    const fs::path folder = testing::shared() / "models" / "smollm2-135m-instruct";
    const Prompt one(folder);
    PromptOptions options;
    options.name = "paper-qwen2";
    const Prompt same(folder, options);
    QCOMPARE(one.promptHash(), same.promptHash());  // the text is the same, whatever made it
    QVERIFY(one.templateHash() != same.templateHash());
    options.userPrefix = "Q: ";
    QVERIFY(Prompt(folder, options).promptHash() != one.promptHash());
    QCOMPARE(one.promptHash().size(), std::size_t(64));
}

CANDOR_TEST(LlmPromptTest);
#include "llm_prompt_test.moc"
