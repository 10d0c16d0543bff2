// SPDX-License-Identifier: GPL-3.0-or-later
#include <QApplication>
#include <QElapsedTimer>
#include <QImage>
#include <QSignalSpy>

#include "core/error.h"
#include "core/metrics/metrics.h"
#include "tests/testing.h"
#include "tests/ui/plot_samples.h"
#include "ui/plots/budget_sweep_plot.h"
#include "ui/plots/confidence_histogram.h"
#include "ui/plots/consistency.h"
#include "ui/plots/loss_plot.h"
#include "ui/plots/mean_interval.h"
#include "ui/plots/reliability_plot.h"
#include "ui/plots/risk_coverage_plot.h"
#include "ui/plots/roc_plot.h"
#include "ui/plots/smoothing.h"

using namespace candor;
using namespace candor::ui;

namespace {

// B.1 of the metric definitions.
PlotSeries basic10() {
    PlotSeries s;
    s.run = 7, s.method = QStringLiteral("elical"), s.budget = 250;
    s.confidence = {.95, .9, .9, .8, .7, .6, .6, .4, .3, .1};
    s.correct = {1, 1, 0, 1, 1, 0, 1, 0, 0, 0};
    for (qint64 i = 0; i < 10; ++i) s.question.push_back(100 + i);
    return s;
}

SweepPoint sweepPoint(const char* method, std::optional<qint64> budget, int seed, double value) {
    SweepPoint p;
    p.method = QString::fromLatin1(method), p.budget = budget, p.seed = seed, p.value = value;
    p.labels = budget ? (*budget == kAllLabels ? 1124 : *budget) : 0;
    return p;
}

}  // namespace

class PlotViewsTest : public QObject {
    Q_OBJECT
  private slots:
    void reliabilityShowsWhatEceCounts() {
        ReliabilityPlot plot;
        plot.setSeries({basic10()});
        const FigureData data = plot.data();
        QCOMPARE(data.rows(), 10);
        double count = 0, gap = 0;
        for (std::size_t b = 0; b < 10; ++b) {
            count += at(data, "count", b);
            if (at(data, "count", b) > 0)
                gap += at(data, "count", b) * std::abs(at(data, "accuracy", b) - at(data, "confidence", b));
        }
        QCOMPARE(count, 10.0);
        QVERIFY(std::abs(gap / 10 - 0.235) < 1e-12);
        QVERIFY(std::abs(at(data, "ece", 0) - 0.235) < 1e-12);
        QCOMPARE(at(data, "count", 8), 2.0);  // .9 is closed to its right: with .8 < c <= .9
        QVERIFY(std::isnan(at(data, "accuracy", 1)));
    }

    void reliabilityTakesEndsOfTheScale() {
        PlotSeries s = basic10();
        s.confidence.front() = 1, s.confidence.back() = 0;
        ReliabilityPlot plot;
        plot.setSeries({s});
        QCOMPARE(at(plot.data(), "count", 0), 1.0);
        QCOMPARE(at(plot.data(), "count", 9), 1.0);
    }

    void crowdedConfidencesGetEqualMass() {
        PlotSeries s = sampleSeries(1, "consis-sem", kAllLabels, 200);
        for (std::size_t i = 0; i < 150; ++i) s.confidence[i] = 0.95 + 0.0003 * double(i);
        ReliabilityPlot plot;
        plot.setSeries({s});
        QVERIFY(plot.note().contains(QStringLiteral("equal mass")));
        double total = 0;
        for (int b = 0; b < plot.data().rows(); ++b) total += at(plot.data(), "count", std::size_t(b));
        QCOMPARE(total, 200.0);
        ReliabilityOptions options;
        options.adaptRule = false;
        plot.setOptions(options);
        QVERIFY(!plot.note().contains(QStringLiteral("equal mass")));
    }

    void consistencyBandIsTheBinomialOne() {
        const std::vector<double> half(10, 0.5);  // P(X <= 1) = .0107, P(X <= 2) = .0547
        const Interval i = consistencyInterval(half, 0.95);
        QCOMPARE(i.lo, 0.2);
        QCOMPARE(i.hi, 0.8);
        const Interval many = consistencyInterval(std::vector<double>(4000, 0.5), 0.95);
        QVERIFY(std::abs(many.lo - (0.5 - 1.959964 * 0.5 / std::sqrt(4000.0))) < 1e-6);
    }

    void clickInABinSelectsItsQuestions() {
        ReliabilityPlot plot;
        plot.resize(500, 400);
        plot.setSeries({basic10()});
        plot.show();
        QSignalSpy spy(&plot, &PlotView::questionsSelected);
        plot.setFocus();
        // Marks by keyboard: .1, .3, .4, .6, .7, .8, then the bin up to .9.
        for (int i = 0; i < 7; ++i) QTest::keyClick(&plot, Qt::Key_Right);
        QTest::keyClick(&plot, Qt::Key_Return);
        QCOMPARE(spy.count(), 1);
        QCOMPARE(spy[0][0].value<QVector<qint64>>(), (QVector<qint64>{101, 102}));
        QVERIFY(spy[0][1].toString().contains(QStringLiteral("0.900]")));
    }

    void rocReadsBack() {
        RocPlot plot;
        plot.setSeries({basic10()});
        QVERIFY(std::abs(at(plot.data(), "auroc", 0) - 0.84) < 1e-12);
        const FigureData data = plot.data();
        const auto last = std::size_t(data.rows()) - 1;
        QCOMPARE(at(data, "false_positive_rate", 0), 0.0);
        QCOMPARE(at(data, "true_positive_rate", last), 1.0);
        QCOMPARE(data.rows(), 9);  // (0, 0) and one a distinct confidence
    }

    void oneClassSaysWhy() {
        PlotSeries s = basic10();
        std::fill(s.correct.begin(), s.correct.end(), 1.0);
        RocPlot plot;
        plot.setSeries({s});
        QVERIFY(plot.emptyReason().contains(QStringLiteral("0 wrong of 10")));
        QCOMPARE(plot.data().rows(), 0);
        std::fill(s.correct.begin(), s.correct.end(), 0.0);
        plot.setSeries({s, basic10()});
        QVERIFY(plot.emptyReason().isEmpty());
        QVERIFY(plot.note().contains(QStringLiteral("0 right of 10")));
    }

    void scoresAreNoProbabilities() {
        PlotSeries s = basic10();
        for (double& c : s.confidence) c = c * 40 - 3;
        ReliabilityPlot reliability;
        reliability.setSeries({s});
        QVERIFY(reliability.emptyReason().contains(QStringLiteral("scores")));
        RocPlot roc;
        roc.setSeries({s});
        QVERIFY(std::abs(at(roc.data(), "auroc", 0) - 0.84) < 1e-12);
        s.confidence[3] = NAN;
        roc.setSeries({s});
        QVERIFY(roc.emptyReason().contains(QStringLiteral("1 of 10")));
    }

    void lengthsMustAgree() {
        PlotSeries s = basic10();
        s.correct.pop_back();
        RocPlot plot;
        QVERIFY_EXCEPTION_THROWN(plot.setSeries({s}), InputError);
    }

    void equalNamesAreToldApart() {
        PlotSeries a = basic10(), b = basic10();
        b.run = 9;
        RocPlot plot;
        plot.setSeries({a, b});
        const QStringList labels = plot.data().column(QStringLiteral("label"))->text;
        QVERIFY(labels.first() != labels.last());
        QVERIFY(labels.last().contains(QStringLiteral("#9")));
    }

    void riskFollowsTheDefinition() {
        RiskCoveragePlot plot;
        plot.setSeries({basic10()});
        QVERIFY(std::abs(at(plot.data(), "aurc", 0) - 0.288849) < 1e-6);
        plot.setThreshold(0.9);
        QVERIFY(plot.note().contains(QStringLiteral("answers 30.0 %")));
        QSignalSpy spy(&plot, &RiskCoveragePlot::thresholdMoved);
        plot.resize(500, 400);
        plot.show();
        QTest::keyClick(&plot, Qt::Key_Down);
        QCOMPARE(spy.count(), 1);
        QCOMPARE(spy[0][0].toDouble(), 0.8);
        QCOMPARE(spy[0][1].toDouble(), 0.4);
        QCOMPARE(spy[0][2].toDouble(), 0.75);
    }

    void sweepGroupsSeeds() {
        BudgetSweepPlot plot;
        SweepOptions options;
        options.metric = QStringLiteral("AUROC");
        options.reference = 0.5;
        std::vector<SweepPoint> points;
        for (int seed = 0; seed < 3; ++seed) points.push_back(sweepPoint("elical", 100, seed, 0.70 + 0.01 * seed));
        points.push_back(sweepPoint("elical", kAllLabels, 0, 0.8));
        points.push_back(sweepPoint("cal-only", 100, 0, NAN));
        points.push_back(sweepPoint("consis-sem", std::nullopt, 0, 0.71));
        plot.setPoints(points, options);
        const FigureData data = plot.data();
        QCOMPARE(data.rows(), 4);
        QVERIFY(std::abs(at(data, "mean", 0) - 0.71) < 1e-12);
        QVERIFY(std::abs(at(data, "hi", 0) - (0.71 + 4.302653 * 0.01 / std::sqrt(3.0))) < 1e-6);
        QCOMPARE(data.column(QStringLiteral("budget"))->text[1], QStringLiteral("all"));
        QCOMPARE(at(data, "labels", 1), 1124.0);
        QVERIFY(std::isnan(at(data, "mean", 2)));
        QVERIFY(plot.note().contains(QStringLiteral("1 undefined")));
        QVERIFY(plot.visibleRange().top() <= 0.5);
        plot.setPoints({points[4]}, options);
        QVERIFY(!plot.emptyReason().isEmpty());
    }

    void meanIntervals() {
        QVERIFY(std::abs(studentQuantile(0.975, 1) - 12.7062047) < 1e-6);
        QVERIFY(std::abs(studentQuantile(0.975, 2) - 4.3026527) < 1e-6);
        QVERIFY(std::abs(studentQuantile(0.975, 5) - 2.5705818) < 1e-6);
        QVERIFY(std::abs(studentQuantile(0.975, 30) - 2.0422725) < 1e-6);
        QCOMPARE(meanInterval({0.5}).lo, 0.5);
        QCOMPARE(meanInterval({0.4, 0.6}).hi, 0.6);
        QCOMPARE(meanInterval({0.5, NAN, INFINITY}).undefined, 2);
        QVERIFY(std::isnan(meanInterval({}).mean));
    }

    void histogramSplitsByCorrectness() {
        ConfidenceHistogram plot;
        plot.setSeries(basic10());
        double right = 0, wrong = 0;
        for (int i = 0; i < plot.data().rows(); ++i)
            right += at(plot.data(), "correct", std::size_t(i)), wrong += at(plot.data(), "wrong", std::size_t(i));
        QCOMPARE(right, 5.0);
        QCOMPARE(wrong, 5.0);
    }

    void lossKeepsItsAxesUntilDataLeavesThem() {
        LossPlot plot;
        plot.resize(500, 400);
        plot.set(1, LossPlot::Curve::Train, {1, 50, 100}, {0.3, 0.2, 0.1});
        const QRectF before = plot.visibleRange();
        plot.set(1, LossPlot::Curve::Train, {1, 50, 99, 100}, {0.3, 0.25, 0.2, 0.12});
        QCOMPARE(plot.visibleRange(), before);
        plot.set(1, LossPlot::Curve::Train, {1, 50, 100, 101}, {0.3, 0.2, 0.1, 0.1});
        QVERIFY(plot.visibleRange().right() > 110);
        plot.clear();
        QVERIFY(!plot.emptyReason().isEmpty());
    }

    void lossRanges_data() {
        QTest::addColumn<std::vector<double>>("values");
        QTest::addColumn<double>("low");
        QTest::addColumn<double>("high");
        const double nan = NAN, inf = INFINITY;
        QTest::newRow("nan inside") << std::vector<double>{1, nan, 3} << 0.0 << 3.0;
        QTest::newRow("inf") << std::vector<double>{2, inf, 3, -inf} << 2.0 << 3.0;
        QTest::newRow("constant") << std::vector<double>{.5, .5} << 0.475 << 0.525;
        QTest::newRow("single") << std::vector<double>{.7} << 0.665 << 0.735;
        QTest::newRow("huge is no value") << std::vector<double>{1, 1e260, 2} << 0.0 << 2.0;
        QTest::newRow("zero") << std::vector<double>{0, 0} << -1.0 << 1.0;
        QTest::newRow("wide") << std::vector<double>{0.1, 100} << 0.0 << 100.0;
    }
    void lossRanges() {
        QFETCH(std::vector<double>, values);
        QFETCH(double, low);
        QFETCH(double, high);
        std::vector<double> steps;
        for (std::size_t i = 0; i < values.size(); ++i) steps.push_back(double(i + 1));
        LossPlot plot;
        plot.set(1, LossPlot::Curve::Train, steps, values);
        const QRectF range = plot.visibleRange();
        const double slack = (high - low) * 0.12;
        QVERIFY2(range.top() <= low + 1e-9 && range.top() >= low - slack, qPrintable(QString::number(range.top())));
        QVERIFY2(range.bottom() >= high - 1e-9 && range.bottom() <= high + slack,
                 qPrintable(QString::number(range.bottom())));
    }

    void allNanSaysWhy() {
        LossPlot plot;
        plot.set(1, LossPlot::Curve::Train, {1, 2}, {NAN, NAN});
        QVERIFY(plot.emptyReason().contains(QStringLiteral("finite")));
    }

    void singleValueBetweenNansIsVisible() {
        LossPlot plot;
        plot.setSmoothing(0);
        plot.resize(400, 300);
        plot.set(1, LossPlot::Curve::Train, {1, 2, 3, 4, 5}, {NAN, 0.4, NAN, NAN, NAN});
        plot.show();
        QApplication::processEvents();
        const QImage image = plot.grab().toImage();
        int blue = 0, red = 0;
        for (int y = 0; y < image.height(); ++y)
            for (int x = 0; x < image.width(); ++x) {
                const QColor c = image.pixelColor(x, y);
                blue += c.blue() > c.red() + 60, red += c.red() > c.blue() + 60;
            }
        QVERIFY(blue > 8);
        QVERIFY(red > 8);  // marks of what is not finite
        QVERIFY(plot.note().contains(QStringLiteral("4 not finite")));
    }

    void smoothingOfAPrefixIsThePrefix() {
        std::vector<double> values;
        for (int i = 0; i < 50; ++i) values.push_back(i % 7 == 3 ? NAN : std::sin(i));
        const auto all = smoothed(values, 0.9);
        const auto some = smoothed({values.begin(), values.begin() + 20}, 0.9);
        for (std::size_t i = 0; i < some.size(); ++i)
            QVERIFY(some[i] == all[i] || (std::isnan(some[i]) && std::isnan(all[i])));
        QCOMPARE(all[0], values[0]);
        QCOMPARE(smoothed({0.5, 0.5, 0.5}, 0.99).back(), 0.5);
        QCOMPARE(smoothed(values, 0)[5], values[5]);
    }

    void emptyPlotsSayWhatBelongsThere() {
        RocPlot roc;
        ReliabilityPlot reliability;
        BudgetSweepPlot sweep;
        RiskCoveragePlot risk;
        ConfidenceHistogram histogram;
        LossPlot loss;
        for (PlotView* plot : std::initializer_list<PlotView*>{&roc, &reliability, &sweep, &risk, &histogram, &loss}) {
            QVERIFY(!plot->emptyReason().isEmpty());
            QVERIFY(!plot->accessibleName().isEmpty());
            QVERIFY(!plot->accessibleDescription().isEmpty());
            plot->resize(300, 200);
            plot->grab();
            plot->setEmptyText(QStringLiteral("Choose runs on the left"));
            QCOMPARE(plot->emptyReason(), QStringLiteral("Choose runs on the left"));
        }
    }

    void manyRunsStayFast() {
        std::vector<PlotSeries> series;
        for (int i = 0; i < 200; ++i) series.push_back(sampleSeries(i, i % 2 ? "elical" : "cal-only", 100 + i, 300));
        RocPlot plot;
        plot.resize(640, 480);
        plot.setSeries(series);
        plot.show();
        plot.grab();
        QElapsedTimer clock;
        clock.start();
        plot.grab();
        const qint64 many = clock.nsecsElapsed();
        plot.setSeries({series[0], series[1], series[2]});
        plot.grab();
        clock.restart();
        plot.grab();
        // By ratio: 67 times the runs may cost no more than that much.
        QVERIFY(many < 100 * std::max<qint64>(clock.nsecsElapsed(), 1000000));
    }
};

CANDOR_TEST(PlotViewsTest);
#include "plot_views_test.moc"
