// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/confidence/scorer.h"
#include "core/error.h"
#include "tests/testing.h"

using candor::EngineOptions;
using candor::Scorer;
using Json = nlohmann::json;

namespace {

Json read(const std::filesystem::path& file) {
    std::ifstream stream(file);
    return Json::parse(stream);
}

EngineOptions exact(const std::string& readPosition = "last") {
    EngineOptions options;
    options.dtype = "fp32";
    options.device = "cpu";
    options.readPosition = readPosition;
    return options;
}

double worst(const std::vector<double>& a, const std::vector<double>& b) {
    double result = a.size() == b.size() ? 0 : 1;
    for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) result = std::max(result, std::abs(a[i] - b[i]));
    return result;
}

std::vector<std::string> questionsOf(const std::filesystem::path& file, std::size_t limit) {
    std::ifstream stream(file);
    std::vector<std::string> questions;
    for (std::string line; questions.size() < limit && std::getline(stream, line);)
        questions.push_back(Json::parse(line)["question"].get<std::string>());
    return questions;
}

}  // namespace

class ConfidenceTest : public QObject {
    Q_OBJECT

    static std::filesystem::path fixtures() { return candor::testing::shared() / "fixtures"; }
    static std::vector<std::string> questions() {
        return read(fixtures() / "adapters.json")["questions"].get<std::vector<std::string>>();
    }

  private slots:
    void adaptersMatchPeft_data() {
        QTest::addColumn<QString>("adapter");
        QTest::addColumn<QString>("position");
        for (const char* adapter : {"plain", "causal-keys", "bin", "rslora", "qv-only", "patterns", "mlp-head"})
            for (const char* position : {"last", "eos", "padded"})
                QTest::addRow("%s %s", adapter, position) << adapter << position;
    }
    void adaptersMatchPeft() {
        CANDOR_NEED_SHARED();
        QFETCH(QString, adapter);
        QFETCH(QString, position);
        const Json expected =
            read(fixtures() / "adapters.json")["expected"][adapter.toStdString()][position.toStdString()];
        Scorer scorer(fixtures() / "models" / "qwen2", fixtures() / "adapters" / adapter.toStdString(),
                      exact(position.toStdString()));
        const double difference = worst(scorer.confidences(questions()), expected.get<std::vector<double>>());
        QVERIFY2(difference < 1e-5, qPrintable(QString::number(difference)));
    }

    void aConfidenceDoesNotDependOnItsBatch() {
        CANDOR_NEED_SHARED();
        const auto all = questions();
        for (const char* position : {"last", "eos"}) {
            Scorer scorer(fixtures() / "models" / "qwen2", fixtures() / "adapters" / "plain", exact(position));
            const auto together = scorer.confidences(all);
            std::vector<double> alone;
            for (const auto& question : all) alone.push_back(scorer.confidences(std::span(&question, 1))[0]);
            QVERIFY(worst(together, alone) < 1e-6);
            const std::vector<std::string> backwards(all.rbegin(), all.rend());
            auto turned = scorer.confidences(backwards);
            std::reverse(turned.begin(), turned.end());
            QVERIFY(worst(together, turned) < 1e-6);
        }
    }

    // Each padded batch is read at its own longest row: batches of 1 are the unpadded confidences.
    void paddedBatchesFollowFileOrder() {
        CANDOR_NEED_SHARED();
        const auto model = fixtures() / "models" / "qwen2", adapter = fixtures() / "adapters" / "plain";
        EngineOptions options = exact("padded");
        options.batch = 1;
        const auto singles = Scorer(model, adapter, options).confidences(questions());
        QVERIFY(worst(singles, Scorer(model, adapter, exact()).confidences(questions())) < 1e-6);
        options.batch = 3;
        const auto threes = Scorer(model, adapter, options).confidences(questions());
        const auto all = questions();
        const auto firstThree = Scorer(model, adapter, exact("padded")).confidences(std::span(all).first(3));
        QVERIFY(worst({threes.begin(), threes.begin() + 3}, firstThree) < 1e-6);
        QVERIFY(worst(threes, singles) > 1e-3);
    }

    void bf16StaysNear() {
        CANDOR_NEED_SHARED();
        EngineOptions options = exact();
        options.dtype = "bf16";
        const auto model = fixtures() / "models" / "qwen2", adapter = fixtures() / "adapters" / "plain";
        const auto half = Scorer(model, adapter, options).confidences(questions());
        const double difference = worst(half, Scorer(model, adapter, exact()).confidences(questions()));
        QVERIFY2(difference < 0.03 && difference > 0, qPrintable(QString::number(difference)));
    }

    void badInputIsRefused() {
        CANDOR_NEED_SHARED();
        const auto model = fixtures() / "models" / "qwen2", adapter = fixtures() / "adapters" / "plain";
        EngineOptions position = exact("first"), device = exact(), dtype = exact();
        device.device = "tpu";
        dtype.dtype = "fp8";
        QVERIFY_EXCEPTION_THROWN(Scorer(model, adapter, position), candor::InputError);
        QVERIFY_EXCEPTION_THROWN(Scorer(model, adapter, device), candor::InputError);
        QVERIFY_EXCEPTION_THROWN(Scorer(model, adapter, dtype), candor::InputError);
        QVERIFY_EXCEPTION_THROWN(Scorer(model, model, exact()), candor::InputError);
        QVERIFY_EXCEPTION_THROWN(Scorer(model, fixtures() / "smollm2" / "adapter", exact()), candor::InputError);
        QVERIFY_EXCEPTION_THROWN(Scorer(model, fixtures() / "adapters_refused" / "all-b-zero", exact()),
                                 candor::InputError);
    }

    // A sample of rows of each set; CANDOR_ALL_ROWS takes every row (minutes on two cores).
    void smollm2MatchesPeft_data() {
        QTest::addColumn<QString>("set");
        for (const char* set : {"eval_pararel", "eval_popqa", "ood_nq", "ood_wq"}) QTest::newRow(set) << set;
    }
    void smollm2MatchesPeft() {
        CANDOR_NEED_SHARED();
        CANDOR_NEED_SMOLLM2();
        QFETCH(QString, set);
        const std::size_t limit = qEnvironmentVariableIsSet("CANDOR_ALL_ROWS") ? SIZE_MAX : 24;
        auto expected = read(fixtures() / "smollm2" / "confidences.json")[set.toStdString()].get<std::vector<double>>();
        const auto questions = questionsOf(
            candor::testing::shared() / "data" / "honestybench_smollm2" / (set.toStdString() + ".jsonl"), limit);
        expected.resize(std::min(expected.size(), limit));
        Scorer scorer(candor::testing::smollm2(), fixtures() / "smollm2" / "adapter", exact());
        const double difference = worst(scorer.confidences(questions), expected);
        QVERIFY2(difference < 1e-5, qPrintable(QString::number(difference)));
    }
};

CANDOR_TEST(ConfidenceTest);
#include "confidence_test.moc"
