// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "core/metrics/alignment.h"
#include "core/metrics/binning.h"
#include "core/metrics/discrimination.h"
#include "core/metrics/metrics.h"
#include "tests/testing.h"

using namespace candor;

namespace {

using List = std::vector<double>;

double value(const List& confidence, const List& correct, const std::string& name) {
    const Metric result = metric({confidence, correct}, name);
    return result.defined() ? result.value : std::nan("");
}

bool near(double a, double b, double tolerance = 1e-12) { return std::abs(a - b) <= tolerance; }

const List kConfidence = {.95, .90, .90, .80, .70, .60, .60, .40, .30, .10};
const List kCorrect = {1, 1, 0, 1, 1, 0, 1, 0, 0, 0};

std::string codeOf(const Scored& rows) {
    try {
        allMetrics(rows);
    } catch (const InputError& error) {
        return error.code();
    }
    return "none";
}

}  // namespace

// Numbers worked by hand, and what public tools got wrong on small inputs.
class MetricsHandTest : public QObject {
    Q_OBJECT

  private slots:
    void workedExample_data() {
        QTest::addColumn<double>("expected");
        const std::vector<std::pair<const char*, double>> table = {
            {"n", 10},
            {"n_correct", 5},
            {"accuracy", .5},
            {"mean_conf", .625},
            {"conf_minus_acc", .125},
            // 21 of 25 pairs; variances .013 and .093 over 5 rows each.
            {"auroc", 21. / 25},
            {"delong_var", .013 / 5 + .093 / 5},
            {"delong_se", std::sqrt(.0212)},
            {"auprc_correct", .2 * (1 + 2. / 3 + 3. / 4 + 4. / 5 + 5. / 7)},
            // Errors from below at .1, .3, .4 (precision 1), .6 (4 of 5), .9 (5 of 9, where 1 of 2 is one).
            {"auprc_error", .2 * (3 + 4. / 5 + 5. / 9)},
            {"ece_ew10", 2.35 / 10},
            {"ece_ew10_left", .225},
            {"ece10_elical", .225},
            {"mce_ew10", .4},
            {"ece_em10", .235},
            {"brier", .17325},
            {"rel_distinct", .07325},
            {"res_distinct", .15},
            {"unc", .25},
            {"mcb_corp", .04825},
            {"dsc_corp", .125},
            // Expected errors among the top k: 0 .5 1 1 1 1.5 2 3 4 5.
            {"aurc", (.5 / 2 + 1. / 3 + 1. / 4 + 1. / 5 + 1.5 / 6 + 2. / 7 + 3. / 8 + 4. / 9 + 5. / 10) / 10},
            {"aurc_oracle", (1. / 6 + 2. / 7 + 3. / 8 + 4. / 9 + 5. / 10) / 10},
            {"augrc", .19},
            {"selacc80", 5. / 8},
            {"selacc90", 5. / 9},
            {"selacc95", .5},
            {"cov_at_acc90", .1},
            {"alignment_elical", .625},
            {"alignment_elical_threshold", .91},
            {"acc_at_thr50", .8},
            {"alignment_oracle", .8}};
        for (const auto& [name, expected] : table) QTest::newRow(name) << expected;
    }
    void workedExample() {
        QFETCH(double, expected);
        const double got = value(kConfidence, kCorrect, QTest::currentDataTag());
        QVERIFY2(near(got, expected), qPrintable(QString::number(got, 'g', 17)));
    }

    void roundedInTheSpecification() {
        QVERIFY(near(value(kConfidence, kCorrect, "rmsce_ew15"), .270647, 5e-7));
        QCOMPARE(value(kConfidence, kCorrect, "rmsce_ew15_debiased"), 0.0);
        QVERIFY(near(value(kConfidence, kCorrect, "ece_ew10_debiased_l1"), .187222, 5e-7));
        QVERIFY(near(value(kConfidence, kCorrect, "smece"), .126852, 5e-7));
        QVERIFY(near(value(kConfidence, kCorrect, "nll"), .543903483729506));
        QVERIFY(near(value(kConfidence, kCorrect, "prr"), .654087, 5e-7));
        QVERIFY(near(value(kConfidence, kCorrect, "prr50"), .885559, 5e-7));
    }

    // Ranks 10 8.5 8.5 7 6 4.5 4.5 3 2 1 with correctness: sum of (rank - 5.5)(correct - .5) is 8.5, of squared
    // ranks 81.5.
    void rankCorrelation() {
        QVERIFY(near(value(kConfidence, kCorrect, "spearman"), 8.5 / std::sqrt(81.5 * 2.5)));
        QVERIFY(near(spearman(kConfidence, kCorrect).number, 8.5 / std::sqrt(81.5 * 2.5)));
        QCOMPARE(spearman(List{1, 2, 3}, List{5, 6, 9}).number, 1.0);
        QCOMPARE(spearman(List{1, 2, 3}, List{9, 6, 5}).number, -1.0);
        QVERIFY(!spearman(List{1, 1, 1}, List{9, 6, 5}).defined());
    }

    void confidencesOfOneAndZeroHaveABin() {
        QVERIFY(near(value({.95, 1}, {1, 0}, "ece_ew10"), .475));
        QVERIFY(near(value({.9, .9, .9, .9, .9}, {1, 0, 0, 0, 0}, "ece_em10"), .7));
        QCOMPARE(value({1, 1, 1, 1}, {0, 0, 0, 0}, "ece_ew10"), 1.0);
        const List confidence = {1, 1, 1, 1, 0}, correct = {0, 0, 1, 1, 1};
        const Binning two = binByConfidence(confidence, correct, {BinRule::EqualWidth, 2, 20});
        QCOMPARE(two.bins[0].count, 1);
        QCOMPARE(two.bins[1].count, 4);
        const Binning three = binByConfidence(confidence, correct, {BinRule::EqualWidth, 3, 20});
        QCOMPARE(three.bins[1].count, 0);
        QCOMPARE(three.bins[2].correct, 2.0);
    }

    // k/20 on ten bins, closed on the right.
    void twentiethsFallIntoTheirBins() {
        const std::vector<std::int32_t> expected = {0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9};
        List confidence, correct(21, 0.0);
        for (int k = 0; k <= 20; ++k) confidence.push_back(k / 20.0);
        QCOMPARE(binByConfidence(confidence, correct, {}).binOf, expected);
    }

    void theEvaluationOfEliCalIsReproduced() {
        List confidence, correct;
        const auto add = [&](int rows, double c, int right) {
            for (int i = 0; i < rows; ++i) {
                confidence.push_back(c);
                correct.push_back(i < right);
            }
        };
        add(400, 1, 320);
        add(50, .95, 35);
        add(300, .5, 150);
        add(250, .1, 25);
        QVERIFY(near(value(confidence, correct, "ece10_elical"), .0125));
        QVERIFY(near(value(confidence, correct, "ece_ew10"), .0925));
        QVERIFY(near(value({.9, .9, .5, .5, .1}, {1, 0, 1, 0, 0}, "auroc"), 2. / 3));
    }

    // The first fifth picks the threshold: of these rows 4, 3 and 2.
    void alignmentPicksAsEliCalDoes() {
        const auto threshold = [](List confidence, List correct) {
            confidence.resize(5 * confidence.size(), .3);
            correct.resize(5 * correct.size(), 1);
            return alignmentElical({confidence, correct}).threshold;
        };
        QCOMPARE(threshold({.1, .35, .35, .8}, {0, 1, 0, 1}), .11);
        QCOMPARE(threshold({.7, .7, .7}, {1, 0, 1}), .5);
        QCOMPARE(threshold({.2, .6}, {0, 0}), .21);
    }

    void directionIsNeverFlipped() {
        QCOMPARE(value({.1, .2, .8, .9}, {1, 1, 0, 0}, "auroc"), 0.0);
        QCOMPARE(value({.1, .2, .8, .9}, {0, 0, 1, 1}, "auroc"), 1.0);
        const Metric scores = auroc({List{-3.5, 12, 7}, List{0, 1, 1}});  // scores need no range
        QCOMPARE(scores.value, 1.0);
    }

    void singlePrecisionOneHasAFiniteLoss() {
        QVERIFY(near(value({static_cast<double>(1.0f)}, {1}, "nll"), 2.220446049250313e-16, 1e-30));
        QVERIFY(near(value({1}, {0}, "nll"), 36.04365338911715));
        QVERIFY(std::isinf(value({1}, {0}, "nll_unclipped")));
        QCOMPARE(value({1, 1, 1}, {1, 1, 1}, "brier"), 0.0);
    }

    void undefinedSaysWhy() {
        const List confidence(40, .5), correct(40, 1);
        QCOMPARE(metric({confidence, correct}, "auroc").undefinedReason,
                 std::string("only correct answers: 0 wrong of 40"));
        const List one = {1, 0, 0, 0}, four = {.9, .8, .3, .2};
        QCOMPARE(metric({four, one}, "auroc").value, 1.0);
        QVERIFY(!metric({four, one}, "delong_var").defined());
        QVERIFY(!metric({four, one}, "calibration_slope").defined());
        const List weights = {1, 2, 1, 1};
        QCOMPARE(metric({four, one, weights}, "smece").undefinedReason, std::string("has no weighted form"));
    }

    void rocGoesFromCornerToCorner() {
        const std::vector<RocPoint> curve = rocCurve({kConfidence, kCorrect});
        QCOMPARE(curve.size(), std::size_t{9});
        QVERIFY(std::isinf(curve.front().threshold));
        QCOMPARE(curve[2].falsePositiveRate, .2);
        QCOMPARE(curve[2].truePositiveRate, .4);
        QCOMPARE(curve[2].threshold, .9);
        QCOMPARE(curve.back().falsePositiveRate, 1.0);
        QCOMPARE(curve.back().truePositiveRate, 1.0);
        QVERIFY(rocCurve({List{.5}, List{1}}).empty());
    }

    void faultsAreReportedInOrder() {
        const List nan = {std::nan(""), 2}, three = {3, 0}, half = {.5, .5}, ok = {0, 1}, minus = {-1, 1},
                   zero = {0, 0};
        QCOMPARE(codeOf({nan, List{1}}), std::string("length_mismatch"));
        QCOMPARE(codeOf({List{}, List{}}), std::string("empty"));
        QCOMPARE(codeOf({nan, three}), std::string("non_finite_conf"));
        QCOMPARE(codeOf({List{2, 0}, three}), std::string("conf_out_of_range"));
        QCOMPARE(codeOf({half, three, minus}), std::string("bad_label"));
        QCOMPARE(codeOf({half, ok, minus}), std::string("bad_weight"));
        QCOMPARE(codeOf({half, ok, zero}), std::string("zero_weight_sum"));
        QVERIFY_EXCEPTION_THROWN(metric({half, ok}, "auroc2"), InputError);
    }
};

CANDOR_TEST(MetricsHandTest);
#include "metrics_hand_test.moc"
