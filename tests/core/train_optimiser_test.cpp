// SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/train/adamw.h"
#include "core/train/files.h"
#include "core/train/random.h"
#include "core/train/split.h"
#include "tests/testing.h"

using namespace candor;

class TrainOptimiserTest : public QObject {
    Q_OBJECT

  private slots:
    // By hand: after one step from zero moments the update is -lr * sign(g) (up to eps), decay first.
    void firstStepByHand() {
        AdamW adam({{"w", 0, {2}, true}, {"b", 2, {1}, false}}, 3);
        std::vector<float> p = {1.0F, -2.0F, 3.0F};
        const std::vector<float> g = {0.5F, -0.25F, 2.0F};
        adam.step(p, g, 0.1, 0.1);
        QVERIFY(std::abs(p[0] - (1.0F * 0.99F - 0.1F)) < 1e-6);
        QVERIFY(std::abs(p[1] - (-2.0F * 0.99F + 0.1F)) < 1e-6);
        QVERIFY(std::abs(p[2] - (3.0F - 0.1F)) < 1e-6);
    }

    // Against the formula of Loshchilov & Hutter in double, 50 steps of changing gradients.
    void agreesWithTheFormulaInDouble() {
        AdamW adam({{"w", 0, {1}, true}}, 1);
        std::vector<float> p = {0.7F};
        double q = 0.7F, m = 0, v = 0;
        for (int t = 1; t <= 50; ++t) {
            const double g = std::sin(t) * 0.3, lr = 0.01 * t / 50;
            const std::vector<float> gradient = {static_cast<float>(g)};
            adam.step(p, gradient, lr, 0.1);
            q -= lr * 0.1 * q;
            m = 0.9 * m + 0.1 * g;
            v = 0.999 * v + 0.001 * g * g;
            q -= lr * (m / (1 - std::pow(0.9, t))) / (std::sqrt(v / (1 - std::pow(0.999, t))) + 1e-8);
            QVERIFY(std::abs(p[0] - q) < 2e-6);
        }
    }

    void rateZeroMovesOnlyTheMoments() {
        AdamW adam({{"w", 0, {1}, true}}, 1);
        std::vector<float> p = {0.7F};
        const std::vector<float> g = {0.5F};
        adam.step(p, g, 0, 0.1);
        QCOMPARE(p[0], 0.7F);
        QCOMPARE(adam.firstMoment()[0], 0.05F);
        QCOMPARE(adam.steps(), 1);
    }

    void scheduleWarmsUpAndDecays() {
        QCOMPARE(scheduledRate(0.002, 0, 30, 0.1), 0.0);
        QCOMPARE(scheduledRate(0.002, 3, 30, 0.1), 0.002);
        QVERIFY(std::abs(scheduledRate(0.002, 4, 30, 0.1) - 0.0019259259259259258) < 1e-18);
        QCOMPARE(scheduledRate(1, 30, 30, 0.1), 0.0);
        QCOMPARE(scheduledRate(1, 0, 7, 0), 1.0);   // no warm-up: from the peak
        QVERIFY(scheduledRate(1, 1, 11, 0.1) < 1);  // ceil(1.1) = 2 steps of warm-up
        QCOMPARE(scheduledRate(1, 2, 11, 0.1), 1.0);
    }

    void scheduleIsTheReferences() {
        CANDOR_NEED_SHARED();
        for (const char* name : {"micro8", "micro4x2"}) {
            const auto reference = nlohmann::json::parse(
                readWholeFile(testing::shared() / "fixtures" / "training" / (std::string(name) + ".json")));
            for (const auto& entry : reference["log"]) {
                const double rate =
                    scheduledRate(reference["lr"], entry["step"].get<std::int64_t>() - 1, reference["steps"], 0.1);
                QVERIFY(std::abs(rate - entry["lr"].get<double>()) < 1e-15);
            }
        }
    }

    void clipIsTorchs() {
        std::vector<float> g = {3, 4};
        QCOMPARE(clipGradient(g, 1), 5.0);
        QCOMPARE(g[0], 3 * static_cast<float>(1 / (5 + 1e-6)));
        std::vector<float> small = {0.3F, 0.4F};
        clipGradient(small, 1);
        QCOMPARE(small[0], 0.3F);
    }

    void permutationsAreStable() {
        // Frozen: projects rely on a seed's subset staying the same.
        QCOMPARE(permutation(8, 42), permutation(8, 42));
        QVERIFY(permutation(50, 1) != permutation(50, 2));
        auto order = permutation(1000, 3);
        std::ranges::sort(order);
        for (std::size_t i = 0; i < order.size(); ++i) QCOMPARE(order[i], static_cast<std::int64_t>(i));
        QVERIFY(mixSeed(1, "order", 0) != mixSeed(1, "order", 1));
        QVERIFY(mixSeed(1, "order") != mixSeed(1, "subset"));
    }

    void splitsKeepEqualQuestionsTogether() {
        std::vector<std::string> keys;
        for (int i = 0; i < 60; ++i) keys.push_back(splitKey("  Question  " + std::to_string(i / 3) + "\n"));
        QCOMPARE(keys[0], splitKey("question 0"));
        const auto together = [&keys](const Split& split) {
            for (const std::int64_t a : split.train)
                for (const std::int64_t b : split.heldOut)
                    if (keys[static_cast<std::size_t>(a)] == keys[static_cast<std::size_t>(b)]) return false;
            return true;
        };
        const Split half = holdOut(keys, 0.2, 5);
        QVERIFY(together(half));
        QCOMPARE(half.heldOut.size(), std::size_t{12});
        QCOMPARE(half.train.size(), std::size_t{48});
        std::vector<int> seen(60);
        const auto folds = kFold(keys, 5, 5);
        QCOMPARE(folds.size(), std::size_t{5});
        for (const Split& fold : folds) {
            QVERIFY(together(fold));
            for (const std::int64_t place : fold.heldOut) ++seen[static_cast<std::size_t>(place)];
        }
        QVERIFY(std::ranges::all_of(seen, [](int n) { return n == 1; }));
        QVERIFY_EXCEPTION_THROWN(holdOut(std::vector<std::string>{"a", "a"}, 0.5, 1), Error);
    }
};

CANDOR_TEST(TrainOptimiserTest);
#include "train_optimiser_test.moc"
