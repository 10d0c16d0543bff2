// SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>
#include <numeric>

#include "core/error.h"
#include "core/metrics/bootstrap.h"
#include "core/metrics/crossed_bootstrap.h"
#include "core/metrics/delong.h"
#include "core/metrics/metrics.h"
#include "core/metrics/normal.h"
#include "core/metrics/perfect_calibration.h"
#include "core/metrics/random.h"
#include "core/metrics/resample.h"
#include "tests/testing.h"

using namespace candor;

namespace {

using List = std::vector<double>;

const List kConfidence = {.95, .90, .90, .80, .70, .60, .60, .40, .30, .10};
const List kCorrect = {1, 1, 0, 1, 1, 0, 1, 0, 0, 0};

bool near(double a, double b, double tolerance = 1e-12) { return std::abs(a - b) <= tolerance; }

struct Rows {
    List confidence, correct;
    Scored scored() const { return {confidence, correct}; }
};

// P(correct) = confidence + shift, cut to [0, 1].
Rows made(int n, std::uint64_t seed, double shift = 0) {
    Rows rows;
    Lcg random(seed);
    for (int i = 0; i < n; ++i) {
        rows.confidence.push_back(random.unit());
        rows.correct.push_back(random.unit() < rows.confidence.back() + shift);
    }
    return rows;
}

BootstrapInterval one(const Rows& rows, const std::string& name, const BootstrapOptions& options) {
    return bootstrap(rows.scored(), std::vector<std::string>{name}, options).at(0);
}

}  // namespace

class MetricsIntervalsTest : public QObject {
    Q_OBJECT

  private slots:
    void normalQuantilesInvertTheCdf() {
        QVERIFY(near(normalQuantile(.975), 1.959963984540054, 1e-14));
        QCOMPARE(normalQuantile(.5), 0.0);
        for (const double p : {1e-300, 1e-12, .001, .02, .3, .7, .999, 1 - 1e-12})
            QVERIFY(near(normalCdf(normalQuantile(p)) / p, 1, 1e-12));
        QVERIFY(std::isinf(normalQuantile(0)) && std::isinf(normalQuantile(1)) && std::isnan(normalQuantile(2)));
    }

    // Wilson 1927: 8 of 10, and the rule of the ends z^2 / (n + z^2).
    void wilsonKeepsInsideTheUnit() {
        const Interval some = wilson(8, 10);
        QVERIFY(near(some.lo, .49016, 5e-6) && near(some.hi, .94331, 1e-5));
        const double zz = 1.959963984540054 * 1.959963984540054;
        const Interval none = wilson(0, 10), all = wilson(10, 10);
        QCOMPARE(none.lo, 0.0);
        QVERIFY(near(none.hi, zz / (10 + zz)));
        QCOMPARE(all.hi, 1.0);
        QVERIFY(near(all.lo, 10 / (10 + zz)));
        QCOMPARE(wilson(0, 0).hi, 1.0);
        QVERIFY_EXCEPTION_THROWN(wilson(3, 2), InputError);
    }

    void quantilesAreOfTypeSeven() {
        const List values = {1, 2, 4, 8};
        QCOMPARE(quantile(values, 0), 1.0);
        QCOMPARE(quantile(values, .5), 3.0);
        QCOMPARE(quantile(values, .9), 4 + .7 * 4);
        QCOMPARE(quantile(values, 1), 8.0);
        const List infinite = {0, INFINITY, INFINITY};
        QVERIFY(std::isinf(quantile(infinite, .9)));
    }

    // Five rows a class: the logit scale. Width 1.96 se / (a (1 - a)) around log(.84 / .16).
    void delongOfFewRowsIsOnTheLogitScale() {
        const DelongInterval few = delongInterval({kConfidence, kCorrect});
        QVERIFY(few.scale == AurocScale::Logit);
        QVERIFY(near(few.standardError, std::sqrt(.0212)));
        const double reach = 1.959963984540054 * std::sqrt(.0212) / (.84 * .16);
        QVERIFY(near(std::log(few.lo / (1 - few.lo)), std::log(.84 / .16) - reach, 1e-9));
        QVERIFY(near(std::log(few.hi / (1 - few.hi)), std::log(.84 / .16) + reach, 1e-9));
        const Rows many = made(400, 2);
        const DelongInterval plain = delongInterval(many.scored(), .9);
        QVERIFY(plain.scale == AurocScale::Plain);
        QVERIFY(near(plain.hi - plain.auroc, 1.6448536269514722 * plain.standardError, 1e-12));
        const DelongInterval perfect = delongInterval({List{.9, .8, .2, .1}, List{1, 1, 0, 0}});
        QVERIFY(perfect.lo == 1 && perfect.hi == 1 && perfect.undefinedReason.empty());
        QVERIFY(!delongInterval({List{.9, .8}, List{1, 0}}).undefinedReason.empty());
    }

    void pairedDelongNeedsNoPairsOfTheSame() {
        const PairedDelong apart = delongPaired(List{.9, .8, .2, .1}, List{.1, .2, .8, .9}, List{1, 1, 0, 0});
        QCOMPARE(apart.diff, 1.0);
        QVERIFY(!apart.z && apart.p == 0);
        QVERIFY(!delongPaired(List{.9, .8}, List{.1, .2}, List{1, 0}).undefinedReason.empty());
    }

    void percentileIntervalOfTheExample() {
        BootstrapOptions options;
        options.resamples = 400;
        options.seed = 42;
        const BootstrapInterval got = one({kConfidence, kCorrect}, "auroc", options);
        QVERIFY(near(got.lo, .523810, 5e-7) && got.hi == 1 && near(got.mean, .841596, 5e-7));
        QCOMPARE(got.skipped, 0);
    }

    void resamplesThatSayNothingAreCounted() {
        BootstrapOptions options;
        options.resamples = 50;
        const BootstrapInterval none = one({{.2, .4}, {1, 1}}, "auroc", options);
        QCOMPARE(none.skipped, 50);
        QVERIFY(!none.undefinedReason.empty());
        const BootstrapInterval infinite = one({{0, 0}, {1, 1}}, "nll_unclipped", options);
        QVERIFY(std::isinf(infinite.lo) && std::isinf(infinite.hi));
        options.resamples = 0;
        QVERIFY_EXCEPTION_THROWN(one({{.2}, {1}}, "auroc", options), InputError);
    }

    void allMetricsCanBeResampled() {
        BootstrapOptions options;
        options.resamples = 20;
        const Rows rows = made(100, 4);
        const auto all = bootstrap(rows.scored(), metricNames(), options);
        for (const BootstrapInterval& interval : all)
            QVERIFY2(interval.skipped < 20 && interval.lo <= interval.hi, interval.name.c_str());
        std::stop_source stop;
        stop.request_stop();
        options.stop = stop.get_token();
        QVERIFY_EXCEPTION_THROWN(one(rows, "auroc", options), Stopped);
    }

    // Every question four times: the rows know a quarter of what they seem to.
    void repeatedQuestionsAreDrawnTogether() {
        const Rows rows = made(200, 5);
        Rows repeated;
        std::vector<std::int64_t> own, cluster;
        for (std::size_t i = 0; i < 200; ++i) {
            own.push_back(static_cast<std::int64_t>(i) + 7);
            for (int copy = 0; copy < 4; ++copy) {
                repeated.confidence.push_back(rows.confidence[i]);
                repeated.correct.push_back(rows.correct[i]);
                cluster.push_back(static_cast<std::int64_t>(i));
            }
        }
        BootstrapOptions options;
        const BootstrapInterval plain = one(rows, "accuracy", options), naive = one(repeated, "accuracy", options);
        options.cluster = own;
        QCOMPARE(one(rows, "accuracy", options).lo, plain.lo);
        options.cluster = cluster;
        const BootstrapInterval clustered = one(repeated, "accuracy", options);
        QVERIFY(near(clustered.lo, plain.lo) && near(clustered.hi, plain.hi));
        QVERIFY(naive.hi - naive.lo < .6 * (clustered.hi - clustered.lo));
    }

    // Expected ECE of a calibrated model of 1,000 rows is .031, of its resamples .045 (metrics.md B.14).
    void noiseOfACalibratedModelIsKnown() {
        const Rows rows = made(1000, 11);
        const PerfectCalibration noise = perfectCalibration(rows.confidence, rows.correct, {});
        QVERIFY(near(noise.expected, .031, .002));
        QVERIFY(noise.lo < noise.expected && noise.expected < noise.hi && noise.p > .01);
        QCOMPARE(noise.ece, metric(rows.scored(), "ece_ew10").value);
        QCOMPARE(noise.bands.size(), std::size_t{10});
        // About 100 rows a bin, the middle one at .45: a standard deviation of .05.
        QVERIFY(near(noise.bands[4].hi - noise.bands[4].lo, 2 * 1.96 * .05, .04));
        QVERIFY(noise.bands[4].lo < .45 && noise.bands[4].hi > .45);
        double resampled = 0;
        BootstrapOptions options;
        options.resamples = 100;
        for (std::uint64_t seed = 0; seed < 20; ++seed)
            resampled += one(made(1000, 31 * seed), "ece_ew10", options).mean / 20;
        QVERIFY2(near(resampled, .045, .003), qPrintable(QString::number(resampled)));
        const Rows off = made(1000, 11, -.2);
        QVERIFY(perfectCalibration(off.confidence, off.correct, {}).p < .01);
    }

    // Over 200 sets each: the true ECE lies inside about as often as the level says, perfect calibration included.
    void correctedEceIntervalsCover_data() {
        QTest::addColumn<int>("rows");
        QTest::addColumn<double>("shift");
        QTest::newRow("calibrated") << 300 << .0;
        QTest::newRow("calibrated, many") << 3000 << .0;
        QTest::newRow("overconfident") << 300 << -.2;
    }
    void correctedEceIntervalsCover() {
        QFETCH(int, rows);
        QFETCH(double, shift);
        const double truth = shift == 0 ? 0 : .2 - .2 * .2 / 2;  // below a confidence of .2 less is missing
        int inside = 0, above = 0;
        Lcg seeds(99);
        for (int trial = 0; trial < 200; ++trial) {
            const Rows set = made(rows, seeds.next() ^ seeds.next() >> 32, shift);
            CalibrationDraws options;
            options.draws = 400;
            const EceInterval interval = eceInterval(set.confidence, set.correct, {}, options);
            inside += interval.lo <= truth && truth <= interval.hi;
            above += interval.median > truth;
            QVERIFY(interval.lo <= interval.median && interval.median <= interval.hi);
        }
        QVERIFY2(inside >= 172, qPrintable(QString::number(inside)));
        QVERIFY2(above >= 70 && above <= 130, qPrintable(QString::number(above)));
    }

    void methodsArePairedBySeedAndQuestion() {
        CrossedSet set;
        const Rows rows = made(300, 6);
        set.correct = rows.correct;
        Lcg random(3);
        for (int seed = 0; seed < 3; ++seed) {
            set.first.push_back(rows.confidence);
            for (double& c : set.first.back()) c = std::min(1.0, c * (.9 + .1 * random.unit()));
            set.second.push_back(set.first.back());
        }
        const std::vector<CrossedSet> sets = {set, set};
        const CrossedBootstrap same = crossedBootstrap(sets, {});
        QCOMPARE(same.difference.value, 0.0);
        QVERIFY(same.difference.interval.lo == 0 && same.difference.interval.hi == 0 && same.p == 1);
        QVERIFY(same.first.interval.hi - same.first.interval.lo > .02);
        // A method that is a little worse on every row: the paired interval sees what two separate ones cannot.
        std::vector<CrossedSet> worse = sets;
        for (CrossedSet& one : worse)
            for (auto& seed : one.second)
                for (double& c : seed) c = .95 * c + .05 * random.unit();
        for (const SetAverage average : {SetAverage::Macro, SetAverage::Weighted, SetAverage::Pooled}) {
            CrossedOptions options;
            options.average = average;
            options.resamples = 300;
            const CrossedBootstrap result = crossedBootstrap(worse, options);
            const Interval paired = result.difference.interval, alone = result.first.interval;
            QVERIFY(paired.hi - paired.lo < .5 * (alone.hi - alone.lo));
            QVERIFY(near(result.difference.value, result.first.value - result.second.value));
        }
    }

    // One seed that is far off widens the interval of the mean over seeds; more questions do not help.
    void seedsAreResampledToo() {
        CrossedSet set;
        const Rows rows = made(5000, 8);
        set.correct = rows.correct;
        set.first = {rows.confidence, rows.confidence, List(5000, .5)};
        const std::vector<CrossedSet> sets = {set};
        CrossedOptions options;
        options.resamples = 200;
        const CrossedBootstrap result = crossedBootstrap(sets, options);
        QVERIFY(result.first.interval.hi - result.first.interval.lo > .15);
        QVERIFY(result.first.interval.lo >= .5);
    }

    // AUROC is undefined on the second set: it is left out, and of both methods.
    void setsWithoutAValueAreLeftOut() {
        const Rows rows = made(200, 9);
        CrossedSet good{rows.correct, {}, {rows.confidence}, {}}, bad{List(200, 1), {}, {rows.confidence}, {}};
        const std::vector<CrossedSet> both = {good, bad}, only = {bad};
        QCOMPARE(crossedBootstrap(both, {}).first.value, metric(rows.scored(), "auroc").value);
        QVERIFY(!crossedBootstrap(only, {}).undefinedReason.empty());
        CrossedSet uneven = good;
        uneven.first.push_back(rows.confidence);
        const std::vector<CrossedSet> wrong = {good, uneven};
        QVERIFY_EXCEPTION_THROWN(crossedBootstrap(wrong, {}), InputError);
    }
};

CANDOR_TEST(MetricsIntervalsTest);
#include "metrics_intervals_test.moc"
