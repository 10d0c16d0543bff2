// SPDX-License-Identifier: GPL-3.0-or-later
// Mutates small valid files and reads them: each ends in a value or in candor::Error, with bounded memory. A fixed
// number of rounds by default; CANDOR_FUZZ_SECONDS=600 runs each kind that long, with a seed that is printed.
#include <sys/resource.h>

#include <QElapsedTimer>
#include <QTemporaryDir>
#include <QtTest>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>

#include "core/confidence/adapter_files.h"
#include "core/confidence/pt_file.h"
#include "core/error.h"
#include "core/llm/config.h"
#include "core/llm/jinja.h"
#include "core/llm/tokenizer.h"
#include "tests/testing.h"

using namespace candor;
namespace fs = std::filesystem;

namespace {

constexpr int kRounds = 300;

std::string read(const fs::path& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

// torch may leave checksums out (0); without them, damage gets past the archive to what reads the tensors.
std::string withoutChecksums(std::string zip) {
    for (std::size_t at = zip.find("PK\x01\x02"); at != std::string::npos; at = zip.find("PK\x01\x02", at + 1))
        zip.replace(at + 16, 4, 4, '\0');
    return zip;
}

class Mutator {
  public:
    explicit Mutator(unsigned seed) : random_(seed) {}

    std::string operator()(std::string bytes) {
        for (int times = 1 + below(4); times > 0 && !bytes.empty(); --times) one(bytes);
        return bytes;
    }

  private:
    int below(std::size_t limit) { return static_cast<int>(random_() % limit); }

    void one(std::string& bytes) {
        // Half of the changes hit the first 2000 bytes, where headers are.
        const std::size_t reach = below(2) ? bytes.size() : std::min<std::size_t>(bytes.size(), 2000);
        const auto at = static_cast<std::size_t>(below(reach));
        const std::size_t length = 1 + static_cast<std::size_t>(below(std::min<std::size_t>(bytes.size() - at, 40)));
        static const std::vector<std::string> pieces = {"[",
                                                        "]",
                                                        "{",
                                                        "}",
                                                        "\"",
                                                        ",",
                                                        ":",
                                                        "null",
                                                        "true",
                                                        "-1",
                                                        "0",
                                                        "1e999",
                                                        "18446744073709551615",
                                                        "2147483648",
                                                        "4294967296",
                                                        "\\u0000",
                                                        "\\ud800",
                                                        std::string(1, '\0'),
                                                        "\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x7F",
                                                        "\x80",
                                                        "(",
                                                        ".*",
                                                        "{%",
                                                        "%}",
                                                        "{{",
                                                        "}}",
                                                        "|",
                                                        "ctorch\nFloatStorage\n",
                                                        "PK\x01\x02",
                                                        "PK\x05\x06",
                                                        "R",
                                                        "h\x01",
                                                        "q\x01",
                                                        "t"};
        switch (below(8)) {
            case 0:
                bytes[at] = static_cast<char>(bytes[at] ^ (1 << below(8)));
                break;
            case 1:
                bytes[at] = static_cast<char>(below(256));
                break;
            case 2:
                bytes.erase(at, length);
                break;
            case 3:
                bytes.insert(at, bytes.substr(at, length));
                break;
            case 4:
                bytes.resize(at);
                break;
            case 5:
                bytes.insert(at, pieces[static_cast<std::size_t>(below(pieces.size()))]);
                break;
            case 6: {
                const std::string& piece = pieces[static_cast<std::size_t>(below(pieces.size()))];
                bytes.replace(at, std::min(piece.size(), bytes.size() - at), piece);
                break;
            }
            default: {
                const auto from = static_cast<std::size_t>(below(bytes.size()));
                bytes.replace(at, length, bytes.substr(from, length));
            }
        }
    }
    std::mt19937 random_;
};

// Calls `use` on mutations of `good`; throws what is no candor::Error on. Returns how many were read without error.
int fuzz(const std::string& good, const std::function<void(const std::string&)>& use, int rounds = kRounds) {
    const int seconds = qEnvironmentVariableIntValue("CANDOR_FUZZ_SECONDS");
    const unsigned seed = seconds > 0 ? std::random_device{}() : 7;
    if (seconds > 0) qInfo("seed %u", seed);
    Mutator mutate(seed);
    QElapsedTimer timer;
    timer.start();
    int accepted = 0;
    for (int i = 0; seconds > 0 ? timer.elapsed() < seconds * 1000LL : i < rounds; ++i) {
        const std::string bytes = mutate(good);
        try {
            use(bytes);
            ++accepted;
        } catch (const Error& error) {
            if (std::string(error.what()).empty()) throw std::logic_error("an error without a message");
        } catch (...) {
            std::ofstream("fuzz-failure.bin", std::ios::binary) << bytes;
            throw;
        }
    }
    return accepted;
}

// A byte-level tokenizer of 95 tokens with every part that a file can have.
std::string tokenizerText() {
    nlohmann::json vocabulary = nlohmann::json::object();
    for (int c = '!'; c <= '~'; ++c) vocabulary[std::string(1, static_cast<char>(c))] = c - '!';
    vocabulary["Ġ"] = 94, vocabulary["ab"] = 95, vocabulary["abc"] = 96;
    const nlohmann::json json = {
        {"model", {{"type", "BPE"}, {"vocab", vocabulary}, {"merges", {"a b", "ab c"}}, {"ignore_merges", false}}},
        {"normalizer", {{"type", "Sequence"}, {"normalizers", {{{"type", "NFC"}}}}}},
        {"pre_tokenizer",
         {{"type", "Sequence"},
          {"pretokenizers",
           {{{"type", "Split"},
             {"pattern", {{"Regex", "\\p{N}{1,3}|\\s+(?!\\S)|[^\\s\\p{N}]+"}}},
             {"behavior", "Isolated"},
             {"invert", false}},
            {{"type", "Digits"}, {"individual_digits", true}},
            {{"type", "ByteLevel"}, {"add_prefix_space", true}, {"use_regex", true}}}}}},
        {"post_processor",
         {{"type", "TemplateProcessing"},
          {"single",
           {{{"SpecialToken", {{"id", "<s>"}, {"type_id", 0}}}}, {{"Sequence", {{"id", "A"}, {"type_id", 0}}}}}},
          {"special_tokens", {{"<s>", {{"id", "<s>"}, {"ids", {97}}, {"tokens", {"<s>"}}}}}}}},
        {"decoder", {{"type", "ByteLevel"}}},
        {"added_tokens",
         {{{"id", 97},
           {"content", "<s>"},
           {"special", true},
           {"lstrip", true},
           {"rstrip", true},
           {"single_word", true}}}}};
    return json.dump();
}

}  // namespace

class LlmFuzzTest : public QObject {
    Q_OBJECT

  private slots:
    void initTestCase();
    void cleanupTestCase();
    void safetensors();
    void tokenizer();
    void configuration();
    void chatTemplate();
    void ptFile();
    void adapterConfig();
    void adapterTensors();

  private:
    fs::path write(const char* name, const std::string& bytes) const {
        const fs::path file = fs::path(folder_.path().toStdString()) / name;
        std::ofstream(file, std::ios::binary) << bytes;
        return file;
    }
    QTemporaryDir folder_;
    rlimit before_{};
};

// An allocation of gigabytes on the word of a damaged file shall fail here (sanitizers need the room themselves).
void LlmFuzzTest::initTestCase() {
    getrlimit(RLIMIT_AS, &before_);
#if !defined(__SANITIZE_ADDRESS__)
    const rlimit limit{rlim_t(4) << 30, before_.rlim_max};
    setrlimit(RLIMIT_AS, &limit);
#endif
}

void LlmFuzzTest::cleanupTestCase() { setrlimit(RLIMIT_AS, &before_); }

void LlmFuzzTest::safetensors() {
    const std::vector<float> values(12, 1.5F);
    const auto* data = reinterpret_cast<const std::byte*>(values.data());
    const fs::path file = write("good.safetensors", "");
    writeSafetensors(
        file,
        {{"a.weight", Dtype::F32, {3, 2}, data, 24}, {"b", Dtype::BF16, {4}, data, 8}, {"c", Dtype::U8, {5}, data, 5}});
    const int accepted = fuzz(read(file), [&](const std::string& bytes) {
        const TensorFiles files(write("x.safetensors", bytes));
        for (const TensorView& tensor : files.tensors()) toFloats(tensor);
    });
    QVERIFY(accepted > 0);
}

void LlmFuzzTest::tokenizer() {
    const int accepted = fuzz(tokenizerText(), [&](const std::string& bytes) {
        const Tokenizer made(write("tokenizer.json", bytes));
        const auto ids = made.encode("abc <s> 123 ab\xC3\xA9\xFF  x<s>", true);
        made.decode(ids);
        made.decode(ids, true);
    });
    QVERIFY(accepted > 0);
}

void LlmFuzzTest::configuration() {
    const std::string good =
        R"({"model_type": "qwen2", "hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2,
            "intermediate_size": 160, "vocab_size": 100, "rope_parameters": {"rope_type": "llama3", "rope_theta": 7, "factor": 8,
            "low_freq_factor": 1, "high_freq_factor": 4, "original_max_position_embeddings": 64}, "use_sliding_window": true,
            "sliding_window": 9, "layer_types": ["full_attention", "sliding_attention"], "eos_token_id": [1, 2], "dtype": "bfloat16"})";
    QVERIFY(fuzz(good, [&](const std::string& bytes) {
                const ModelConfig config = readConfig(write("config.json", bytes).parent_path());
                if (linearModules(config).size() != 7) throw std::logic_error("modules");
            }) > 0);
}

void LlmFuzzTest::chatTemplate() {
    const std::string good =
        "{%- set ns = namespace(x=messages|length - 1) %}\n{%- for m in messages[::-1] if m.role is defined %}\n  {%- "
        "set i = loop.index0 %}"
        "{% if m['role'] == 'user' and not (i > 3) %}{{- '<|' + m.role ~ i + '\\n' + "
        "m.content.split('</t>')[-1].lstrip('\\n') | trim }}"
        "{% elif i in [1, 2] %}{% set ns.x = i if i else none %}{% else %}{{ m | tojson }}{% endif %}{%- endfor %}{{ "
        "ns.x }}{# c #}";
    const nlohmann::ordered_json variables = {
        {"messages", {{{"role", "system"}, {"content", "be"}}, {{"role", "user"}, {"content", "a</t>\nb"}}}}};
    QVERIFY(fuzz(good, [&](const std::string& text) { JinjaTemplate(text).render(variables); }) > 0);
}

void LlmFuzzTest::ptFile() {
    const std::vector<float> values(12, 1.5F);
    const auto* data = reinterpret_cast<const std::byte*>(values.data());
    const fs::path file = write("good.pt", "");
    writePt(file, {{"weight", Dtype::F32, {3, 2}, data, 24}, {"bias", Dtype::F16, {3}, data, 6}});
    QVERIFY(fuzz(withoutChecksums(read(file)), [&](const std::string& bytes) { readPt(write("x.pt", bytes)); }) > 0);
    CANDOR_NEED_SHARED();
    const std::string real =
        withoutChecksums(read(testing::shared() / "fixtures" / "adapters" / "mlp-head" / "vector_head.pt"));
    QVERIFY(fuzz(real, [&](const std::string& bytes) { readHead(write("x.pt", bytes), 64); }) > 0);
}

void LlmFuzzTest::adapterConfig() {
    CANDOR_NEED_SHARED();
    const fs::path source = testing::shared() / "fixtures" / "adapters" / "patterns";
    const ModelConfig model = readConfig(testing::shared() / "fixtures" / "models" / "qwen2");
    for (const char* name : {"adapter_model.safetensors", "vector_head.pt"}) write(name, read(source / name));
    QVERIFY(fuzz(
                read(source / "adapter_config.json"),
                [&](const std::string& bytes) {
                    readAdapter(write("adapter_config.json", bytes).parent_path(), model, true);
                },
                kRounds / 3) > 0);
}

void LlmFuzzTest::adapterTensors() {
    CANDOR_NEED_SHARED();
    const fs::path source = testing::shared() / "fixtures" / "adapters" / "bin";
    const ModelConfig model = readConfig(testing::shared() / "fixtures" / "models" / "qwen2");
    fs::remove(fs::path(folder_.path().toStdString()) / "adapter_model.safetensors");
    for (const char* name : {"adapter_config.json", "vector_head.pt"}) write(name, read(source / name));
    QVERIFY(fuzz(
                withoutChecksums(read(source / "adapter_model.bin")),
                [&](const std::string& bytes) {
                    readAdapter(write("adapter_model.bin", bytes).parent_path(), model, true);
                },
                kRounds / 3) > 0);
}

CANDOR_TEST(LlmFuzzTest);
#include "llm_fuzz_test.moc"
