// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTemporaryDir>
#include <cmath>
#include <fstream>

#include "core/error.h"
#include "core/train/linear_head.h"
#include "core/train/mlp_head.h"
#include "core/train/random.h"
#include "core/train/trainer.h"
#include "tests/testing.h"

using namespace candor;

namespace {

std::shared_ptr<StateMatrix> randomStates(std::size_t rows, std::size_t width, std::uint64_t seed) {
    auto states = std::make_shared<StateMatrix>();
    states->rows = rows;
    states->width = width;
    states->values = uniformInit(rows * width, 1, seed);
    return states;
}

TrainSet someSet(std::int64_t first, std::int64_t count) {
    TrainSet set;
    std::mt19937_64 generator(11);
    for (std::int64_t i = first; i < first + count; ++i) {
        set.rows.push_back(i);
        set.targets.push_back(static_cast<float>(uniform(generator)));
    }
    return set;
}

TrainOptions someOptions() {
    TrainOptions options;
    options.optimiser.lr = 0.05;
    options.optimiser.batch = 8;
    options.optimiser.microBatch = 8;
    options.epochs = 4;
    options.seed = 9;
    return options;
}

std::vector<float> parametersOf(Objective& objective) {
    return {objective.parameters().begin(), objective.parameters().end()};
}

}  // namespace

class TrainTrainerTest : public QObject {
    Q_OBJECT

  private slots:
    void gradientIsTheDifferenceQuotient() {
        for (const char* kind : {"linear", "mlp"}) {
            const auto head = makeHead(kind, randomStates(6, 12, 1), 2);
            const TrainSet set = someSet(0, 6);
            const std::size_t size = head->parameters().size();
            std::vector<float> gradient(size);
            const double squares = head->accumulate(set.rows, set.targets, 0.5, gradient);
            double direct = 0;
            const auto p = head->confidences(set.rows);
            for (std::size_t i = 0; i < p.size(); ++i) direct += std::pow(p[i] - set.targets[i], 2);
            QVERIFY(std::abs(squares - direct) < 1e-12);
            for (std::size_t j = 0; j < size; ++j) {
                std::vector<float> unused(size);
                const float kept = head->parameters()[j], h = 1e-2F;
                head->parameters()[j] = kept + h;
                const double up = head->accumulate(set.rows, set.targets, 1, unused);
                head->parameters()[j] = kept - h;
                const double down = head->accumulate(set.rows, set.targets, 1, unused);
                head->parameters()[j] = kept;
                QVERIFY(std::abs(gradient[j] - 0.5 * (up - down) / (2 * h)) < 2e-4);
            }
        }
    }

    void theMlpHeadIsNamedAsTorchNamesIt() {
        const auto head = makeHead("mlp", randomStates(2, 12, 1), 2);
        std::string names;
        for (const ParameterBlock& block : head->blocks()) names += block.name + " ";
        QCOMPARE(names, std::string("0.weight 0.bias 2.weight 2.bias 4.weight 4.bias "));
        QCOMPARE(head->parameters().size(), std::size_t{12 * 6 + 6 + 6 * 3 + 3 + 3 + 1});
        QCOMPARE(head->blocks()[2].shape, (std::vector<std::int64_t>{3, 6}));
        QVERIFY_EXCEPTION_THROWN(makeHead("deep", randomStates(2, 12, 1), 2), Error);
    }

    void microBatchesGiveTheSameGradient() {
        const auto states = randomStates(17, 40, 3);
        const TrainSet set = someSet(0, 17);
        std::vector<std::vector<float>> gradients;
        for (const std::size_t micro : {17U, 8U, 2U}) {
            LinearHead head(states, 4);
            std::vector<float> gradient(41);
            for (std::size_t at = 0; at < 17; at += micro) {
                const std::size_t n = std::min<std::size_t>(micro, 17 - at);
                head.accumulate(std::span(set.rows).subspan(at, n), std::span(set.targets).subspan(at, n), 1.0 / 17,
                                gradient);
            }
            gradients.push_back(gradient);
        }
        for (const auto& other : gradients)
            for (std::size_t j = 0; j < 41; ++j) QVERIFY(std::abs(other[j] - gradients[0][j]) < 1e-6);
    }

    void lossOfAStepIsTheMeanOverTrueRows() {
        const auto states = randomStates(17, 10, 5);
        const TrainSet set = someSet(0, 17);
        std::map<int, std::vector<double>> losses;
        for (const int micro : {17, 8, 2}) {
            LinearHead head(states, 6);
            TrainOptions options = someOptions();
            options.optimiser.batch = 17;
            options.optimiser.microBatch = micro;
            TrainCallbacks callbacks;
            callbacks.step = [&](const StepRecord& r) { losses[micro].push_back(r.loss); };
            train(head, set, {}, options, callbacks);
        }
        for (std::size_t s = 0; s < losses[17].size(); ++s) {
            QVERIFY(std::abs(losses[17][s] - losses[8][s]) < 1e-6);
            QVERIFY(std::abs(losses[17][s] - losses[2][s]) < 1e-6);
        }
    }

    void trainingLowersTheLossAndEndsAtTheBestEpoch() {
        LinearHead head(randomStates(200, 8, 7), 8);
        TrainSet set = someSet(0, 150), held = someSet(150, 50);
        for (TrainSet* s : {&set, &held})  // learnable: the sign of the first feature
            for (std::size_t i = 0; i < s->rows.size(); ++i)
                s->targets[i] = randomStates(200, 8, 7)->row(s->rows[i])[0] > 0 ? 1.0F : 0.0F;
        TrainOptions options = someOptions();
        options.epochs = 12;
        options.keepBest = true;
        options.patience = 3;
        const TrainResult result = train(head, set, held, options);
        QVERIFY(result.history.back().trainLoss < 0.7 * result.history.front().trainLoss);
        const auto p = head.confidences(held.rows);
        double squares = 0;
        for (std::size_t i = 0; i < p.size(); ++i) squares += std::pow(p[i] - held.targets[i], 2);
        const EpochRecord& best = result.history[static_cast<std::size_t>(result.bestEpoch - 1)];
        QVERIFY(std::abs(best.holdoutLoss - squares / 50) < 1e-12);
        for (const EpochRecord& e : result.history) QVERIFY(e.holdoutLoss >= best.holdoutLoss);
    }

    void withoutHeldOutRowsThereIsNoHeldOutLoss() {
        LinearHead head(randomStates(20, 4, 1), 2);
        const TrainResult result = train(head, someSet(0, 20), {}, someOptions());
        QCOMPARE(result.bestEpoch, 0);
        QCOMPARE(result.history.size(), std::size_t{4});
        for (const EpochRecord& e : result.history) {
            QVERIFY(std::isfinite(e.trainLoss) && std::isnan(e.holdoutLoss) && std::isnan(e.holdoutAuroc));
            QVERIFY(!e.best);
        }
    }

    void patienceCountsEpochsWithoutAStrictlyLowerLoss() {
        LinearHead head(randomStates(40, 4, 1), 2);
        TrainOptions options = someOptions();
        options.epochs = 50;
        options.keepBest = true;
        options.patience = 3;
        options.optimiser.lr = 1e-30;  // nothing moves: the first epoch stays the best
        options.optimiser.weightDecay = 0;
        const TrainResult result = train(head, someSet(0, 30), someSet(30, 10), options);
        QCOMPARE(result.bestEpoch, 1);
        QCOMPARE(result.epochs, 4);
    }

    void resumesBitForBitFromEveryStep() {
        const auto states = randomStates(30, 6, 1);
        const TrainSet set = someSet(0, 22), held = someSet(22, 8);
        TrainOptions options = someOptions();
        options.keepBest = true;
        LinearHead whole(states, 2);
        const TrainResult reference = train(whole, set, held, options);
        for (int stopAt = 1; stopAt < reference.steps; ++stopAt) {
            QTemporaryDir dir;
            const std::filesystem::path file = dir.filePath("c.ckpt").toStdString();
            std::stop_source source;
            int steps = 0;
            TrainCallbacks callbacks;
            callbacks.step = [&](const StepRecord&) {
                if (++steps == stopAt) source.request_stop();
            };
            LinearHead first(states, 2);
            QVERIFY_EXCEPTION_THROWN(train(first, set, held, options, callbacks, file, source.get_token()), Stopped);
            LinearHead second(states, 99);  // its own start must not matter
            const TrainResult resumed = train(second, set, held, options, {}, file);
            QCOMPARE(parametersOf(second), parametersOf(whole));
            QCOMPARE(resumed.steps, reference.steps);
            QCOMPARE(resumed.bestEpoch, reference.bestEpoch);
            for (std::size_t e = 0; e < reference.history.size(); ++e) {
                QCOMPARE(resumed.history[e].trainLoss, reference.history[e].trainLoss);
                QCOMPARE(resumed.history[e].holdoutLoss, reference.history[e].holdoutLoss);
            }
        }
    }

    void finishedTrainingIsTakenOver() {
        QTemporaryDir dir;
        const std::filesystem::path file = dir.filePath("c.ckpt").toStdString();
        const auto states = randomStates(30, 6, 1);
        LinearHead first(states, 2), second(states, 3);
        train(first, someSet(0, 30), {}, someOptions(), {}, file);
        int steps = 0, replayed = 0;
        TrainCallbacks callbacks;
        callbacks.step = [&](const StepRecord&) { ++steps; };
        callbacks.epoch = [&](EpochRecord&, std::span<const double>, bool again) { replayed += again; };
        train(second, someSet(0, 30), {}, someOptions(), callbacks, file);
        QCOMPARE(parametersOf(first), parametersOf(second));
        QCOMPARE(steps, 0);
        QCOMPARE(replayed, 4);
    }

    void damagedAndForeignCheckpointsAreReplaced() {
        QTemporaryDir dir;
        const std::filesystem::path file = dir.filePath("c.ckpt").toStdString();
        const auto states = randomStates(30, 6, 1);
        LinearHead clean(states, 2);
        train(clean, someSet(0, 30), {}, someOptions());
        const auto messageOf = [&] {
            std::string said;
            TrainCallbacks callbacks;
            callbacks.message = [&](const std::string& text) { said = text; };
            LinearHead head(states, 2);
            train(head, someSet(0, 30), {}, someOptions(), callbacks, file);
            if (parametersOf(head) != parametersOf(clean)) throw Error("other numbers");
            return said;
        };
        QCOMPARE(messageOf(), std::string());
        {
            std::fstream f(file, std::ios::in | std::ios::out | std::ios::binary);
            f.seekp(-12, std::ios::end);
            f.put('\x55');
        }
        QVERIFY(messageOf().find("damaged") != std::string::npos);
        TrainOptions other = someOptions();
        other.seed = 10;
        LinearHead head(states, 2);
        train(head, someSet(0, 30), {}, other, {}, file);
        QVERIFY(messageOf().find("another training") != std::string::npos);
    }

    void divergenceSaysWhatLedToIt() {
        auto states = randomStates(10, 3, 1);
        states->values[4 * 3] = std::numeric_limits<float>::quiet_NaN();
        LinearHead head(states, 2);
        try {
            train(head, someSet(0, 10), {}, someOptions());
            QFAIL("no error");
        } catch (const Error& error) {
            const QString text = error.what();
            QVERIFY2(text.contains("step") && text.contains("learning rate") && text.contains(" 4"), qPrintable(text));
        }
    }
};

CANDOR_TEST(TrainTrainerTest);
#include "train_trainer_test.moc"
