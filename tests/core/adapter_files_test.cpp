// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/confidence/adapter_files.h"

#include <QTemporaryDir>
#include <QtTest>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/confidence/pt_file.h"
#include "core/error.h"
#include "tests/testing.h"

using namespace candor;
namespace fs = std::filesystem;
using Json = nlohmann::json;

namespace {

fs::path fixtures() { return testing::shared() / "fixtures"; }
ModelConfig tiny() { return readConfig(fixtures() / "models" / "qwen2"); }

std::string failure(const std::function<void()>& call) {
    try {
        call();
    } catch (const InputError& error) {
        return error.code() + ": " + error.what();
    }
    return {};
}

bool names(const std::string& message, const char* what) {
    return message.starts_with("bad_") && message.find(what) != std::string::npos;
}

class Folder {
  public:
    fs::path path() const { return fs::path(folder_.path().toStdString()); }
    // A copy of a fixture whose adapter_config.json is changed by `patch`.
    fs::path copy(const char* fixture, const Json& patch = Json::object()) const {
        const fs::path to = path() / "adapter";
        fs::remove_all(to);
        fs::copy(fixtures() / "adapters" / fixture, to);
        fs::permissions(to, fs::perms::owner_all, fs::perm_options::add);
        Json json = Json::parse(std::ifstream(to / "adapter_config.json"));
        fs::remove(to / "adapter_config.json");
        json.merge_patch(patch);
        std::ofstream(to / "adapter_config.json") << json;
        return to;
    }

  private:
    QTemporaryDir folder_;
};

const LoraWeights& find(const Adapter& adapter, int layer, const std::string& module) {
    for (const LoraWeights& lora : adapter.lora)
        if (lora.layer == layer && lora.module == module) return lora;
    throw Error("no " + module);
}

Adapter smallAdapter(const ModelConfig& model, bool mlp) {
    Adapter adapter;
    adapter.config.r = 2;
    adapter.config.alpha = 6;
    adapter.config.targets = {"q_proj", "down_proj"};
    adapter.config.baseModel = "models/qwen2";
    float value = 0.5F;
    const auto fill = [&](std::size_t size) {
        std::vector<float> values(size);
        for (float& v : values) v = value = std::fmod(value * 1.37F + 0.11F, 1.0F);
        return values;
    };
    for (int layer = 0; layer < model.layers; ++layer)
        for (const ModuleSize& module : linearModules(model))
            if (module.name == "q_proj" || module.name == "down_proj")
                adapter.lora.push_back({layer, module.name, 2, 3, module.in, module.out,
                                        fill(2 * static_cast<std::size_t>(module.in)),
                                        fill(2 * static_cast<std::size_t>(module.out))});
    const int d = model.hiddenSize;
    const std::vector<int> sizes = mlp ? std::vector<int>{d, d / 2, d / 4, 1} : std::vector<int>{d, 1};
    for (std::size_t i = 0; i + 1 < sizes.size(); ++i)
        adapter.head.layers.push_back({sizes[i], sizes[i + 1], fill(static_cast<std::size_t>(sizes[i] * sizes[i + 1])),
                                       fill(static_cast<std::size_t>(sizes[i + 1]))});
    return adapter;
}

}  // namespace

class AdapterFilesTest : public QObject {
    Q_OBJECT

  private slots:
    void readsFixtures_data();
    void readsFixtures();
    void scalesAsPeft();
    void binEqualsSafetensors();
    void readsRealAdapter();
    void refusesFixtures_data();
    void refusesFixtures();
    void refusesVariants_data();
    void refusesVariants();
    void matchesTargetsByRegex();
    void warnsOfIdlePattern();
    void findsHeadBesideFolder();
    void refusesHeads();
    void writesAndReads_data();
    void writesAndReads();
    void replacesWholeFolder();
};

void AdapterFilesTest::readsFixtures_data() {
    QTest::addColumn<int>("modules");
    QTest::addColumn<int>("headLayers");
    for (const char* name : {"plain", "causal-keys", "bin", "rslora", "patterns"}) QTest::newRow(name) << 7 << 1;
    QTest::newRow("qv-only") << 2 << 1;
    QTest::newRow("mlp-head") << 7 << 3;
}

void AdapterFilesTest::readsFixtures() {
    CANDOR_NEED_SHARED();
    QFETCH(int, modules);
    QFETCH(int, headLayers);
    const std::string name = QTest::currentDataTag();
    const Adapter adapter = readAdapter(fixtures() / "adapters" / name, tiny(), true);
    QCOMPARE(adapter.lora.size(), static_cast<std::size_t>(3 * modules));
    QCOMPARE(adapter.head.layers.size(), static_cast<std::size_t>(headLayers));
    QCOMPARE(adapter.config.causalKeys, name == "causal-keys");
    QCOMPARE(adapter.warnings.size(), std::size_t(0));
    int layer = 0;
    for (const LoraWeights& lora : adapter.lora) {
        QCOMPARE(lora.a.size(), static_cast<std::size_t>(lora.r * lora.in));
        QCOMPARE(lora.b.size(), static_cast<std::size_t>(lora.r * lora.out));
        QVERIFY(lora.layer >= layer);
        layer = lora.layer;
    }
    QCOMPARE(adapter.head.layers.front().in, 64);
    QCOMPARE(adapter.head.layers.back().out, 1);
}

// sglang #40835, peft #3582 and others: the scale of rsLoRA and of patterns.
void AdapterFilesTest::scalesAsPeft() {
    CANDOR_NEED_SHARED();
    const Adapter rslora = readAdapter(fixtures() / "adapters" / "rslora", tiny(), true);
    QCOMPARE(find(rslora, 1, "q_proj").scale, 16 / std::sqrt(4.0));
    const Adapter patterns = readAdapter(fixtures() / "adapters" / "patterns", tiny(), true);
    QCOMPARE(find(patterns, 0, "q_proj").r, 2);
    QCOMPARE(find(patterns, 0, "q_proj").scale, 8.0);
    QCOMPARE(find(patterns, 2, "down_proj").scale, 4.0);
    QCOMPARE(find(patterns, 2, "k_proj").scale, 2.0);
}

void AdapterFilesTest::binEqualsSafetensors() {
    CANDOR_NEED_SHARED();
    const auto tensors = readPt(fixtures() / "adapters" / "bin" / "adapter_model.bin");
    QCOMPARE(tensors.size(), std::size_t(42));
    QVERIFY(tensors.front().name.starts_with("base_model.model.layers.0."));
}

void AdapterFilesTest::readsRealAdapter() {
    CANDOR_NEED_SHARED();
    const ModelConfig model = readConfig(testing::shared() / "models" / "smollm2-135m-instruct");
    const Adapter adapter = readAdapter(fixtures() / "smollm2" / "adapter", model, true);
    QVERIFY(adapter.lora.size() >= 30);
    QCOMPARE(adapter.head.layers.front().in, 576);
}

void AdapterFilesTest::refusesFixtures_data() {
    QTest::addColumn<QString>("word");
    QTest::newRow("all-b-zero") << "zero";
    QTest::newRow("dora") << "DoRA";
    QTest::newRow("extra-tensor") << "extra tensor";
    QTest::newRow("missing-tensor") << "missing tensor";
    QTest::newRow("no-alpha") << "lora_alpha";
    QTest::newRow("unknown-target") << "unknown target \"qkv\"";
    QTest::newRow("wrong-shape") << "wrong shape";
}

void AdapterFilesTest::refusesFixtures() {
    CANDOR_NEED_SHARED();
    QFETCH(QString, word);
    const fs::path folder = fixtures() / "adapters_refused" / QTest::currentDataTag();
    const std::string message = failure([&] { readAdapter(folder, tiny(), true); });
    QVERIFY2(names(message, word.toUtf8()), message.c_str());
    // An adapter that training starts from has a zero B.
    if (word == "zero") QCOMPARE(readAdapter(folder, tiny(), false).lora.size(), std::size_t(21));
}

void AdapterFilesTest::refusesVariants_data() {
    QTest::addColumn<QString>("patch");
    QTest::addColumn<QString>("word");
    const auto row = [](const char* name, const char* patch, const char* word) {
        QTest::newRow(name) << QString(patch) << QString(word);
    };
    row("ia3", R"({"peft_type": "IA3"})", "IA3");
    row("no type", R"({"peft_type": null})", "peft_type");
    row("bias", R"({"bias": "all"})", "bias");
    row("lora bias", R"({"lora_bias": true})", "lora_bias");
    row("saved modules", R"({"modules_to_save": ["lm_head"]})", "modules_to_save");
    row("some layers", R"({"layers_to_transform": [1]})", "layers_to_transform");
    row("fan in", R"({"fan_in_fan_out": true})", "fan_in_fan_out");
    row("qalora", R"({"use_qalora": true})", "use_qalora");
    row("to come", R"({"use_newlora": {"a": 1}})", "use_newlora");
    row("pissa", R"({"init_lora_weights": "pissa"})", "pissa");
    row("no rank", R"({"r": null})", "r is missing");
    row("rank 0", R"({"r": 0})", "out of range");
    row("rank a word", R"({"r": "8"})", "integer");
    row("other rank", R"({"r": 4})", "wrong shape");
    row("no targets", R"({"target_modules": []})", "target_modules");
    row("one unknown target", R"({"target_modules": ["q_proj", "c_attn"]})", "c_attn");
    row("fewer targets", R"({"target_modules": ["q_proj"]})", "extra tensor");
    row("regex", R"({"target_modules": "(a"})", "target_modules");
    row("regex for nothing", R"({"target_modules": ".*c_attn"})", "unknown target");
    row("pattern", R"({"rank_pattern": {"(q": 4}})", "(q");
    row("pattern a number", R"({"rank_pattern": 3})", "rank_pattern");
}

void AdapterFilesTest::refusesVariants() {
    CANDOR_NEED_SHARED();
    QFETCH(QString, patch);
    QFETCH(QString, word);
    const Folder folder;
    // merge_patch drops a key whose patch is null: that is a missing key.
    const fs::path adapter = folder.copy("plain", Json::parse(patch.toStdString()));
    const std::string message = failure([&] { readAdapter(adapter, tiny(), true); });
    QVERIFY2(names(message, word.toUtf8()), message.c_str());
}

void AdapterFilesTest::matchesTargetsByRegex() {
    CANDOR_NEED_SHARED();
    const Folder folder;
    const char* regex = R"(layers\.\d+\.self_attn\.(q|v)_proj)";
    QCOMPARE(readAdapter(folder.copy("qv-only", {{"target_modules", regex}}), tiny(), true).lora.size(),
             std::size_t(6));
    const Json paths = {"self_attn.q_proj", "v_proj"};
    const Adapter adapter = readAdapter(folder.copy("qv-only", {{"target_modules", paths}}), tiny(), true);
    QCOMPARE(adapter.config.targets, (std::vector<std::string>{"q_proj", "v_proj"}));
    QCOMPARE(readAdapter(folder.copy("plain", {{"target_modules", "all-linear"}}), tiny(), true).lora.size(),
             std::size_t(21));
}

void AdapterFilesTest::warnsOfIdlePattern() {
    CANDOR_NEED_SHARED();
    const Folder folder;
    const Adapter adapter = readAdapter(folder.copy("plain", {{"alpha_pattern", {{"c_attn", 4}}}}), tiny(), true);
    QCOMPARE(adapter.warnings.size(), std::size_t(1));
    QVERIFY(adapter.warnings.front().find("c_attn") != std::string::npos);
}

// The paper's trees keep the head beside the adapter, with the same suffix.
void AdapterFilesTest::findsHeadBesideFolder() {
    CANDOR_NEED_SHARED();
    const Folder folder;
    const fs::path adapter = folder.copy("plain");
    fs::rename(adapter / "vector_head.pt", folder.path() / "vector_head_epoch_best.pt");
    QCOMPARE(readAdapter(adapter, tiny(), true).headFile.filename(), fs::path("vector_head_epoch_best.pt"));
    fs::copy(folder.path() / "vector_head_epoch_best.pt", folder.path() / "vector_head_epoch_3.pt");
    const std::string message = failure([&] { readAdapter(adapter, tiny(), true); });
    QVERIFY2(names(message, "several heads"), message.c_str());
    fs::rename(adapter, folder.path() / "lora_epoch_3");
    QCOMPARE(readAdapter(folder.path() / "lora_epoch_3/", tiny(), true).headFile.filename(),
             fs::path("vector_head_epoch_3.pt"));
    fs::remove(folder.path() / "vector_head_epoch_3.pt");
    fs::remove(folder.path() / "vector_head_epoch_best.pt");
    QVERIFY(names(failure([&] { readAdapter(folder.path() / "lora_epoch_3", tiny(), true); }), "no head"));
}

void AdapterFilesTest::refusesHeads() {
    const Folder folder;
    const fs::path file = folder.path() / "vector_head.pt";
    const std::vector<float> values(64, 0.25F);
    const auto tensor = [&](const char* name, std::vector<std::int64_t> shape, std::size_t count) {
        return TensorView{name, Dtype::F32, std::move(shape), reinterpret_cast<const std::byte*>(values.data()),
                          count * 4};
    };
    const auto refused = [&](std::vector<TensorView> tensors, const char* word) {
        writePt(file, tensors);
        return names(failure([&] { readHead(file, 64); }), word);
    };
    QVERIFY(refused({tensor("weight", {1, 64}, 64)}, "\"bias\""));
    QVERIFY(refused({tensor("weight", {1, 32}, 32), tensor("bias", {1}, 1)}, "wrong shape"));
    QVERIFY(refused({tensor("weight", {2, 32}, 64), tensor("bias", {2}, 2)}, "wrong shape"));
    QVERIFY(refused({tensor("weight", {1, 64}, 64), tensor("bias", {1}, 1), tensor("x", {1}, 1)}, "extra"));
    QVERIFY(refused({tensor("0.weight", {1, 64}, 64), tensor("0.bias", {1}, 1)}, "2.weight"));
    const float broken = std::nanf("");
    std::vector<TensorView> tensors = {tensor("weight", {1, 64}, 64), tensor("bias", {1}, 1)};
    tensors[1].data = reinterpret_cast<const std::byte*>(&broken);
    QVERIFY(refused(tensors, "not finite"));
    writePt(file, {tensor("module.weight", {1, 64}, 64), tensor("module.bias", {1}, 1)});
    QCOMPARE(readHead(file, 64).layers.front().weight, values);
}

void AdapterFilesTest::writesAndReads_data() {
    QTest::addColumn<bool>("mlp");
    QTest::addColumn<bool>("causal");
    QTest::newRow("linear") << false << false;
    QTest::newRow("mlp") << true << false;
    QTest::newRow("causal") << false << true;
}

void AdapterFilesTest::writesAndReads() {
    CANDOR_NEED_SHARED();
    QFETCH(bool, mlp);
    QFETCH(bool, causal);
    const ModelConfig model = tiny();
    Adapter adapter = smallAdapter(model, mlp);
    adapter.config.causalKeys = causal;
    const Folder folder;
    const fs::path target = folder.path() / "out";
    writeAdapter(target, adapter, model, R"({"seed": 3})");
    const Adapter read = readAdapter(target, model, true);
    QCOMPARE(read.config.causalKeys, causal);
    QCOMPARE(read.config.targets, adapter.config.targets);
    QCOMPARE(read.config.baseModel, adapter.config.baseModel);
    QCOMPARE(read.lora.size(), adapter.lora.size());
    for (std::size_t i = 0; i < read.lora.size(); ++i) {
        QCOMPARE(read.lora[i].a, adapter.lora[i].a);
        QCOMPARE(read.lora[i].b, adapter.lora[i].b);
        QCOMPARE(read.lora[i].scale, 3.0);
    }
    const HeadWeights other = readHead(target / "vector_head.safetensors", model.hiddenSize);
    QCOMPARE(read.head.layers.size(), adapter.head.layers.size());
    for (std::size_t i = 0; i < read.head.layers.size(); ++i) {
        QCOMPARE(read.head.layers[i].weight, adapter.head.layers[i].weight);
        QCOMPARE(read.head.layers[i].bias, adapter.head.layers[i].bias);
        QCOMPARE(other.layers[i].weight, adapter.head.layers[i].weight);
    }
    QCOMPARE(Json::parse(std::ifstream(target / "honesty_run.json"))["seed"].get<int>(), 3);
}

void AdapterFilesTest::replacesWholeFolder() {
    CANDOR_NEED_SHARED();
    const ModelConfig model = tiny();
    const Folder folder;
    const fs::path target = folder.path() / "out";
    writeAdapter(target, smallAdapter(model, true), model, "");
    std::ofstream(target / "stale.txt") << "old";
    writeAdapter(target, smallAdapter(model, false), model, "");
    QVERIFY(!fs::exists(target / "stale.txt"));
    QCOMPARE(readAdapter(target, model, true).head.layers.size(), std::size_t(1));
    // Nothing of the work is left beside it, and a folder of something else is not touched.
    QCOMPARE(std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator()), std::ptrdiff_t(1));
    fs::create_directory(folder.path() / "photos");
    std::ofstream(folder.path() / "photos" / "a.jpg") << "x";
    QVERIFY_THROWS_EXCEPTION(Error, writeAdapter(folder.path() / "photos", smallAdapter(model, false), model, ""));
    QVERIFY(fs::exists(folder.path() / "photos" / "a.jpg"));
    // What does not fit the model is refused before anything is written.
    Adapter wrong = smallAdapter(model, false);
    wrong.lora.front().b.pop_back();
    QVERIFY_THROWS_EXCEPTION(Error, writeAdapter(folder.path() / "new", wrong, model, ""));
    QVERIFY(!fs::exists(folder.path() / "new"));
}

CANDOR_TEST(AdapterFilesTest);
#include "adapter_files_test.moc"
