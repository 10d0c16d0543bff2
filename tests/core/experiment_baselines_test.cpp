// SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>

#include "core/error.h"
#include "core/experiment/logistic.h"
#include "core/experiment/priors.h"
#include "core/train/random.h"
#include "tests/testing.h"

using namespace candor;

namespace {

struct Sample {
    StateMatrix features;
    std::vector<std::int64_t> rows;
    std::vector<double> correct;
};

Sample sample(std::size_t n, std::size_t width, std::uint64_t seed) {
    Sample s;
    s.features.rows = n;
    s.features.width = width;
    s.features.values = uniformInit(n * width, 1, seed);
    std::mt19937_64 generator(seed + 1);
    for (std::size_t i = 0; i < n; ++i) {
        s.rows.push_back(static_cast<std::int64_t>(i));
        const double z = 2 * s.features.values[i * width] - s.features.values[i * width + 1];
        s.correct.push_back(uniform(generator) < 1 / (1 + std::exp(-z)) ? 1 : 0);
    }
    return s;
}

}  // namespace

class ExperimentBaselinesTest : public QObject {
    Q_OBJECT

  private slots:
    // At the optimum the gradient of |w|^2 / 2 + C sum loss is zero in every weight and in the intercept.
    void logisticRegressionIsOptimal() {
        for (const double c : {0.01, 1.0, 100.0}) {
            const Sample s = sample(80, 6, 3);
            const LogisticModel model = fitLogisticL2(s.features, s.rows, s.correct, c);
            std::vector<double> gradient = model.weight;
            double intercept = 0;
            for (std::size_t i = 0; i < s.rows.size(); ++i) {
                const float* x = s.features.row(s.rows[i]);
                const double error = model.probability(x) - s.correct[i];
                for (std::size_t j = 0; j < 6; ++j) gradient[j] += c * error * (x[j] - model.mean[j]) / model.scale[j];
                intercept += c * error;
            }
            for (const double g : gradient)
                QVERIFY2(std::abs(g) < 1e-5 * std::max(1.0, c), qPrintable(QString::number(g)));
            QVERIFY(std::abs(intercept) < 1e-5 * std::max(1.0, c));
        }
    }

    // Features 0 and 2 with labels 1,0 | 1,1: standardised +-1, so the loss in w and b can be searched directly.
    void logisticRegressionBySearch() {
        StateMatrix features{4, 1, {0, 0, 2, 2}};
        const std::vector<std::int64_t> rows = {0, 1, 2, 3};
        const std::vector<double> correct = {1, 0, 1, 1};
        const LogisticModel model = fitLogisticL2(features, rows, correct, 1);
        const auto loss = [&](double w, double b) {
            double sum = w * w / 2;
            for (std::size_t i = 0; i < 4; ++i) {
                const double z = w * (features.values[i] - 1) + b;
                sum += std::log1p(std::exp(correct[i] > 0 ? -z : z));
            }
            return sum;
        };
        const double w = model.weight[0], b = model.intercept, best = loss(w, b);
        for (double dw = -1; dw <= 1; dw += 0.05)
            for (double db = -1; db <= 1; db += 0.05) QVERIFY(loss(w + dw, b + db) >= best - 1e-12);
    }

    void oneClassIsTheLimit() {
        const Sample s = sample(5, 3, 1);
        const LogisticModel model = fitLogisticL2(s.features, s.rows, std::vector<double>(5, 0.0), 1);
        QCOMPARE(model.probability(s.features.row(0)), 0.0);
        QVERIFY_EXCEPTION_THROWN(fitLogisticL2(s.features, {}, {}, 1), Error);
    }

    void wordsAreHashedWithoutCase() {
        QCOMPARE(wordFeatures("Who wrote it?"), wordFeatures("who WROTE, it"));
        QVERIFY(wordFeatures("wrote who it") != wordFeatures("who wrote it"));
        QCOMPARE(wordFeatures("who wrote it").size(), std::size_t{5});
        QVERIFY(wordFeatures("?!").empty());
        double squares = 0;
        for (const auto& [index, value] : wordFeatures("a b a c a b")) squares += value * value;
        QVERIFY(std::abs(squares - 1) < 1e-12);
    }

    // Two questions of one word each: centred features are +-(1/2, -1/2).
    void ridgeByHand() {
        const std::vector<std::string> questions = {"alpha", "beta"};
        const std::vector<double> targets = {1, 0};
        const TextPrior prior(questions, targets);
        // (Xc'Xc + I) w = Xc'(y - 1/2): along (1,-1)/sqrt(2) the eigenvalue is 1 + 1, the right side (1/2)(1,-1).
        QVERIFY(std::abs(prior.score("alpha") - 0.75) < 1e-9);
        QVERIFY(std::abs(prior.score("beta") - 0.25) < 1e-9);
        QVERIFY(std::abs(prior.score("gamma") - 0.5) < 1e-9);
    }

    void ridgeSolvesItsEquations() {
        std::vector<std::string> questions;
        std::vector<double> targets;
        std::mt19937_64 generator(5);
        const std::vector<std::string> words = {"who", "what", "city", "king", "song", "born"};
        for (int i = 0; i < 40; ++i) {
            std::string text;
            for (int w = 0; w < 4; ++w) text += words[below(generator, words.size())] + " ";
            questions.push_back(text);
            targets.push_back(uniform(generator));
        }
        const TextPrior prior(questions, targets);
        // Residuals sum to zero (free intercept), and shrink what they fit.
        double sum = 0, error = 0, spread = 0;
        for (std::size_t i = 0; i < 40; ++i) {
            const double r = targets[i] - prior.score(questions[i]);
            sum += r;
            error += r * r;
            spread += std::pow(targets[i] - 0.5, 2);
        }
        QVERIFY(std::abs(sum) < 1e-8);
        QVERIFY(error < spread);
    }

    void setPriorIsTheAccuracyOfTheSet() {
        const std::vector<std::string> sets = {"a", "a", "b", "a"};
        const std::vector<double> correct = {1, 0, 1, 1};
        const SetPrior prior(sets, correct);
        QCOMPARE(prior.score("a"), 2.0 / 3);
        QCOMPARE(prior.score("b"), 1.0);
        QCOMPARE(prior.score("c"), 0.75);
    }
};

CANDOR_TEST(ExperimentBaselinesTest);
#include "experiment_baselines_test.moc"
