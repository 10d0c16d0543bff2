// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <map>
#include <random>

#include "core/elicit/next_token.h"
#include "tests/testing.h"

using candor::Decoding;
using candor::NextToken;

namespace {

std::vector<float> randomLogits(std::size_t count, unsigned seed) {
    std::mt19937 random(seed);
    std::normal_distribution<float> normal(0, 3);
    std::vector<float> logits(count);
    for (float& value : logits) value = normal(random);
    return logits;
}

// Share of each id over evenly spaced uniforms: exact up to 1 / steps.
std::map<std::int32_t, double> shares(std::vector<float> logits, const Decoding& decoding, int steps = 20000) {
    NextToken token(logits);
    token.shape(decoding);
    std::map<std::int32_t, double> result;
    for (int i = 0; i < steps; ++i) result[token.draw((i + 0.5) / steps)] += 1.0 / steps;
    return result;
}

}  // namespace

class ElicitNextTokenTest : public QObject {
    Q_OBJECT

  private slots:
    void rawDistribution() {
        for (const std::size_t count : {3U, 64U, 70U, 1536U, 4099U}) {
            auto logits = randomLogits(count, 5);
            double sum = 0, entropy = 0;
            for (const float value : logits) sum += std::exp(static_cast<double>(value));
            for (const float value : logits) entropy -= std::exp(value) / sum * (value - std::log(sum));
            const auto copy = logits;
            const NextToken token(logits);
            QVERIFY(std::abs(token.entropy() - entropy) < 1e-5);
            for (std::size_t i = 0; i < count; i += 7)
                QVERIFY(std::abs(token.logProbability(static_cast<std::int32_t>(i)) - (copy[i] - std::log(sum))) <
                        1e-5);
            auto sorted = copy;
            std::sort(sorted.begin(), sorted.end(), std::greater<>());
            QCOMPARE(token.top().size(), std::min<std::size_t>(5, count));
            for (std::size_t i = 0; i < token.top().size(); ++i) QCOMPARE(copy[token.top()[i].first], sorted[i]);
            QCOMPARE(copy[token.best()], sorted[0]);
        }
    }

    void penaltyWorksOnBothSigns() {
        std::vector<float> logits = {2, -2, 1.9F, 0};
        NextToken token(logits);
        const double before = token.logProbability(0);
        const std::vector<std::int32_t> seen = {0, 1};
        token.penalise(seen, 2);
        QCOMPARE(logits, (std::vector<float>{1, -4, 1.9F, 0}));
        QCOMPARE(token.best(), 2);
        QCOMPARE(token.logProbability(0), before);  // raw still
    }

    void cutsAsDefined() {
        const std::vector<float> logits = {std::log(0.5F), std::log(0.3F), std::log(0.15F), std::log(0.05F)};
        const auto near = [](double a, double b) { return std::abs(a - b) < 1e-3; };
        auto all = shares(logits, {1, 0, 1, 1});
        QVERIFY(near(all[0], 0.5) && near(all[1], 0.3) && near(all[2], 0.15) && near(all[3], 0.05));
        auto two = shares(logits, {1, 2, 1, 1});
        QVERIFY(two.size() == 2 && near(two[0], 0.625));
        auto most = shares(logits, {1, 0, 0.9, 1});  // 0.05 is dropped, 0.05 + 0.15 would be too much
        QVERIFY(most.size() == 3 && near(most[2], 0.15 / 0.95));
        QCOMPARE(shares(logits, {1, 0, 0.01, 1}).size(), std::size_t{1});
        auto cold = shares(logits, {0.5, 0, 1, 1});
        QVERIFY(near(cold[0], 0.25 / (0.25 + 0.09 + 0.0225 + 0.0025)));
        auto both = shares(logits, {1, 3, 0.8, 1});  // of the three left: 0.158 goes, 0.316 more would not
        QVERIFY(both.size() == 2 && near(both[0], 0.625));
        QCOMPARE(shares({1, 1, 1, 0}, {1, 2, 1, 1}).size(), std::size_t{3});  // ties with the k-th stay
    }

    void topKOfManyIsExact() {
        for (unsigned seed = 0; seed < 20; ++seed) {
            const auto logits = randomLogits(5000 + seed, seed);
            auto sorted = logits;
            std::sort(sorted.begin(), sorted.end(), std::greater<>());
            double sum = 0;
            for (int i = 0; i < 50; ++i) sum += std::exp(sorted[i]);
            for (const auto& [id, share] : shares(logits, {1, 50, 1, 1})) {
                QVERIFY(logits[id] >= sorted[49]);
                QVERIFY(std::abs(share - std::exp(logits[id]) / sum) < 1e-3);
            }
        }
    }

    void uniformsAreEvenAndApart() {
        double sum = 0;
        for (std::uint64_t i = 0; i < 10000; ++i) {
            const double u = candor::uniformAt(1, i % 10, i / 10 % 10, i / 100);
            QVERIFY(u >= 0 && u < 1);
            sum += u;
        }
        QVERIFY(std::abs(sum / 10000 - 0.5) < 0.015);
        QVERIFY(candor::uniformAt(1, 2, 3, 4) != candor::uniformAt(1, 2, 4, 3));
        QCOMPARE(candor::uniformAt(1, 2, 3, 4), candor::uniformAt(1, 2, 3, 4));
    }
};

CANDOR_TEST(ElicitNextTokenTest);
#include "elicit_next_token_test.moc"
