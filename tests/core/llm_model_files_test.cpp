// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTemporaryDir>
#include <QtTest>
#include <bit>
#include <cmath>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/llm/hash.h"
#include "core/llm/model_folder.h"
#include "core/llm/safetensors.h"
#include "tests/testing.h"

using namespace candor;
namespace fs = std::filesystem;
using Json = nlohmann::json;

namespace {

// A .safetensors file with any header text, `length` in its size field (default: the truth) and `data` bytes behind.
std::string rawFile(const std::string& header, std::size_t data, std::optional<std::uint64_t> length = {}) {
    const std::uint64_t size = length.value_or(header.size());
    std::string bytes(8, '\0');
    std::memcpy(bytes.data(), &size, 8);
    return bytes + header + std::string(data, '\0');
}

class Folder {
  public:
    fs::path path() const { return fs::path(folder_.path().toStdString()); }
    fs::path write(const std::string& name, const std::string& bytes) const {
        std::ofstream(path() / name, std::ios::binary) << bytes;
        return path() / name;
    }

  private:
    QTemporaryDir folder_;
};

std::string failure(const std::function<void()>& call) {
    try {
        call();
    } catch (const InputError& error) {
        return error.code() + ": " + error.what();
    }
    return {};
}

Json smallConfig() {
    return {{"model_type", "llama"},      {"hidden_size", 64},        {"num_hidden_layers", 2},
            {"num_attention_heads", 4},   {"intermediate_size", 160}, {"vocab_size", 100},
            {"hidden_act", "silu"},       {"num_key_value_heads", 2}, {"rms_norm_eps", 1e-5},
            {"tie_word_embeddings", true}};
}

ModelConfig configOf(const Json& patch) {
    const Folder folder;
    Json json = smallConfig();
    json.update(patch);
    folder.write("config.json", json.dump());
    return readConfig(folder.path());
}

}  // namespace

class LlmModelFilesTest : public QObject {
    Q_OBJECT

  private slots:
    void hashesAsPublished();
    void readsFixtureModels_data();
    void readsFixtureModels();
    void readsShards();
    void widensExactly();
    void refusesBadFiles_data();
    void refusesBadFiles();
    void takesAHeaderOf100000Bytes();
    void refusesBadShards();
    void writesWhatItReads();
    void readsConfigs();
    void refusesConfigs_data();
    void refusesConfigs();
    void namesModelsByContent();
    void resolvesHubCaches();
};

void LlmModelFilesTest::hashesAsPublished() {
    // FIPS 180-4 examples.
    QCOMPARE(sha256(""), std::string("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"));
    QCOMPARE(sha256("abc"), std::string("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"));
    QCOMPARE(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
             std::string("248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"));
    QCOMPARE(sha256(std::string(1000000, 'a')),
             std::string("cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"));
    Sha256 pieces;
    for (int i = 0; i < 1000000; i += 1000) pieces.update(std::string(i % 2000 ? 999 : 1001, 'a'));
    QCOMPARE(pieces.hex(), sha256(std::string(1000000, 'a')));
}

void LlmModelFilesTest::readsFixtureModels_data() {
    QTest::addColumn<int>("family");
    QTest::addColumn<int>("headDim");
    QTest::addColumn<double>("theta");
    const auto row = [](const char* name, Family family, int headDim, double theta) {
        QTest::newRow(name) << static_cast<int>(family) << headDim << theta;
    };
    row("llama", Family::Llama, 16, 500000);
    row("llama31", Family::Llama, 16, 500000);
    row("qwen2", Family::Qwen2, 16, 1000000);
    row("qwen2-sharded-bf16", Family::Qwen2, 16, 1000000);
    row("qwen3", Family::Qwen3, 24, 1000000);
    row("mistral", Family::Mistral, 16, 10000);
}

void LlmModelFilesTest::readsFixtureModels() {
    CANDOR_NEED_SHARED();
    QFETCH(int, family);
    QFETCH(int, headDim);
    QFETCH(double, theta);
    const std::string name = QTest::currentDataTag();
    const fs::path folder = testing::shared() / "fixtures" / "models" / name;
    const ModelConfig config = readConfig(folder);
    QCOMPARE(static_cast<int>(config.family), family);
    QCOMPARE(config.headDim, headDim);
    QCOMPARE(config.rope.theta, theta);
    QCOMPARE(config.rope.type == RopeType::Llama3, name == "llama31");
    QCOMPARE(config.qkvBias, config.family == Family::Qwen2);
    QCOMPARE(config.qkNorm, name == "qwen3");
    QCOMPARE(config.eosIds, std::vector<std::int32_t>{2});
    QVERIFY(!config.slidingWindow);
    const TensorFiles files(folder);
    const TensorView* embedding = files.find("model.embed_tokens.weight");
    QVERIFY(embedding);
    QCOMPARE(embedding->shape, (std::vector<std::int64_t>{1536, 64}));
    QCOMPARE(static_cast<int>(embedding->dtype), static_cast<int>(config.dtype));
    QCOMPARE(files.find("lm_head.weight") == nullptr, config.tieEmbeddings);
    for (const ModuleSize& module : linearModules(config)) {
        const TensorView* weight = files.find("model.layers.2." + module.path + ".weight");
        QVERIFY(weight);
        QCOMPARE(weight->shape, (std::vector<std::int64_t>{module.out, module.in}));
        QCOMPARE(toFloats(*weight).size(), static_cast<std::size_t>(module.in) * static_cast<std::size_t>(module.out));
    }
    QVERIFY(!files.find("model.layers.3.mlp.up_proj.weight"));
    QCOMPARE(modelHash(folder).size(), std::size_t(64));
}

void LlmModelFilesTest::readsShards() {
    CANDOR_NEED_SHARED();
    const fs::path folder = testing::shared() / "fixtures" / "models" / "qwen2-sharded-bf16";
    const TensorFiles files(folder);
    QCOMPARE(files.files().size(), std::size_t(4));
    const Json index = Json::parse(std::ifstream(folder / "model.safetensors.index.json"));
    QCOMPARE(files.tensors().size(), index["weight_map"].size());
}

// llama.cpp #1473: BF16 by hand. Half precision: values of IEEE 754 binary16.
void LlmModelFilesTest::widensExactly() {
    const auto widen = [](Dtype dtype, std::vector<std::uint16_t> raw) {
        return toFloats({"t",
                         dtype,
                         {static_cast<std::int64_t>(raw.size())},
                         reinterpret_cast<std::byte*>(raw.data()),
                         raw.size() * 2});
    };
    const auto bf16 = widen(Dtype::BF16, {0x3F80, 0xFF80, 0x7FC0, 0x0001});
    QCOMPARE(bf16[0], 1.0F);
    QCOMPARE(bf16[1], -INFINITY);
    QVERIFY(std::isnan(bf16[2]));
    QCOMPARE(std::bit_cast<std::uint32_t>(bf16[3]), 0x00010000u);
    const auto half =
        widen(Dtype::F16, {0x3C00, 0xC000, 0x7BFF, 0x0001, 0x8001, 0x03FF, 0x0400, 0x7C00, 0x7E00, 0x8000});
    const float expected[] = {1, -2, 65504, 0x1p-24F, -0x1p-24F, 0x1.FF8p-15F, 0x1p-14F, INFINITY};
    for (std::size_t i = 0; i < 8; ++i) QCOMPARE(half[i], expected[i]);
    QVERIFY(std::isnan(half[8]));
    QVERIFY(half[9] == 0 && std::signbit(half[9]));
    std::int64_t wide = 1;
    QVERIFY_THROWS_EXCEPTION(Error, toFloats({"t", Dtype::I64, {1}, reinterpret_cast<std::byte*>(&wide), 8}));
}

void LlmModelFilesTest::refusesBadFiles_data() {
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<QString>("names");
    const auto row = [](const char* name, const std::string& bytes, const char* names) {
        QTest::newRow(name) << QByteArray::fromStdString(bytes) << QString(names);
    };
    const std::string good = R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})";
    row("empty", "", "0 bytes");
    row("7 bytes", "1234567", "7 bytes");
    row("size field 2^60", rawFile(good, 8, std::uint64_t(1) << 60), "1152921504606846976");
    row("size field past the end", rawFile(good, 8, 5000), "truncated");
    row("no JSON", rawFile("{\"a\": ", 0), "not JSON");
    row("array", rawFile("[1]", 0), "does not start with {");
    row("truncated data", rawFile(good, 7), "truncated");
    row("too much data", rawFile(good, 9), "belong to none");
    row("offset past 2^63",
        rawFile(R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[18446744073709551614,18446744073709551615]}})", 8),
        "too large");
    row("offsets reversed", rawFile(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[8,0]}})", 8), "offsets");
    row("negative", rawFile(R"({"a":{"dtype":"F32","shape":[-2],"data_offsets":[0,8]}})", 8), "negative");
    row("shape disagrees", rawFile(R"({"a":{"dtype":"F32","shape":[3],"data_offsets":[0,8]}})", 8), "needs 12 bytes");
    row("shape overflows",
        rawFile(R"({"a":{"dtype":"F32","shape":[4611686018427387904,4611686018427387904],"data_offsets":[0,8]}})", 8),
        "overflows");
    row("shape overflows to 0",
        rawFile(R"({"a":{"dtype":"U8","shape":[4611686018427387904,4,0],"data_offsets":[0,0]}})", 0), "overflows");
    row("overlap",
        rawFile(
            R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},"b":{"dtype":"F32","shape":[2],"data_offsets":[4,12]}})",
            12),
        "overlaps");
    row("gap", rawFile(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[4,12]}})", 12), "gap");
    row("unknown dtype", rawFile(R"({"a":{"dtype":"F8_E4M3","shape":[8],"data_offsets":[0,8]}})", 8), "F8_E4M3");
    row("same key twice",
        rawFile(
            R"({"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]},"a":{"dtype":"U8","shape":[4],"data_offsets":[4,8]}})",
            8),
        "twice");
    row("same field twice", rawFile(R"({"a":{"dtype":"F32","dtype":"F32","shape":[2],"data_offsets":[0,8]}})", 8),
        "twice");
    row("no shape", rawFile(R"({"a":{"dtype":"F32","data_offsets":[0,8]}})", 8), "no shape");
    row("extra field", rawFile(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8],"x":"y"}})", 8), "x");
    row("three offsets", rawFile(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8,8]}})", 8), "two numbers");
    row("a tensor that is a number", rawFile(R"({"a":7})", 0), "number");
    row("fraction", rawFile(R"({"a":{"dtype":"F32","shape":[2.0],"data_offsets":[0,8]}})", 8), "no integer");
    row("metadata no string", rawFile(R"({"__metadata__":{"a":1}})", 0), "number");
    row("nested", rawFile(R"({"a":{"shape":[[2]]}})", 0), "array");
    std::string deep = "{\"a\":";
    for (int i = 0; i < 200000; ++i) deep += "{\"a\":";
    row("deep", rawFile(deep, 0), "object");
    std::string wide = R"({"a":{"dtype":"F32","shape":[)";
    for (int i = 0; i < 100000; ++i) wide += "1,";
    row("many dimensions", rawFile(wide + "2],\"data_offsets\":[0,8]}}", 8), "dimensions");
    row("no UTF-8", rawFile("{\"\xFF\xFE\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8]}}", 8), "not JSON");
}

void LlmModelFilesTest::refusesBadFiles() {
    QFETCH(QByteArray, bytes);
    QFETCH(QString, names);
    const Folder folder;
    const fs::path file = folder.write("model.safetensors", bytes.toStdString());
    const std::string message = failure([&] { TensorFiles{file}; });
    QVERIFY2(message.starts_with("bad_safetensors: " + file.string()), message.c_str());
    QVERIFY2(QString::fromStdString(message).contains(names), message.c_str());
}

// safetensors #668: the limit is not on headers of this size.
void LlmModelFilesTest::takesAHeaderOf100000Bytes() {
    std::string header = R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})";
    header.resize(100000, ' ');
    const Folder folder;
    QCOMPARE(TensorFiles(folder.write("a.safetensors", rawFile(header, 8))).tensors().size(), std::size_t(1));
    const TensorFiles none(folder.write("b.safetensors", rawFile("{}", 0)));
    QVERIFY(none.tensors().empty());
}

void LlmModelFilesTest::refusesBadShards() {
    const Folder folder;
    const std::string good = R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})";
    folder.write("one.safetensors", rawFile(good, 8));
    folder.write("two.safetensors", rawFile(good, 8));
    const auto refused = [&](const std::string& index, const char* names) {
        folder.write("model.safetensors.index.json", index);
        const std::string message = failure([&] { TensorFiles{folder.path()}; });
        return message.find(names) != std::string::npos;
    };
    QVERIFY(refused("{", "not JSON"));
    QVERIFY(refused("{}", "weight_map"));
    QVERIFY(refused(R"({"weight_map": {}})", "no shard"));
    QVERIFY(refused(R"({"weight_map": {"a": 3}})", "file name"));
    QVERIFY(refused(R"({"weight_map": {"a": "../one.safetensors"}})", "plain file name"));
    QVERIFY(refused(R"({"weight_map": {"a": "three.safetensors"}})", "three.safetensors"));
    QVERIFY(refused(R"({"weight_map": {"b": "one.safetensors"}})", "\"b\""));
    QVERIFY(refused(R"({"weight_map": {"a": "one.safetensors", "b": "two.safetensors"}})", "another shard"));
    folder.write("one.safetensors", rawFile(good, 5));
    QVERIFY(refused(R"({"weight_map": {"a": "one.safetensors"}})", "truncated"));
    std::string deep = "{\"weight_map\":";
    for (int i = 0; i < 100000; ++i) deep += "[";
    QVERIFY(refused(deep, "nested deeper"));
    fs::remove(folder.path() / "model.safetensors.index.json");
    QVERIFY(failure([&] { TensorFiles{folder.path()}; }).find("no model.safetensors") != std::string::npos);
}

void LlmModelFilesTest::writesWhatItReads() {
    const Folder folder;
    const fs::path file = folder.path() / "x.safetensors";
    const std::vector<float> floats = {1, 2, 3, -4};
    const std::vector<std::uint8_t> odd = {7, 8, 9};
    const auto view = [](const char* name, Dtype dtype, std::vector<std::int64_t> shape, const auto& values) {
        return TensorView{name, dtype, std::move(shape), reinterpret_cast<const std::byte*>(values.data()),
                          values.size() * sizeof(values[0])};
    };
    const std::vector<TensorView> tensors = {view("odd", Dtype::U8, {3}, odd),
                                             view("b \"ü\"", Dtype::F32, {2, 2}, floats)};
    writeSafetensors(file, tensors, {{"format", "pt"}, {"note", "ü"}});
    const TensorFiles read(file);
    QCOMPARE(read.metadata().at("note"), std::string("ü"));
    QCOMPARE(toFloats(*read.find("b \"ü\"")), floats);
    QCOMPARE(toFloats(*read.find("odd")), (std::vector<float>{7, 8, 9}));
    // Data begin at a multiple of 64, fp32 first, so it is aligned in memory.
    QCOMPARE(reinterpret_cast<std::uintptr_t>(read.find("b \"ü\"")->data) % 64, std::uintptr_t(0));
    writeSafetensors(file, {}, {});
    QVERIFY(TensorFiles(file).tensors().empty());
    QVERIFY_THROWS_EXCEPTION(Error, writeSafetensors(file, {tensors[0], tensors[0]}));
    QVERIFY_THROWS_EXCEPTION(Error, writeSafetensors(folder.path() / "no" / "x.safetensors", tensors));
    QCOMPARE(std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator()), std::ptrdiff_t(1));
}

void LlmModelFilesTest::readsConfigs() {
    const ModelConfig plain = configOf(Json::object());
    QCOMPARE(plain.headDim, 16);
    QCOMPARE(plain.rope.theta, 10000.0);
    QVERIFY(plain.tieEmbeddings);
    const ModelConfig biased = configOf({{"attention_bias", true}, {"mlp_bias", true}, {"head_dim", nullptr}});
    QVERIFY(biased.qkvBias && biased.oBias && biased.mlpBias);
    const ModelConfig linear = configOf({{"rope_scaling", {{"type", "linear"}, {"factor", 2.0}}}});
    QVERIFY(linear.rope.type == RopeType::Linear && linear.rope.factor == 2);
    // transformers 5 puts theta and scaling into one object.
    const ModelConfig five = configOf({{"rope_parameters",
                                        {{"rope_type", "llama3"},
                                         {"rope_theta", 7.0},
                                         {"factor", 8},
                                         {"low_freq_factor", 1},
                                         {"high_freq_factor", 4},
                                         {"original_max_position_embeddings", 64}}},
                                       {"dtype", "bfloat16"}});
    QVERIFY(five.rope.type == RopeType::Llama3 && five.rope.theta == 7 && five.rope.originalPositions == 64);
    QVERIFY(five.dtype == Dtype::BF16);
    // Windows: mistral's is for all layers, qwen's is off unless asked for and starts late.
    QCOMPARE(configOf({{"model_type", "mistral"}, {"sliding_window", 32}}).slidingWindow.value(), 32);
    QVERIFY(!configOf({{"model_type", "mistral"}, {"sliding_window", nullptr}}).slidingWindow);
    QVERIFY(!configOf({{"model_type", "qwen2"}, {"sliding_window", 32}}).slidingWindow);
    const ModelConfig late = configOf(
        {{"model_type", "qwen2"}, {"sliding_window", 32}, {"use_sliding_window", true}, {"max_window_layers", 1}});
    QCOMPARE(late.slidingLayers, (std::vector<bool>{false, true}));
    const Folder folder;
    folder.write("config.json", smallConfig().dump());
    folder.write("generation_config.json", R"({"eos_token_id": [9, 7, 9], "repetition_penalty": 1.05})");
    QCOMPARE(readConfig(folder.path()).eosIds, (std::vector<std::int32_t>{7, 9}));
    QCOMPARE(readConfig(folder.path()).repetitionPenalty, 1.05);
}

void LlmModelFilesTest::refusesConfigs_data() {
    QTest::addColumn<QString>("patch");
    QTest::addColumn<QString>("names");
    const auto row = [](const char* patch, const char* names) {
        QTest::newRow(patch) << QString(patch) << QString(names);
    };
    row(R"({"model_type": "gemma2"})", "gemma2");
    row(R"({"model_type": null})", "model_type");
    row(R"({"hidden_act": "gelu"})", "gelu");
    row(R"({"quantization_config": {"quant_method": "gptq"}})", "gptq");
    row(R"({"rope_scaling": {"rope_type": "yarn", "factor": 4}})", "yarn");
    row(R"({"rope_scaling": {"rope_type": "linear"}})", "factor is missing");
    row(R"({"rope_parameters": {"full_attention": {}}})", "layer type");
    row(R"({"partial_rotary_factor": 0.5})", "partial_rotary_factor");
    row(R"({"hidden_size": null})", "hidden_size is missing");
    row(R"({"hidden_size": -64})", "hidden_size");
    row(R"({"hidden_size": 18446744073709551615})", "hidden_size");
    row(R"({"hidden_size": "64"})", "hidden_size");
    row(R"({"num_hidden_layers": 100000000})", "num_hidden_layers");
    row(R"({"num_key_value_heads": 3})", "evenly");
    row(R"({"head_dim": 15})", "even");
    row(R"({"rms_norm_eps": 0})", "rms_norm_eps");
    row(R"({"tie_word_embeddings": "yes"})", "tie_word_embeddings");
    row(R"({"torch_dtype": "float8_e4m3fn"})", "float8_e4m3fn");
    row(R"({"eos_token_id": "x"})", "eos_token_id");
    row(R"({"model_type": "qwen2", "use_sliding_window": true, "sliding_window": 8, "layer_types": ["chunked_attention", "x"]})",
        "chunked");
}

void LlmModelFilesTest::refusesConfigs() {
    QFETCH(QString, patch);
    QFETCH(QString, names);
    const std::string message = failure([&] { configOf(Json::parse(patch.toStdString())); });
    QVERIFY2(message.starts_with("bad_model: "), message.c_str());
    QVERIFY2(QString::fromStdString(message).contains(names), message.c_str());
}

void LlmModelFilesTest::namesModelsByContent() {
    CANDOR_NEED_SHARED();
    const fs::path source = testing::shared() / "fixtures" / "models" / "qwen2-sharded-bf16";
    const std::string before = modelHash(source);
    const TensorFiles files(source);
    const Folder folder;
    // One file in place of four shards, and another spelling of the configuration: the same model.
    writeSafetensors(folder.path() / "model.safetensors", files.tensors(), {});
    Json config = Json::parse(std::ifstream(source / "config.json"));
    config["rope_theta"] = config["rope_parameters"]["rope_theta"];
    config.erase("rope_parameters");
    config["transformers_version"] = "4.46.0";
    folder.write("config.json", config.dump());
    QCOMPARE(modelHash(folder.path()), before);
    // One changed weight, or another theta: another model.
    config["rope_theta"] = 5.0;
    folder.write("config.json", config.dump());
    QVERIFY(modelHash(folder.path()) != before);
    config["rope_theta"] = 1000000.0;
    folder.write("config.json", config.dump());
    std::vector<TensorView> tensors = files.tensors();
    const TensorView& norm = *files.find("model.norm.weight");
    std::vector<std::byte> changed(norm.data, norm.data + norm.bytes);
    changed[3] ^= std::byte{1};
    for (TensorView& tensor : tensors)
        if (tensor.name == norm.name) tensor.data = changed.data();
    writeSafetensors(folder.path() / "model.safetensors", tensors, {});
    QVERIFY(modelHash(folder.path()) != before);
}

void LlmModelFilesTest::resolvesHubCaches() {
    const Folder folder;
    const auto snapshot = [&](const char* revision) {
        fs::create_directories(folder.path() / "snapshots" / revision);
        folder.write(std::string("snapshots/") + revision + "/config.json", "{}");
    };
    QVERIFY_THROWS_EXCEPTION(InputError, resolveModelFolder(folder.path()));
    snapshot("aaa");
    snapshot("bbb");
    fs::create_directories(folder.path() / "refs");
    folder.write("refs/main", "aaa\n");
    QCOMPARE(resolveModelFolder(folder.path()).filename(), fs::path("aaa"));
    QCOMPARE(resolveModelFolder(folder.path() / "snapshots" / "bbb").filename(), fs::path("bbb"));
    QVERIFY_THROWS_EXCEPTION(InputError, resolveModelFolder(folder.path() / "nothing"));
}

CANDOR_TEST(LlmModelFilesTest);
#include "llm_model_files_test.moc"
