// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/llm/tokenizer.h"

#include <QTemporaryDir>
#include <QtTest>
#include <ctime>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "core/error.h"
#include "tests/testing.h"

using namespace candor;
namespace fs = std::filesystem;
using Json = nlohmann::json;

namespace {

// A byte-level tokenizer whose vocabulary is the 256 bytes ("a" is 97 - 33 and so on), changed by `change`.
Json byteTokenizer() {
    Json vocabulary = Json::object();
    int id = 0;
    for (int c = '!'; c <= '~'; ++c) vocabulary[std::string(1, static_cast<char>(c))] = id++;
    for (const char* other : {"Ġ", "Ċ", "Ã", "©", "Ì", "ģ", "č", "ĉ"}) vocabulary[other] = id++;
    vocabulary["ab"] = id++;
    vocabulary["abc"] = id++;
    vocabulary["bc"] = id++;
    return {{"model", {{"type", "BPE"}, {"vocab", vocabulary}, {"merges", {"b c", "a b", "a bc"}}}},
            {"normalizer", nullptr},
            {"pre_tokenizer", {{"type", "ByteLevel"}, {"add_prefix_space", false}, {"use_regex", true}}},
            {"decoder", {{"type", "ByteLevel"}}},
            {"added_tokens", Json::array()}};
}

class Made {
  public:
    explicit Made(const Json& json) { std::ofstream(file()) << json.dump(); }
    fs::path file() const { return fs::path(folder_.path().toStdString()) / "tokenizer.json"; }
    Tokenizer load() const { return Tokenizer(file()); }

  private:
    QTemporaryDir folder_;
};

std::string failure(const Json& json) {
    try {
        Made(json).load();
    } catch (const InputError& error) {
        return error.code() == "bad_tokenizer" ? error.what() : "code " + error.code();
    }
    return {};
}

Json addedToken(int id, const std::string& content, Json flags = Json::object()) {
    Json token = {{"id", id},        {"content", content}, {"special", false},    {"normalized", false},
                  {"lstrip", false}, {"rstrip", false},    {"single_word", false}};
    token.update(flags);
    return token;
}

}  // namespace

class LlmTokenizerTest : public QObject {
    Q_OBJECT

  private slots:
    void equalsHuggingFace_data();
    void equalsHuggingFace();
    void mergesLowestRankFirst();
    void findsAddedTokens();
    void splitsAsAsked_data();
    void splitsAsAsked();
    void stripsAndKeepsWords();
    void streamsWholeCharacters();
    void repairsBrokenUtf8();
    void longRunsStayFast();
    void encodesOnManyThreads();
    void refuses_data();
    void refuses();
    void doublesNoBos();
};

void LlmTokenizerTest::equalsHuggingFace_data() {
    QTest::addColumn<QString>("fixture");
    QTest::addColumn<QString>("file");
    const fs::path built = fs::path(CANDOR_SOURCE_DIR) / "build" / "tokenizers";
    const fs::path shared = testing::shared();
    const auto row = [](const char* name, const fs::path& file) {
        QTest::newRow(name) << QString(name) << QString::fromStdString(file.string());
    };
    row("tiny", shared / "fixtures" / "models" / "qwen2");
    row("tiny_bos", shared / "fixtures" / "models" / "llama");
    row("smollm2", shared / "models" / "smollm2-135m-instruct");
    row("qwen3", built / "qwen3");
    row("llama3", built / "llama3");
}

void LlmTokenizerTest::equalsHuggingFace() {
    CANDOR_NEED_SHARED();
    QFETCH(QString, fixture);
    QFETCH(QString, file);
    if (!fs::exists(fs::path(file.toStdString()) / "tokenizer.json"))
        QSKIP("tokenizer.json is absent: run tests/tools/fetch_tokenizers.sh");
    const Tokenizer tokenizer(file.toStdString());
    std::ifstream in(testing::shared() / "fixtures" / ("tokenizer_" + fixture.toStdString() + ".jsonl"));
    std::string line;
    int lines = 0;
    for (; std::getline(in, line); ++lines) {
        const Json expected = Json::parse(line);
        const auto text = expected["text"].get<std::string>();
        const auto ids = expected["ids"].get<std::vector<std::int32_t>>();
        const auto got = tokenizer.encode(text);
        QVERIFY2(got == ids, ("line " + std::to_string(lines + 1) + ": " + line + " got " + Json(got).dump()).c_str());
        QCOMPARE(Json(tokenizer.encode(text, true)), expected["ids_special"]);
        QCOMPARE(tokenizer.decode(ids), expected["decoded"].get<std::string>());
        std::string streamed;
        TextStream stream(tokenizer, false);
        for (const std::int32_t id : ids) streamed += stream.push(id);
        QCOMPARE(streamed + stream.finish(), expected["decoded"].get<std::string>());
    }
    QCOMPARE(lines, 1528);
}

void LlmTokenizerTest::mergesLowestRankFirst() {
    const Made made(byteTokenizer());
    const Tokenizer tokenizer = made.load();
    const auto id = [&](const char* token) { return tokenizer.idOf(token).value(); };
    // "b c" has the lowest rank, so "abc" goes through "a bc", and "ab" is used only where no c follows.
    QCOMPARE(tokenizer.encode("abc"), std::vector{id("abc")});
    QCOMPARE(tokenizer.encode("abab"), (std::vector{id("ab"), id("ab")}));
    QCOMPARE(tokenizer.encode("abcab"), (std::vector{id("abc"), id("ab")}));
    QCOMPARE(tokenizer.encode(""), std::vector<std::int32_t>());
    // Bytes without a token are left out.
    QCOMPARE(tokenizer.encode("a\x01"
                              "b"),
             (std::vector{id("a"), id("b")}));
    QCOMPARE(tokenizer.vocabSize(), 105);
    QCOMPARE(tokenizer.contentHash().size(), std::size_t(64));
}

void LlmTokenizerTest::findsAddedTokens() {
    Json json = byteTokenizer();
    json["added_tokens"] = {addedToken(200, "<|a|>", {{"special", true}}), addedToken(201, "<|a|>b"),
                            addedToken(202, "<|")};
    const Made made(json);
    const Tokenizer tokenizer = made.load();
    QCOMPARE(tokenizer.encode("<|a|>b<|a|><|x"),
             (std::vector<std::int32_t>{201, 200, 202, tokenizer.idOf("x").value()}));
    QVERIFY(tokenizer.isSpecial(200) && !tokenizer.isSpecial(201));
    QCOMPARE(tokenizer.decode(std::vector<std::int32_t>{200, 64, 201, 150, 9999, -1}, true), std::string("a<|a|>b"));
    QCOMPARE(tokenizer.decode(std::vector<std::int32_t>{200, 64}), std::string("<|a|>a"));
    QCOMPARE(tokenizer.vocabSize(), 203);
}

void LlmTokenizerTest::splitsAsAsked_data() {
    QTest::addColumn<QString>("behavior");
    QTest::addColumn<bool>("invert");
    QTest::addColumn<QString>("expected");
    // The documented results for "the-final--countdown" cut at "-".
    QTest::newRow("removed") << "Removed" << false << "the|final|countdown";
    QTest::newRow("isolated") << "Isolated" << false << "the|-|final|-|-|countdown";
    QTest::newRow("previous") << "MergedWithPrevious" << false << "the-|final-|-|countdown";
    QTest::newRow("next") << "MergedWithNext" << false << "the|-final|-|-countdown";
    QTest::newRow("contiguous") << "Contiguous" << false << "the|-|final|--|countdown";
    QTest::newRow("inverted") << "Removed" << true << "-|-|-";
}

void LlmTokenizerTest::splitsAsAsked() {
    QFETCH(QString, behavior);
    QFETCH(bool, invert);
    QFETCH(QString, expected);
    Json json = byteTokenizer();
    json["model"]["ignore_merges"] = true;
    int id = 300;
    for (const char* piece : {"the", "final", "countdown", "the-", "final-", "-final", "-countdown", "--"})
        json["model"]["vocab"][piece] = id++;
    json["pre_tokenizer"] = {
        {"type", "Sequence"},
        {"pretokenizers",
         {{{"type", "Split"}, {"pattern", {{"String", "-"}}}, {"behavior", behavior.toStdString()}, {"invert", invert}},
          {{"type", "ByteLevel"}, {"add_prefix_space", false}, {"use_regex", false}}}}};
    const Made made(json);
    const Tokenizer tokenizer = made.load();
    QStringList pieces;
    for (const auto token : tokenizer.encode("the-final--countdown"))
        pieces << QString::fromStdString(tokenizer.tokenOf(token));
    QCOMPARE(pieces.join('|'), expected);
}

void LlmTokenizerTest::stripsAndKeepsWords() {
    Json json = byteTokenizer();
    json["added_tokens"] = {addedToken(200, "<l>", {{"lstrip", true}}), addedToken(201, "<r>", {{"rstrip", true}}),
                            addedToken(202, "word", {{"single_word", true}})};
    const Made made(json);
    const Tokenizer tokenizer = made.load();
    const auto id = [&](const char* token) { return tokenizer.idOf(token).value(); };
    QCOMPARE(tokenizer.encode("a  <l> b"), (std::vector{id("a"), 200, id("Ġ"), id("b")}));
    QCOMPARE(tokenizer.encode("a <r>  b"), (std::vector{id("a"), id("Ġ"), 201, id("b")}));
    QCOMPARE(tokenizer.encode("a word"), (std::vector{id("a"), id("Ġ"), 202}));
    QCOMPARE(tokenizer.encode("sword").size(), std::size_t(5));
    QCOMPARE(tokenizer.encode("words").size(), std::size_t(5));
}

void LlmTokenizerTest::streamsWholeCharacters() {
    CANDOR_NEED_SHARED();
    const Tokenizer tokenizer(testing::shared() / "fixtures" / "models" / "qwen2");
    const auto ids = tokenizer.encode("a🙂你");
    TextStream stream(tokenizer);
    std::string text;
    for (const auto id : ids) {
        const std::string part = stream.push(id);
        QVERIFY2(QString::fromStdString(part).toStdString() == part, "a part is no whole text");
        QVERIFY(part.find("\xEF\xBF\xBD") == std::string::npos);
        text += part;
    }
    QVERIFY(ids.size() > 3);
    QCOMPARE(text + stream.finish(), std::string("a🙂你"));
    // A character that never ends comes out as one replacement character.
    TextStream broken(tokenizer);
    QCOMPARE(broken.push(ids[1]), std::string());
    QCOMPARE(broken.finish(), std::string("\xEF\xBF\xBD"));
}

void LlmTokenizerTest::repairsBrokenUtf8() {
    CANDOR_NEED_SHARED();
    const Tokenizer tokenizer(testing::shared() / "fixtures" / "models" / "qwen2");
    QCOMPARE(tokenizer.encode("a\xFF\xE4\xBD"
                              "b"),
             tokenizer.encode("a\xEF\xBF\xBD\xEF\xBF\xBD"
                              "b"));
}

void LlmTokenizerTest::longRunsStayFast() {
    const Made made(byteTokenizer());
    const Tokenizer tokenizer = made.load();
    const auto seconds = [&](std::size_t words) {
        std::string text;
        for (std::size_t i = 0; i < words; ++i) text += "abc";
        const std::clock_t start = std::clock();  // of this process: others do not disturb it
        const std::size_t count = tokenizer.encode(text).size();
        if (count != words) throw std::logic_error("wrong tokens");
        return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    };
    // 16 times the text in one piece: 16 times the work if it is linear, 256 times if it is quadratic.
    const double small = seconds(20000), large = seconds(320000);
    QVERIFY2(large < 80 * small, qPrintable(QString("%1 s and %2 s").arg(small).arg(large)));
}

void LlmTokenizerTest::encodesOnManyThreads() {
    const Made made(byteTokenizer());
    const Tokenizer tokenizer = made.load();
    const std::string text = "abc ab bc abcabc x y z abx";
    const auto expected = tokenizer.encode(text);
    std::atomic<int> wrong{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([&, t] {
            for (int i = 0; i < 500; ++i) {
                tokenizer.encode("abc" + std::to_string(t * 1000 + i));
                if (tokenizer.encode(text) != expected) ++wrong;
            }
        });
    for (auto& thread : threads) thread.join();
    QCOMPARE(wrong.load(), 0);
}

void LlmTokenizerTest::refuses_data() {
    QTest::addColumn<QString>("patch");
    QTest::addColumn<QString>("names");
    const auto row = [](const char* name, const char* patch, const char* names) {
        QTest::newRow(name) << QString(patch) << QString(names);
    };
    row("wordpiece", R"({"model": {"type": "WordPiece"}})", "WordPiece");
    row("byte fallback", R"({"model": {"byte_fallback": true}})", "byte_fallback");
    row("metaspace", R"({"pre_tokenizer": {"type": "Metaspace"}})", "Metaspace");
    row("no pre-tokenizer", R"({"pre_tokenizer": null})", "byte-level");
    row("normalizer", R"({"normalizer": {"type": "Precompiled"}})", "Precompiled");
    row("decoder", R"({"decoder": {"type": "WordPiece"}})", "WordPiece");
    row("merge without token", R"({"model": {"merges": ["a zz"]}})", "zz");
    row("merge of three", R"({"model": {"merges": ["a b c"]}})", "a b c");
    row("negative id", R"({"model": {"vocab": {"a": -1}}})", "-1");
    row("huge id", R"({"model": {"vocab": {"a": 4000000000}}})", "4000000000");
    row("id far away", R"({"model": {"vocab": {"a": 60000000}}})", "60000000");
    row("id a string", R"({"model": {"vocab": {"a": "7"}}})", "vocab");
    row("added without content", R"({"added_tokens": [{"id": 3}]})", "content");
    row("same id twice", R"({"added_tokens": [{"id": 300, "content": "<x>"}, {"id": 300, "content": "<y>"}]})", "<y>");
    row("broken regex",
        R"({"pre_tokenizer": {"type": "Sequence", "pretokenizers": [{"type": "Split", "behavior": "Isolated",
            "pattern": {"Regex": "(a"}}, {"type": "ByteLevel"}]}})",
        "(a");
    row("post-processor", R"({"post_processor": {"type": "Strange"}})", "Strange");
    row("template without text", R"({"post_processor": {"type": "TemplateProcessing", "single": []}})", "template");
}

void LlmTokenizerTest::refuses() {
    QFETCH(QString, patch);
    QFETCH(QString, names);
    Json json = byteTokenizer();
    const Json change = Json::parse(patch.toStdString());
    for (const auto& [key, value] : change.items())
        if (key == "model") {
            for (const auto& [inner, field] : value.items())
                if (inner == "vocab")
                    json[key][inner].update(field);
                else
                    json[key][inner] = field;
        } else {
            json[key] = value;
        }
    const std::string message = failure(json);
    QVERIFY2(message.find(names.toStdString()) != std::string::npos, message.c_str());
}

// llama-cpp-python #1501 and others: a templated prompt encoded with the post-processor has two BOS tokens.
void LlmTokenizerTest::doublesNoBos() {
    CANDOR_NEED_SHARED();
    const Tokenizer tokenizer(testing::shared() / "fixtures" / "models" / "llama");
    const auto once = tokenizer.encode("<|endoftext|>Hello");
    QCOMPARE(std::count(once.begin(), once.end(), 0), 1);
    const auto twice = tokenizer.encode("<|endoftext|>Hello", true);
    QCOMPARE(std::count(twice.begin(), twice.end(), 0), 2);
}

CANDOR_TEST(LlmTokenizerTest);
#include "llm_tokenizer_test.moc"
