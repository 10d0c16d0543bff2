// SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>

#include "core/error.h"
#include "core/metrics/comparison.h"
#include "core/metrics/groups.h"
#include "tests/testing.h"

using namespace candor;

namespace {

using List = std::vector<double>;
bool near(double a, double b, double tolerance = 1e-12) { return std::abs(a - b) <= tolerance; }

const GroupAverage& average(const GroupMetrics& metrics, const std::string& name) {
    for (const GroupAverage& one : metrics.averages)
        if (one.name == name) return one;
    throw Error("no average of " + name);
}

}  // namespace

class MetricsGroupsTest : public QObject {
    Q_OBJECT

  private slots:
    // Set a: accuracy 1/2, AUROC 1. Set b: accuracy 3/4, AUROC 0. Set c: one class.
    void threeAveragesUnderThreeNames() {
        const List confidence = {.9, .1, .2, .5, .5, .8, .7}, correct = {1, 0, 1, 1, 1, 0, 1};
        const std::vector<std::string> group = {"a", "a", "b", "b", "b", "b", "c"};
        const GroupMetrics got = groupMetrics({confidence, correct}, group);
        QCOMPARE(got.groups, (std::vector<std::string>{"a", "b", "c"}));
        const GroupAverage& accuracy = average(got, "accuracy");
        QCOMPARE(accuracy.sets, 3);
        QVERIFY(near(accuracy.macro.value, (.5 + .75 + 1) / 3));
        QVERIFY(near(accuracy.weighted.value, 5. / 7));
        QVERIFY(near(accuracy.pooled.value, 5. / 7));
        const GroupAverage& auroc = average(got, "auroc");
        QCOMPARE(auroc.sets, 2);
        QVERIFY(near(auroc.macro.value, .5));
        QVERIFY(near(auroc.weighted.value, 1. / 3));
        QVERIFY(near(auroc.pooled.value, .6));  // .9 beats .1 and .8, the other four beat .1
    }

    void undefinedEverywhereIsUndefined() {
        const List confidence = {.9, .1}, correct = {1, 1};
        const GroupAverage auroc =
            average(groupMetrics({confidence, correct}, std::vector<std::string>{"a", "b"}), "auroc");
        QCOMPARE(auroc.sets, 0);
        QVERIFY(!auroc.macro.defined() && !auroc.weighted.defined() && !auroc.pooled.defined());
        QVERIFY_EXCEPTION_THROWN(groupMetrics({confidence, correct}, std::vector<std::string>{"a"}), InputError);
    }

    void groupsWithoutWeightAreUndefined() {
        const List confidence = {.9, .1, .3}, correct = {1, 0, 1}, weights = {1, 2, 0};
        const GroupMetrics got = groupMetrics({confidence, correct, weights}, std::vector<std::string>{"a", "a", "b"});
        QVERIFY(!got.metrics[1][0].defined());
        QCOMPARE(average(got, "auroc").sets, 1);
    }

    void mcnemarIsExactAndSurvivesLargeCounts() {
        QCOMPARE(mcnemarExact(3, 12), .03515625);
        QCOMPARE(mcnemarExact(0, 5), .0625);
        QCOMPARE(mcnemarExact(0, 0), 1.0);
        QCOMPARE(mcnemarExact(7, 7), 1.0);
        QVERIFY(near(mcnemarExact(6, 7), 1));
        // Both ways of adding the tail meet at 1,000 discordant pairs; a million is near the normal law.
        QVERIFY(near(mcnemarExact(480, 520), .2174, 1e-3) && near(mcnemarExact(480, 521), .206, 2e-3));
        const double z = (500 * 2 - 1) / std::sqrt(1e6);
        QVERIFY(near(mcnemarExact(499500, 500500), std::erfc(z / std::sqrt(2)), 1e-4));
        const McNemar counted = mcnemar(List{1, 1, 0, 0, 1}, List{1, 0, 0, 1, 0});
        QCOMPARE(counted.onlyFirst, 2);
        QCOMPARE(counted.onlySecond, 1);
        QVERIFY_EXCEPTION_THROWN(mcnemar(List{.5}, List{1}), InputError);
        QVERIFY_EXCEPTION_THROWN(mcnemarExact(-1, 1), InputError);
    }

    void holmCountsOnlyTestsThatExist() {
        const HolmFamily family = adjusted({"budgets of nq", {{"500", .02, {}}, {"1k", {}, {}}, {"2k", .03, {}}}});
        QCOMPARE(family.size(), 2);
        QCOMPARE(*family.comparisons[0].adjusted, .04);
        QVERIFY(!family.comparisons[1].adjusted);
        QCOMPARE(*family.comparisons[2].adjusted, .04);
        QCOMPARE(holm(List{.9, .8}), (List{1, 1}));
        QVERIFY_EXCEPTION_THROWN(holm(List{std::nan("")}), InputError);
    }
};

CANDOR_TEST(MetricsGroupsTest);
#include "metrics_groups_test.moc"
