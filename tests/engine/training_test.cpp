// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTemporaryDir>
#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numeric>

#include "core/confidence/adapter_files.h"
#include "core/confidence/backbone.h"
#include "core/confidence/scorer.h"
#include "core/error.h"
#include "core/train/adamw.h"
#include "tests/testing.h"

using candor::EngineOptions;
using candor::Objective;
using Json = nlohmann::json;
using Rows = std::vector<std::int64_t>;

namespace {

Json read(const std::filesystem::path& file) {
    std::ifstream stream(file);
    return Json::parse(stream);
}

EngineOptions exact() {
    EngineOptions options;
    options.dtype = "fp32";
    options.device = "cpu";
    return options;
}

double worst(std::span<const float> a, std::span<const float> b) {
    double result = a.size() == b.size() ? 0 : 1e9, size = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        result = std::max(result, std::abs(static_cast<double>(a[i]) - b[i]));
        size = std::max(size, std::abs(static_cast<double>(a[i])));
    }
    return result / size;
}

double worst(const std::vector<double>& a, const std::vector<double>& b) {
    double result = a.size() == b.size() ? 0 : 1;
    for (std::size_t i = 0; i < a.size(); ++i) result = std::max(result, std::abs(a[i] - b[i]));
    return result;
}

Rows allRows(const Objective& objective) {
    Rows rows(objective.rows());
    std::iota(rows.begin(), rows.end(), 0);
    return rows;
}

std::vector<float> gradientOf(Objective& objective, const Rows& rows, const std::vector<float>& targets) {
    std::vector<float> gradient(objective.parameters().size());
    objective.accumulate(rows, targets, 1, gradient);
    return gradient;
}

}  // namespace

class TrainingTest : public QObject {
    Q_OBJECT

    static std::filesystem::path fixtures() { return candor::testing::shared() / "fixtures"; }
    static std::filesystem::path model() { return fixtures() / "models" / "qwen2"; }
    static std::vector<std::string> questions() {
        return read(fixtures() / "adapters.json")["questions"].get<std::vector<std::string>>();
    }
    static std::unique_ptr<Objective> plainAdapter(const EngineOptions& options) {
        return candor::openBackbone(model(), options)->loadLora(fixtures() / "adapters" / "plain", questions(), 0);
    }

  private slots:
    void thirtyStepsMatchTorch_data() {
        QTest::addColumn<QString>("name");
        QTest::newRow("one micro-batch") << "micro8";
        QTest::newRow("two micro-batches") << "micro4x2";
    }
    void thirtyStepsMatchTorch() {
        CANDOR_NEED_SHARED();
        QFETCH(QString, name);
        const Json plan = read(fixtures() / "training" / (name.toStdString() + ".json"));
        const auto backbone = candor::openBackbone(model(), exact());
        const auto questions = plan["questions"].get<std::vector<std::string>>();
        const auto objective = backbone->loadLora(fixtures() / "training" / name.toStdString() / "start", questions, 0);
        const auto order = plan["order"].get<Rows>();
        const std::size_t micro = plan["micro_batch"], pieces = plan["accumulation"], batch = micro * pieces;
        candor::AdamW optimiser(objective->blocks(), objective->parameters().size());
        for (std::size_t step = 0; step < plan["steps"].get<std::size_t>(); ++step) {
            std::vector<float> gradient(objective->parameters().size());
            double loss = 0;
            for (std::size_t piece = 0; piece < pieces; ++piece) {
                const auto begin = order.begin() + static_cast<std::ptrdiff_t>(step * batch + piece * micro);
                const Rows rows(begin, begin + static_cast<std::ptrdiff_t>(micro));
                std::vector<float> targets;
                for (const auto row : rows) targets.push_back(plan["targets"][row]);
                loss += objective->accumulate(rows, targets, 1.0 / static_cast<double>(batch), gradient);
            }
            const Json& want = plan["log"][step];
            QVERIFY(std::abs(loss / static_cast<double>(batch) - want["loss"].get<double>()) < 1e-5);
            const double norm = candor::clipGradient(gradient, plan["clip"]);
            QVERIFY(std::abs(norm - want["grad_norm"].get<double>()) < 1e-3 * std::max(1.0, norm));
            optimiser.step(objective->parameters(), gradient, want["lr"], plan["weight_decay"]);
            objective->parametersChanged();
        }
        const auto after = objective->confidences(allRows(*objective));
        QVERIFY(worst(after, plan["confidence_after"].get<std::vector<double>>()) < 2e-4);
    }

    // Tokens that rows share are computed once: the gradient must be the sum of what each row alone gives.
    void sharedPrefixesGiveTheExactGradient() {
        CANDOR_NEED_SHARED();
        const auto objective = plainAdapter(exact());
        const Rows rows = allRows(*objective);
        const std::vector<float> targets = {0.1F, 0.9F, 0.5F, 0, 1, 0.3F, 0.7F, 0.2F};
        const auto together = gradientOf(*objective, rows, targets);
        std::vector<float> sum(together.size());
        for (std::size_t i = 0; i < rows.size(); ++i) objective->accumulate({&rows[i], 1}, {&targets[i], 1}, 1, sum);
        const double difference = worst(together, sum);
        QVERIFY2(difference < 1e-5, qPrintable(QString::number(difference)));
    }

    // Our own kernels against ATen's operations under autograd.
    void kernelsGiveTheGradientOfAutograd_data() {
        QTest::addColumn<QString>("adapter");
        for (const char* adapter : {"plain", "qv-only", "patterns", "rslora", "mlp-head"})
            QTest::newRow(adapter) << adapter;
    }
    void kernelsGiveTheGradientOfAutograd() {
        CANDOR_NEED_SHARED();
        QFETCH(QString, adapter);
        const auto folder = fixtures() / "adapters" / adapter.toStdString();
        EngineOptions plain = exact();
        plain.plainOperations = true;
        const auto fast = candor::openBackbone(model(), exact())->loadLora(folder, questions(), 0);
        const auto slow = candor::openBackbone(model(), plain)->loadLora(folder, questions(), 0);
        const std::vector<float> targets = {0.1F, 0.9F, 0.5F, 0, 1, 0.3F, 0.7F, 0.2F};
        const double difference =
            worst(gradientOf(*fast, allRows(*fast), targets), gradientOf(*slow, allRows(*slow), targets));
        QVERIFY2(difference < 1e-5, qPrintable(QString::number(difference)));
        // These adapters are far from the trained ones: their logits are large and rounding shows.
        const double apart = worst(fast->confidences(allRows(*fast)), slow->confidences(allRows(*slow)));
        QVERIFY2(apart < 5e-6, qPrintable(QString::number(apart)));
    }

    void theGradientIsThatOfTheLoss() {
        CANDOR_NEED_SHARED();
        const auto objective = plainAdapter(exact());
        const Rows rows = {0, 3, 5};
        const std::vector<float> targets = {0.2F, 0.4F, 0.6F};
        const auto gradient = gradientOf(*objective, rows, targets);
        const auto steepest = std::max_element(gradient.begin(), gradient.end(),
                                               [](float a, float b) { return std::abs(a) < std::abs(b); }) -
                              gradient.begin();
        const auto lossAt = [&](float shift) {
            objective->parameters()[steepest] += shift;
            objective->parametersChanged();
            std::vector<float> ignored(gradient.size());
            const double loss = objective->accumulate(rows, targets, 1, ignored);
            objective->parameters()[steepest] -= shift;
            return loss;
        };
        const double slope = (lossAt(1e-3F) - lossAt(-1e-3F)) / 2e-3;
        QVERIFY2(std::abs(slope - gradient[steepest]) < 0.01 * std::abs(slope), qPrintable(QString::number(slope)));
    }

    void aSeedFixesStartAndDropout() {
        CANDOR_NEED_SHARED();
        const auto backbone = candor::openBackbone(model(), exact());
        candor::AdapterOptions options;
        options.dropout = 0.3;
        const auto all = questions();
        const auto make = [&](std::uint64_t seed) { return backbone->lora(options, all, seed); };
        const auto one = make(1), again = make(1), other = make(2);
        const auto values = [](Objective& o) {
            return std::vector<float>(o.parameters().begin(), o.parameters().end());
        };
        QVERIFY(values(*one) == values(*again));
        QVERIFY(values(*one) != values(*other));
        for (auto* objective : {one.get(), again.get()})  // B is zero at the start: its gradient needs no B
            QCOMPARE(objective->blocks()[0].name,
                     std::string("base_model.model.layers.0.self_attn.q_proj.lora_A.weight"));
        const std::vector<float> targets(8, 0.5F);
        const Rows rows = allRows(*one);
        QVERIFY(gradientOf(*one, rows, targets) == gradientOf(*again, rows, targets));
        QVERIFY(one->blocks().back().name == "head.bias" && !one->blocks().back().decays);
        QVERIFY(one->blocks().front().decays);
        options.dropout = 0;
        const auto undropped = make(1);
        QVERIFY(values(*undropped) == values(*one));
        QVERIFY(gradientOf(*undropped, rows, targets) != gradientOf(*one, rows, targets));
    }

    void aSavedAdapterScoresTheSame() {
        CANDOR_NEED_SHARED();
        const QTemporaryDir folder;
        const auto place = std::filesystem::path(folder.path().toStdString()) / "adapter";
        const auto backbone = candor::openBackbone(model(), exact());
        const auto objective = backbone->loadLora(fixtures() / "adapters" / "patterns", questions(), 0);
        for (float& value : objective->parameters()) value *= 1.01F;
        objective->parametersChanged();
        backbone->saveAdapter(*objective, {}, place, R"({"budget": 100})");
        const Json sidecar = read(place / "honesty_run.json");
        QCOMPARE(sidecar["budget"].get<int>(), 100);
        QCOMPARE(sidecar["provenance"]["read_position"].get<std::string>(), std::string("last"));
        candor::Scorer scorer(model(), place, exact());
        QVERIFY(worst(scorer.confidences(questions()), objective->confidences(allRows(*objective))) < 1e-7);
        const auto loaded = backbone->loadLora(place, questions(), 0);
        QVERIFY(std::equal(loaded->parameters().begin(), loaded->parameters().end(), objective->parameters().begin()));
    }

    void hiddenStatesAreThoseTheHeadReads() {
        CANDOR_NEED_SHARED();
        const auto backbone = candor::openBackbone(model(), exact());
        const auto all = questions();
        const auto states = backbone->hiddenStates(all, {}, {});
        const Json rows = read(fixtures() / "forward_qwen2.json")["rows"];
        const auto width = static_cast<std::size_t>(backbone->width());
        QCOMPARE(states.size(), all.size() * width);
        for (std::size_t i = 0; i < all.size(); ++i) {
            QCOMPARE(rows[i]["question"].get<std::string>(), all[i]);
            for (std::size_t j = 0; j < width; ++j)
                QVERIFY(std::abs(states[i * width + j] - rows[i]["last_hidden"][j].get<double>()) < 1e-4);
        }
        QVERIFY(backbone->stateKey(-1) == backbone->stateKey(3));
        QVERIFY(backbone->stateKey(-1) != backbone->stateKey(2));
        const Json facts = Json::parse(backbone->provenance());
        for (const char* key : {"model_hash", "tokenizer_hash", "prompt_hash", "dtype", "libtorch", "threads"})
            QVERIFY2(facts.contains(key), key);
        std::stop_source stop;
        stop.request_stop();
        QVERIFY_EXCEPTION_THROWN(backbone->hiddenStates(all, {}, stop.get_token()), candor::Stopped);
    }
};

CANDOR_TEST(TrainingTest);
#include "training_test.moc"
