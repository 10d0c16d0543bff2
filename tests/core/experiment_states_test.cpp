// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTemporaryDir>
#include <cmath>
#include <fstream>

#include "core/error.h"
#include "core/experiment/half.h"
#include "core/experiment/state_cache.h"
#include "core/experiment/states.h"
#include "tests/testing.h"

using namespace candor;

namespace {

StateInfo infoOf(StateDtype dtype) {
    StateInfo info;
    info.key = "abc";
    info.model = "m";
    info.provenance = R"({"dtype": "fp32"})";
    info.width = 3;
    info.dtype = dtype;
    return info;
}

// A backbone whose state of a question is (length, first character, call count).
class CountingBackbone : public Backbone {
  public:
    int computed = 0;
    std::string provenance() const override { return R"({"model": "counting"})"; }
    std::string stateKey(int layer) const override { return "counting" + std::to_string(layer); }
    int width() const override { return 2; }
    std::vector<float> hiddenStates(std::span<const std::string> questions, const EventSink&, std::stop_token,
                                    int) override {
        std::vector<float> all;
        for (const std::string& q : questions) {
            all.push_back(static_cast<float>(q.size()));
            all.push_back(static_cast<float>(q.front()));
            ++computed;
        }
        return all;
    }
    std::unique_ptr<Objective> lora(const AdapterOptions&, std::span<const std::string>, std::uint64_t) override {
        throw Error("not here");
    }
    void saveAdapter(Objective&, const AdapterOptions&, const std::filesystem::path&, const std::string&) override {}
};

}  // namespace

class ExperimentStatesTest : public QObject {
    Q_OBJECT

  private slots:
    void halvesRound() {
        for (int h = 0; h < 0x10000; ++h) {
            const float value = fromHalf(static_cast<std::uint16_t>(h));
            if (!std::isnan(value)) QCOMPARE(toHalf(value), static_cast<std::uint16_t>(h));
        }
        QCOMPARE(toHalf(1.0F), 0x3c00);
        QCOMPARE(toHalf(1.0F + 0x1p-11F), 0x3c00);  // a tie goes to even
        QCOMPARE(toHalf(1.0F + 3 * 0x1p-11F), 0x3c02);
        QCOMPARE(toHalf(65520.0F), 0x7c00);
        QCOMPARE(toHalf(65519.0F), 0x7bff);
        QCOMPARE(toHalf(0x1p-25F), 0);
        QCOMPARE(toHalf(-0x1.8p-25F), 0x8001);
        QVERIFY(std::isnan(fromHalf(toHalf(NAN))));
    }

    void whatIsWrittenIsRead() {
        for (const StateDtype dtype : {StateDtype::Fp32, StateDtype::Fp16}) {
            QTemporaryDir dir;
            const auto file = statesFile(dir.path().toStdString(), "abc");
            const std::vector<std::string> questions = {"one", "two", "one", "dréi"};
            const std::vector<float> matrix = {1, 2, 3, 4, 5, 6, 1, 2, 3, 0.5F, -0.25F, 1024};
            writeStates(file, infoOf(dtype), questions, matrix);
            appendStates(file, infoOf(dtype), std::vector<std::string>{"two", "four"},
                         std::vector<float>{9, 9, 9, 7, 8, 9});
            const StateCache cache = StateCache::open(file);
            QCOMPARE(cache.info().rows, 4);
            QCOMPARE(cache.info().bytes, std::filesystem::file_size(file));
            QCOMPARE(cache.info().model, std::string("m"));
            QVERIFY(!cache.contains("three"));
            const std::vector<std::string> asked = {"four", "dréi", "two"};
            QCOMPARE(cache.read(asked), (std::vector<float>{7, 8, 9, 0.5F, -0.25F, 1024, 4, 5, 6}));
            QVERIFY_EXCEPTION_THROWN(cache.read(std::vector<std::string>{"three"}), Error);
            QCOMPARE(listStates(dir.path().toStdString()).size(), std::size_t{1});
        }
    }

    void everyDamagedByteIsNoticed() {
        QTemporaryDir dir;
        const auto file = statesFile(dir.path().toStdString(), "abc");
        writeStates(file, infoOf(StateDtype::Fp32), std::vector<std::string>{"q", "r"},
                    std::vector<float>{1, 2, 3, 4, 5, 6});
        const auto size = static_cast<std::streamoff>(std::filesystem::file_size(file));
        for (std::streamoff at = 0; at < size; ++at) {
            std::fstream f(file, std::ios::in | std::ios::out | std::ios::binary);
            f.seekg(at);
            const char kept = static_cast<char>(f.get());
            f.seekp(at);
            f.put(static_cast<char>(kept ^ 0x10));
            f.flush();
            bool noticed = false;
            try {
                noticed = StateCache::open(file).info().rows == 0;  // a length that leads past the end: cut off
            } catch (const Error& error) {
                noticed = std::string(error.what()).find("abc.states") != std::string::npos;
            }
            QVERIFY2(noticed, std::to_string(at).c_str());
            f.seekp(at);
            f.put(kept);
        }
    }

    void aCutOffAppendIsOverwritten() {
        QTemporaryDir dir;
        const auto file = statesFile(dir.path().toStdString(), "abc");
        const StateInfo info = infoOf(StateDtype::Fp32);
        writeStates(file, info, std::vector<std::string>{"q"}, std::vector<float>{1, 2, 3});
        const auto whole = std::filesystem::file_size(file);
        appendStates(file, info, std::vector<std::string>{"r"}, std::vector<float>{4, 5, 6});
        std::filesystem::resize_file(file, std::filesystem::file_size(file) - 5);
        QCOMPARE(StateCache::open(file).info().rows, 1);
        QCOMPARE(StateCache::open(file).info().bytes, whole);
        appendStates(file, info, std::vector<std::string>{"s"}, std::vector<float>{7, 8, 9});
        QCOMPARE(StateCache::open(file).read(std::vector<std::string>{"s", "q"}),
                 (std::vector<float>{7, 8, 9, 1, 2, 3}));
    }

    void twoWritersDoNotLoseEachOthersRows() {
        QTemporaryDir dir;
        const auto file = statesFile(dir.path().toStdString(), "abc");
        writeStates(file, infoOf(StateDtype::Fp16), {}, {});
        StateCache one = StateCache::open(file), other = StateCache::open(file);
        one.append(std::vector<std::string>{"q", "r"}, std::vector<float>{1, 2, 3, 4, 5, 6});
        other.append(std::vector<std::string>{"s", "r"}, std::vector<float>{7, 8, 9, 0, 0, 0});
        one.append(std::vector<std::string>{"t"}, std::vector<float>{3, 2, 1});
        const std::vector<std::string> all = {"t", "s", "r", "q"};
        const std::vector<float> expected = {3, 2, 1, 7, 8, 9, 4, 5, 6, 1, 2, 3};
        QCOMPARE(one.read(all), expected);
        QCOMPARE(StateCache::open(file).read(all), expected);
        QCOMPARE(one.info().bytes, std::filesystem::file_size(file));
    }

    void statesAreComputedOnceAndThenCached() {
        QTemporaryDir dir;
        const std::filesystem::path folder = dir.path().toStdString();
        auto model = std::make_shared<CountingBackbone>();
        const BackboneSource source = [&](const ExperimentSpec&) { return model; };
        ExperimentSpec spec;
        spec.model = "m";
        const std::vector<std::string> few = {"a", "bb"}, more = {"bb", "ccc", "a", "ccc"};
        {
            LazyBackbone lazy(spec, source);
            loadStates(spec, folder, few, lazy, {}, {});
            QCOMPARE(model->computed, 2);
        }
        {
            LazyBackbone lazy(spec, source);
            const LoadedStates states = loadStates(spec, folder, more, lazy, {}, {});
            QCOMPARE(model->computed, 3);
            QCOMPARE(states.matrix->values, (std::vector<float>{2, 'b', 3, 'c', 1, 'a', 3, 'c'}));
        }
        LazyBackbone none(spec, {});
        QCOMPARE(loadStates(spec, folder, few, none, {}, {}).matrix->rows, std::size_t{2});
        spec.layer = 3;  // other states
        QVERIFY_EXCEPTION_THROWN(loadStates(spec, folder, few, none, {}, {}), Error);
    }

    void aDamagedFileIsSetAsideAndComputedAgain() {
        QTemporaryDir dir;
        const std::filesystem::path folder = dir.path().toStdString();
        auto model = std::make_shared<CountingBackbone>();
        const BackboneSource source = [&](const ExperimentSpec&) { return model; };
        ExperimentSpec spec;
        spec.model = "m";
        const std::vector<std::string> questions = {"a", "bb"};
        LazyBackbone first(spec, source), second(spec, source);
        loadStates(spec, folder, questions, first, {}, {});
        const auto file = statesFile(folder, "counting-1");
        {
            std::fstream f(file, std::ios::in | std::ios::out | std::ios::binary);
            f.seekp(-2, std::ios::end);
            f.put('x');
        }
        std::string said;
        const auto hear = [&](const Event& e) { said += e.text; };
        const LoadedStates states = loadStates(spec, folder, questions, second, hear, {});
        QCOMPARE(states.matrix->values, (std::vector<float>{1, 'a', 2, 'b'}));
        QCOMPARE(model->computed, 4);
        QVERIFY(said.find("damaged") != std::string::npos);
        QVERIFY(std::filesystem::exists(file.string() + ".damaged"));
    }
};

CANDOR_TEST(ExperimentStatesTest);
#include "experiment_states_test.moc"
