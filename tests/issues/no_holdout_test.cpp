// SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>

#include "core/train/linear_head.h"
#include "core/train/trainer.h"
#include "tests/testing.h"

using namespace candor;

// A run that holds nothing out (selection "last") was drawn with a hold-out curve: the record's default took the
// training loss over as its held-out loss, and a step's loss as its gradient norm.
class NoHoldoutTest : public QObject {
    Q_OBJECT
  private slots:
    void recordsHaveNoHeldOutNumbers() {
        const auto states = std::make_shared<StateMatrix>(StateMatrix{4, 2, {1, 0, 0, 1, 1, 1, 0, 0}});
        LinearHead head(states, 0);
        const TrainSet training{{0, 1, 2, 3}, {1, 0, 1, 0}};
        const TrainResult result = train(head, training, {}, {});
        QCOMPARE(result.history.size(), std::size_t{1});
        QVERIFY(std::isfinite(result.history[0].trainLoss));
        QVERIFY(std::isnan(result.history[0].holdoutLoss));
        QVERIFY(std::isnan(result.history[0].holdoutAuroc));
        const StepRecord step{"stage1", 1, 1, 0.25};
        QVERIFY(std::isnan(step.gradNorm));
    }
};

CANDOR_TEST(NoHoldoutTest);
#include "no_holdout_test.moc"
