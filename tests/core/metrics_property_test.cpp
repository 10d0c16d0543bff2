// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "core/metrics/alignment.h"
#include "core/metrics/binning.h"
#include "core/metrics/delong.h"
#include "core/metrics/isotonic.h"
#include "core/metrics/metrics.h"
#include "core/metrics/random.h"
#include "core/metrics/selective.h"
#include "core/metrics/smooth_ece.h"
#include "core/metrics/tie_blocks.h"
#include "tests/testing.h"

using namespace candor;

namespace {

struct Rows {
    std::vector<double> confidence, correct, weights;
    Scored scored() const { return {confidence, correct, weights}; }
};

// `levels` > 0: confidences on a grid, so with ties.
Rows made(int n, std::uint64_t seed, int levels = 0) {
    Rows rows;
    Lcg random(seed);
    for (int i = 0; i < n; ++i) {
        const double u = random.unit();
        rows.confidence.push_back(levels > 0 ? std::floor(u * (levels + 1)) / levels : u);
        rows.correct.push_back(random.unit() < .2 + .6 * u);
    }
    return rows;
}

Rows shuffled(const Rows& rows, std::uint64_t seed) {
    std::vector<std::size_t> order(rows.confidence.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    Lcg random(seed);
    for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
    Rows result = rows;
    for (std::size_t i = 0; i < order.size(); ++i) {
        result.confidence[i] = rows.confidence[order[i]];
        result.correct[i] = rows.correct[order[i]];
        if (!rows.weights.empty()) result.weights[i] = rows.weights[order[i]];
    }
    return result;
}

bool near(double a, double b, double tolerance) { return std::abs(a - b) <= tolerance; }

// The Gaussian of width s at distance x, reflected at 0 and 1, by its images.
double reflectedGaussian(double at, double t, double s) {
    double sum = 0;
    for (int image = -8; image <= 8; ++image)
        for (const double mirrored : {at, -at}) {
            const double z = (t - mirrored - 2 * image) / s;
            sum += std::exp(-z * z / 2);
        }
    return sum / (s * std::sqrt(2 * std::numbers::pi));
}

double smoothedGap(const Rows& rows, double s) {
    constexpr int cells = 4000;
    double integral = 0;
    for (int i = 0; i <= cells; ++i) {
        double sum = 0;
        for (std::size_t row = 0; row < rows.confidence.size(); ++row)
            sum += (rows.confidence[row] - rows.correct[row]) *
                   reflectedGaussian(rows.confidence[row], static_cast<double>(i) / cells, s);
        integral += std::abs(sum) / static_cast<double>(rows.confidence.size()) * (i == 0 || i == cells ? .5 : 1);
    }
    return integral / cells;
}

}  // namespace

// What must hold for all rows, and slow evaluations of the definitions to compare with.
class MetricsPropertyTest : public QObject {
    Q_OBJECT

  private slots:
    // Equal to the last bit, weights or none.
    void orderOfRowsNeverMatters_data() {
        QTest::addColumn<int>("levels");
        QTest::addColumn<bool>("weighted");
        QTest::newRow("all different") << 0 << false;
        QTest::newRow("21 values") << 20 << false;
        QTest::newRow("weighted") << 20 << true;
    }
    void orderOfRowsNeverMatters() {
        QFETCH(int, levels);
        QFETCH(bool, weighted);
        Rows rows = made(997, 3, levels);
        Lcg random(8);
        if (weighted)
            for (std::size_t i = 0; i < rows.confidence.size(); ++i) rows.weights.push_back(random.unit());
        const Rows other = shuffled(rows, 5);
        const auto a = allMetrics(rows.scored()), b = allMetrics(other.scored());
        QCOMPARE(a.size(), metricNames().size());
        for (std::size_t i = 0; i < a.size(); ++i)
            if (!a[i].name.starts_with("alignment_elical")) QVERIFY2(a[i].value == b[i].value, a[i].name.c_str());
    }

    void everyRowHasExactlyOneBin() {
        std::vector<double> confidence;
        for (const int bins : {2, 3, 10, 15, 20})
            for (int i = 0; i <= bins; ++i)
                for (const double towards : {0.0, i / static_cast<double>(bins), 1.0})
                    confidence.push_back(std::nextafter(i / static_cast<double>(bins), towards));
        confidence.push_back(-0.0);
        const std::vector<double> correct(confidence.size(), 1.0);
        for (const BinRule rule : {BinRule::EqualWidth, BinRule::EqualMass, BinRule::Grid})
            for (const int bins : {1, 2, 3, 10, 15, 20, 100}) {
                const Binning result = binByConfidence(confidence, correct, {rule, bins, bins});
                QCOMPARE(result.bins.size(), static_cast<std::size_t>(rule == BinRule::Grid ? bins + 1 : bins));
                std::int64_t sum = 0;
                for (const Bin& bin : result.bins) sum += bin.count;
                QCOMPARE(sum, static_cast<std::int64_t>(confidence.size()));
                for (std::size_t i = 0; i < confidence.size(); ++i) {
                    const auto b = static_cast<std::size_t>(result.binOf[i]);
                    const Bin& bin = result.bins[b];
                    QVERIFY(confidence[i] <= bin.upper && (confidence[i] > bin.lower || bin.lower == 0));
                }
            }
    }

    void gridBinsHoldTheirValue() {
        for (const int steps : {5, 10, 20, 100}) {
            std::vector<double> confidence, correct;
            for (int j = 0; j <= steps; ++j) confidence.push_back(j / static_cast<double>(steps));
            correct.assign(confidence.size(), 0);
            const Binning result = binByConfidence(confidence, correct, {BinRule::Grid, 10, steps});
            for (int j = 0; j <= steps; ++j) QCOMPARE(result.binOf[static_cast<std::size_t>(j)], j);
        }
    }

    void weightsReplicateRows() {
        Rows rows = made(60, 4, 10), replicated;
        Lcg random(1);
        for (std::size_t i = 0; i < rows.confidence.size(); ++i) {
            rows.weights.push_back(static_cast<double>(random.below(4)));
            for (double copy = 0; copy < rows.weights[i]; ++copy) {
                replicated.confidence.push_back(rows.confidence[i]);
                replicated.correct.push_back(rows.correct[i]);
            }
        }
        for (const char* name : {"accuracy", "auroc", "auprc_correct", "ece_ew10", "brier", "nll"})
            QVERIFY2(near(metric(rows.scored(), name).value, metric(replicated.scored(), name).value, 1e-12), name);
    }

    void brierIsTheSumOfItsParts() {
        const Rows rows = made(500, 6);
        const auto value = [&](const char* name) { return metric(rows.scored(), name).value; };
        QVERIFY(near(value("brier"), value("rel_distinct") - value("res_distinct") + value("unc"), 1e-12));
        QVERIFY(near(value("brier"),
                     value("rel_ew10") - value("res_ew10") + value("unc") + value("wbv_ew10") - value("wbc_ew10"),
                     1e-12));
        QVERIFY(near(value("brier"), value("mcb_corp") - value("dsc_corp") + value("unc"), 1e-12));
    }

    // All pairs, and DeLong's variance straight from its definition.
    void aurocAndDelongOfAllPairs() {
        const Rows rows = made(150, 9, 20);
        std::vector<double> right, wrong;
        for (std::size_t i = 0; i < rows.correct.size(); ++i)
            (rows.correct[i] != 0 ? right : wrong).push_back(rows.confidence[i]);
        const auto psi = [](double a, double b) { return a > b ? 1.0 : a == b ? .5 : 0.0; };
        const auto variance = [](const std::vector<double>& v) {
            const double n = static_cast<double>(v.size()), mean = std::accumulate(v.begin(), v.end(), 0.0) / n;
            double sum = 0;
            for (double x : v) sum += (x - mean) * (x - mean);
            return sum / (n - 1) / n;
        };
        std::vector<double> v10(right.size()), v01(wrong.size());
        double area = 0;
        for (std::size_t i = 0; i < right.size(); ++i)
            for (std::size_t j = 0; j < wrong.size(); ++j) {
                const double won = psi(right[i], wrong[j]);
                v10[i] += won / static_cast<double>(wrong.size());
                v01[j] += won / static_cast<double>(right.size());
                area += won / static_cast<double>(right.size() * wrong.size());
            }
        QVERIFY(near(metric(rows.scored(), "auroc").value, area, 1e-12));
        QVERIFY(near(metric(rows.scored(), "delong_var").value, variance(v10) + variance(v01), 1e-14));
    }

    void monotoneTransformsLeaveRanksAlone() {
        const Rows rows = made(300, 2);
        Rows squared = rows;
        for (double& c : squared.confidence) c *= c;
        for (const char* name : {"auroc", "delong_var", "auprc_correct", "aurc", "prr", "spearman", "mcb_corp"})
            if (std::string(name) != "mcb_corp")
                QCOMPARE(metric(rows.scored(), name).value, metric(squared.scored(), name).value);
            else
                QVERIFY(metric(rows.scored(), name).value != metric(squared.scored(), name).value);
    }

    // Scores on any scale have the ranking metrics of their ranks, and nothing else.
    void scoresHaveRankingMetricsOnly() {
        const Rows rows = made(200, 3, 20);
        Rows scores = rows;
        for (double& c : scores.confidence) c = 30 * c - 20;
        const auto probabilities = allMetrics(rows.scored()), ranks = scoreMetrics(scores.scored());
        QCOMPARE(ranks.size(), probabilities.size());
        int defined = 0;
        for (std::size_t i = 0; i < ranks.size(); ++i) {
            QCOMPARE(ranks[i].name, probabilities[i].name);
            if (ranks[i].defined()) QCOMPARE(ranks[i].value, probabilities[i].value);
            defined += ranks[i].defined();
        }
        QVERIFY(defined >= 20 && !ranks[2].defined());
    }

    // Mean over every order of the ties of 7 rows.
    void tiesAreAveragedOverAllOrders() {
        const Rows rows{{.9, .9, .9, .5, .5, .2, .2}, {1, 0, 1, 0, 1, 0, 1}, {}};
        std::vector<std::size_t> order = {0, 1, 2, 3, 4, 5, 6};
        double aurc = 0, top3 = 0, orders = 0;
        do {
            if (!std::is_sorted(order.begin(), order.end(),
                                [&](std::size_t a, std::size_t b) { return rows.confidence[a] > rows.confidence[b]; }))
                continue;
            double errors = 0;
            for (std::size_t k = 0; k < 7; ++k) {
                errors += 1 - rows.correct[order[k]];
                aurc += errors / static_cast<double>(k + 1) / 7;
                if (k == 3) top3 += 1 - errors / 4;
            }
            ++orders;
        } while (std::next_permutation(order.begin(), order.end()));
        QCOMPARE(orders, 24.0);
        QVERIFY(near(metric(rows.scored(), "aurc").value, aurc / orders, 1e-12));
        QVERIFY(near(selectiveAccuracy(tieBlocks(rows.scored()), 50), top3 / orders, 1e-12));  // k = ceil(3.5)
    }

    // The fixed point, checked with the kernel in its other form (images instead of cosines).
    void smoothErrorIsItsOwnWidth() {
        for (const Rows& rows : {made(40, 1), made(80, 5, 10)}) {
            const double s = smoothCalibrationError(tieBlocks(rows.scored()));
            QVERIFY2(near(smoothedGap(rows, s), s, 1e-6), qPrintable(QString::number(smoothedGap(rows, s) - s)));
        }
    }

    // More distinct confidences than the grid has points: the grid must not show.
    void smoothErrorOnTheGridIsThatOfTheRows() {
        const Rows rows = made(16000, 3), twice = [&] {
            Rows both = rows;
            for (double c : rows.confidence) both.confidence.push_back(std::nextafter(c, 0.5));
            both.correct.insert(both.correct.end(), rows.correct.begin(), rows.correct.end());
            return both;
        }();
        const TieBlocks few = tieBlocks(rows.scored()), many = tieBlocks(twice.scored());
        QVERIFY(few.blocks.size() < 16384 && many.blocks.size() > 16384);
        QVERIFY(near(smoothCalibrationError(few), smoothCalibrationError(many), 1e-7));
    }

    // The largest of lower means: the minimax formula of isotonic regression.
    void pooledValuesAreTheMinimax() {
        const TieBlocks rows = tieBlocks(made(120, 7, 30).scored());
        const std::vector<double> fitted = poolAdjacentViolators(rows);
        const std::size_t n = rows.blocks.size();
        for (std::size_t i = 0; i < n; ++i) {
            double best = 0;
            for (std::size_t from = 0; from <= i; ++from) {
                double least = 1, count = 0, correct = 0;
                for (std::size_t to = from; to < n; ++to) {
                    count += rows.blocks[to].count;
                    correct += rows.blocks[to].correct;
                    if (to >= i) least = std::min(least, correct / count);
                }
                best = std::max(best, least);
            }
            QVERIFY(near(fitted[i], best, 1e-12));
        }
    }

    void randomAlignmentIsBetweenChanceAndHindsight() {
        const Rows rows = made(2000, 12);
        const TieBlocks blocks = tieBlocks(rows.scored());
        const RandomAlignment random = alignmentRandom(blocks);
        QCOMPARE(random.seeds, 20);
        QVERIFY(random.deviation > 0 && random.deviation < .03);
        QVERIFY(random.mean > .55 && random.mean <= alignmentOracle(blocks).value + .03);
        QVERIFY(alignmentRandom(blocks, 20, 1).mean != random.mean);
    }

    // A model of known line: logit(P) = 0.5 logit(confidence) - 0.3.
    void calibrationLineIsRecovered() {
        Rows rows;
        Lcg random(21);
        for (int i = 0; i < 100000; ++i) {
            const double c = .01 + .98 * random.unit();
            rows.confidence.push_back(c);
            rows.correct.push_back(random.unit() < 1 / (1 + std::exp(-(.5 * std::log(c / (1 - c)) - .3))));
        }
        QVERIFY(near(metric(rows.scored(), "calibration_slope").value, .5, .02));
        QVERIFY(near(metric(rows.scored(), "spearman").value, .3, .1));
        const double intercept = metric(rows.scored(), "calibration_intercept").value;
        QVERIFY(intercept < -.3 && intercept > -.7);
    }
};

CANDOR_TEST(MetricsPropertyTest);
#include "metrics_property_test.moc"
