// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/llm/language_model.h"
#include "tests/testing.h"

using candor::LanguageModel;
using Json = nlohmann::json;

namespace {

Json read(const std::filesystem::path& file) {
    std::ifstream stream(file);
    return Json::parse(stream);
}

double largestDifference(const float* got, const Json& want) {
    double worst = 0;
    for (std::size_t i = 0; i < want.size(); ++i) worst = std::max(worst, std::abs(got[i] - want[i].get<double>()));
    return worst;
}

std::vector<double> logProbabilities(const float* logits, std::size_t count) {
    const double top = *std::max_element(logits, logits + count);
    double sum = 0;
    for (std::size_t i = 0; i < count; ++i) sum += std::exp(logits[i] - top);
    std::vector<double> result(count);
    for (std::size_t i = 0; i < count; ++i) result[i] = logits[i] - top - std::log(sum);
    return result;
}

void compareTop(const std::vector<double>& logProbability, const Json& top) {
    for (const auto& entry : top) {
        const double got = logProbability[entry[0].get<std::size_t>()];
        QVERIFY2(std::abs(got - entry[1].get<double>()) < 1e-4, qPrintable(QString::number(got)));
    }
    const auto best = std::max_element(logProbability.begin(), logProbability.end()) - logProbability.begin();
    QCOMPARE(static_cast<int>(best), top[0][0].get<int>());
}

// Greedy decoding without a cache, against ids and raw log-probabilities.
void compareGreedy(const LanguageModel& model, LanguageModel::Ids ids, const Json& want, const Json& logprobs) {
    const auto vocab = static_cast<std::size_t>(model.config().vocab);
    for (std::size_t i = 0; i < want.size(); ++i) {
        const auto logits = model.logits(std::span(&ids, 1));
        const auto values = logProbabilities(logits.data(), vocab);
        const auto best = std::max_element(values.begin(), values.end()) - values.begin();
        QCOMPARE(static_cast<int>(best), want[i].get<int>());
        QVERIFY(std::abs(values[best] - logprobs[i].get<double>()) < 1e-4);
        ids.push_back(static_cast<std::int32_t>(best));
    }
}

void compareRow(const LanguageModel& model, const Json& row) {
    const auto ids = row["ids"].get<LanguageModel::Ids>();
    const auto width = static_cast<std::size_t>(model.config().hiddenSize);
    const auto hidden = model.allHidden(ids);
    QCOMPARE(hidden.size(), ids.size() * width);
    QVERIFY(largestDifference(hidden.data(), row["first_hidden"]) < 1e-4);
    QVERIFY(largestDifference(hidden.data() + hidden.size() - width, row["last_hidden"]) < 1e-4);
    double sum = 0;
    for (const float value : hidden) sum += std::abs(value);
    QVERIFY(std::abs(sum / static_cast<double>(hidden.size()) - row["mean_abs_hidden"].get<double>()) < 1e-4);
    const auto last = model.lastHidden(std::span(&ids, 1));
    QVERIFY(largestDifference(last.data(), row["last_hidden"]) < 1e-4);
    const auto logits = model.logits(std::span(&ids, 1));
    compareTop(logProbabilities(logits.data(), logits.size()), row["logprob_top5"]);
    QCOMPARE(row["argmax_last"].get<int>(), row["logprob_top5"][0][0].get<int>());
}

}  // namespace

class ForwardTest : public QObject {
    Q_OBJECT

    static void addModels() {
        QTest::addColumn<QString>("name");
        for (const char* name : {"llama", "llama31", "qwen2", "qwen2-sharded-bf16", "qwen3", "mistral"})
            QTest::newRow(name) << name;
    }
    static Json fixture(const QString& name) {
        return read(candor::testing::shared() / "fixtures" / ("forward_" + name.toStdString() + ".json"));
    }
    static LanguageModel open(const QString& name) {
        return LanguageModel(candor::testing::shared() / "fixtures" / "models" / name.toStdString(), "fp32", "cpu");
    }

  private slots:
    void tinyModelsMatchTransformers_data() { addModels(); }
    void tinyModelsMatchTransformers() {
        CANDOR_NEED_SHARED();
        QFETCH(QString, name);
        const LanguageModel model = open(name);
        const Json rows = fixture(name)["rows"];
        for (const auto& row : rows) {
            compareRow(model, row);
            if (QTest::currentTestFailed()) return;
        }
    }

    void greedyTokensMatchTransformers_data() { addModels(); }
    void greedyTokensMatchTransformers() {
        CANDOR_NEED_SHARED();
        QFETCH(QString, name);
        const LanguageModel model = open(name);
        const Json rows = fixture(name)["rows"];
        for (const auto& row : rows) {
            compareGreedy(model, row["ids"].get<LanguageModel::Ids>(), row["greedy_ids"], row["greedy_logprobs"]);
            if (QTest::currentTestFailed()) return;
        }
    }

    // What is computed together must not change a row, whatever the rows have in common.
    void aRowIsTheSameAloneAndInABatch_data() { addModels(); }
    void aRowIsTheSameAloneAndInABatch() {
        CANDOR_NEED_SHARED();
        QFETCH(QString, name);
        const LanguageModel model = open(name);
        std::vector<LanguageModel::Ids> rows;
        const Json fixed = fixture(name)["rows"];
        for (const auto& row : fixed) rows.push_back(row["ids"].get<LanguageModel::Ids>());
        rows.push_back(rows[2]);                                 // a repeated row
        rows.push_back({rows[0].begin(), rows[0].end() - 3});    // a beginning of another
        rows.push_back({rows[0].begin(), rows[0].begin() + 1});  // a single token
        const auto together = model.lastHidden(rows);
        const auto width = static_cast<std::size_t>(model.config().hiddenSize);
        for (std::size_t i = 0; i < rows.size(); ++i) {
            const auto alone = model.lastHidden(std::span(&rows[i], 1));
            for (std::size_t j = 0; j < width; ++j)
                QVERIFY(std::abs(alone[j] - together[i * width + j]) < 5e-6 * std::max(1.0F, std::abs(alone[j])));
        }
    }

    void innerLayersAgree_data() { addModels(); }
    void innerLayersAgree() {
        CANDOR_NEED_SHARED();
        QFETCH(QString, name);
        const LanguageModel model = open(name);
        const auto ids = fixture(name)["rows"][0]["ids"].get<LanguageModel::Ids>();
        const auto width = static_cast<std::size_t>(model.config().hiddenSize);
        for (const int layer : {0, 1, 2, -2}) {
            const auto all = model.allHidden(ids, layer), last = model.lastHidden(std::span(&ids, 1), layer);
            for (std::size_t j = 0; j < width; ++j) QVERIFY(std::abs(all[all.size() - width + j] - last[j]) < 1e-5);
        }
    }

    void smollm2MatchesTransformers() {
        CANDOR_NEED_SHARED();
        CANDOR_NEED_SMOLLM2();
        const LanguageModel model(candor::testing::smollm2(), "fp32", "cpu");
        const auto rows = read(candor::testing::shared() / "fixtures" / "smollm2" / "forward.json")["rows"];
        std::vector<LanguageModel::Ids> ids;
        for (const auto& row : rows) ids.push_back(row["ids"].get<LanguageModel::Ids>());
        const auto hidden = model.lastHidden(ids), logits = model.logits(ids);
        const auto width = static_cast<std::size_t>(model.config().hiddenSize);
        const auto vocab = static_cast<std::size_t>(model.config().vocab);
        for (std::size_t i = 0; i < rows.size(); ++i) {
            compareTop(logProbabilities(logits.data() + i * vocab, vocab), rows[i]["logprob_top5"]);
            if (!rows[i].contains("last_hidden")) continue;
            const double worst = largestDifference(hidden.data() + i * width, rows[i]["last_hidden"]);
            QVERIFY2(worst < 1e-4, qPrintable(QString::number(worst)));
        }
    }
};

CANDOR_TEST(ForwardTest);
#include "forward_test.moc"
