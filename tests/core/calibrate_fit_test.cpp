// SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>

#include "core/calibrate/calibrator.h"
#include "core/error.h"
#include "core/metrics/random.h"
#include "tests/testing.h"

using namespace candor;

namespace {

using List = std::vector<double>;

const List kConfidence = {.95, .90, .90, .80, .70, .60, .60, .40, .30, .10};
const List kCorrect = {1, 1, 0, 1, 1, 0, 1, 0, 0, 0};
constexpr CalibratorKind kAll[] = {CalibratorKind::Temperature, CalibratorKind::Platt, CalibratorKind::Logistic,
                                   CalibratorKind::Isotonic, CalibratorKind::Beta};

bool near(double a, double b, double tolerance = 1e-12) { return std::abs(a - b) <= tolerance; }

std::string codeOf(const auto& work) {
    try {
        work();
    } catch (const InputError& error) {
        return error.code();
    }
    return "none";
}

}  // namespace

class CalibrateFitTest : public QObject {
    Q_OBJECT

  private slots:
    // The parameters that spec/metrics.md gives for its example.
    void workedExample() {
        const Calibrator platt = fitCalibrator(CalibratorKind::Platt, {kConfidence, kCorrect});
        QVERIFY(near(platt.a, 3.812355, 5e-7) && near(platt.b, -2.423401, 5e-7));
        const Calibrator isotonic = fitCalibrator(CalibratorKind::Isotonic, {kConfidence, kCorrect});
        QVERIFY(near(isotonic(.5), .25) && near(isotonic(.65), .625));
        QCOMPARE(isotonic(0), 0.0);
        QCOMPARE(isotonic(.85), .75);
        QCOMPARE(isotonic(1), 1.0);
    }

    void temperatureOfAnOverconfidentModel() {
        const List confidence = {.99, .98, .95, .97, .9, .05, .02, .99, .96, .1},
                   correct = {1, 0, 1, 1, 0, 0, 1, 1, 1, 0};
        const Calibrator fit = fitCalibrator(CalibratorKind::Temperature, {confidence, correct});
        QVERIFY(near(fit.T, 4.0676, 1e-4));
        QVERIFY(near(fit.nllBefore, 1.0426, 1e-4) && near(fit.nllAfter, .6104, 1e-4));
        QCOMPARE(fit.status, std::string("interior"));
    }

    void temperaturesStayInTheirRange() {
        const auto fit = [](const List& confidence, const List& correct) {
            return fitCalibrator(CalibratorKind::Temperature, {confidence, correct});
        };
        const Calibrator separable = fit({.9, .8, .3}, {1, 1, 0}), wrong = fit({.9, .8, .3}, {0, 0, 1});
        QVERIFY(separable.T == .01 && separable.status == "clamped_low");
        QVERIFY(wrong.T == 100 && wrong.status == "clamped_high");
        const Calibrator flat = fit({.5, .5}, {1, 0}), certain = fit({1, 1, 0}, {1, 1, 0});
        QVERIFY(flat.T == 1 && flat.status == "flat");
        QVERIFY(certain.status == "clamped_low");  // the slope there underflows to 0
    }

    void storedCalibratorsAreTheSame() {
        for (const CalibratorKind kind : kAll) {
            const Calibrator fit = fitCalibrator(kind, {kConfidence, kCorrect});
            const Calibrator stored = calibratorFromJson(toJson(fit));
            QCOMPARE(stored.status, fit.status);
            QCOMPARE(stored.nllAfter, fit.nllAfter);
            for (int i = 0; i <= 100; ++i) QCOMPARE(stored(i / 100.0), fit(i / 100.0));
            QCOMPARE(toJson(stored), toJson(fit));
            QVERIFY(calibratorKind(calibratorName(kind)) == kind);
        }
    }

    void everyFitImprovesTheLikelihood() {
        List confidence, correct;
        Lcg random(4);
        for (int i = 0; i < 4000; ++i) {
            confidence.push_back(random.unit());
            correct.push_back(random.unit() < .3 + .4 * confidence.back());
        }
        for (const CalibratorKind kind : kAll) {
            const Calibrator fit = fitCalibrator(kind, {confidence, correct});
            QVERIFY(fit.nllAfter < .9 * fit.nllBefore);
            const List after = fit.apply(confidence);
            QVERIFY(metric({after, correct}, "ece_ew10").value < .5 * metric({confidence, correct}, "ece_ew10").value);
            // A rising map leaves the ranking as it was; isotonic adds ties.
            const double change =
                metric({after, correct}, "auroc").value - metric({confidence, correct}, "auroc").value;
            QVERIFY(kind == CalibratorKind::Isotonic ? change >= 0 && change < .02 : change == 0);
        }
    }

    void weightsReplicateRows() {
        const List weights = {1, 2, 3, 0, 1, 2, 1, 1, 2, 3};
        List confidence, correct;
        for (std::size_t i = 0; i < weights.size(); ++i)
            for (double copy = 0; copy < weights[i]; ++copy) {
                confidence.push_back(kConfidence[i]);
                correct.push_back(kCorrect[i]);
            }
        for (const CalibratorKind kind : kAll) {
            const Calibrator weighted = fitCalibrator(kind, {kConfidence, kCorrect, weights});
            const Calibrator replicated = fitCalibrator(kind, {confidence, correct});
            for (const double c : {.05, .35, .65, .92}) QVERIFY(near(weighted(c), replicated(c), 1e-9));
        }
    }

    // Falling accuracy: the free optimum has a and b below 0, so both stop at the constraint.
    void betaNeverFalls() {
        const Calibrator fit =
            fitCalibrator(CalibratorKind::Beta, {List{.1, .2, .3, .7, .8, .9}, List{1, 1, 0, 1, 0, 0}});
        QVERIFY(fit.a == 0 && fit.b == 0 && near(fit.c, 0, 1e-9));
        QCOMPARE(fit.status, std::string("boundary"));
        QVERIFY(near(fit(.9), .5));
    }

    void confidencesOfZeroAndOneStayFinite() {
        const List confidence = {1, 1, 0, 1, 0, .5}, correct = {1, 0, 0, 1, 1, 1};
        for (const CalibratorKind kind : kAll) {
            const Calibrator fit = fitCalibrator(kind, {confidence, correct});
            for (const double c : {0.0, 1e-300, .5, 1.0}) QVERIFY(fit(c) >= 0 && fit(c) <= 1);
        }
    }

    void equalConfidencesGiveTheirAccuracy() {
        const List confidence(8, .7), correct = {1, 0, 0, 0, 1, 0, 0, 0};
        for (const CalibratorKind kind : {CalibratorKind::Logistic, CalibratorKind::Isotonic, CalibratorKind::Beta})
            QVERIFY(near(fitCalibrator(kind, {confidence, correct})(.7), .25));
        const Calibrator platt = fitCalibrator(CalibratorKind::Platt, {confidence, correct});
        QVERIFY(near(platt(.7), (2 * 3. / 4 + 6 * 1. / 8) / 8));  // the smoothed targets
    }

    void whatHasNoFiniteFitSaysSo() {
        const List confidence = {.9, .8, .3, .2}, apart = {1, 1, 0, 0}, right = {1, 1, 1, 1};
        for (const CalibratorKind kind : {CalibratorKind::Logistic, CalibratorKind::Beta}) {
            QCOMPARE(codeOf([&] { fitCalibrator(kind, {confidence, apart}); }), std::string("separable"));
            QCOMPARE(codeOf([&] { fitCalibrator(kind, {confidence, right}); }), std::string("one_class"));
        }
        QCOMPARE(codeOf([&] {
                     fitCalibrator(CalibratorKind::Platt, {confidence, List{1}});
                 }),
                 std::string("length_mismatch"));
        QVERIFY(fitCalibrator(CalibratorKind::Platt, {confidence, right})(.5) < 1);
        QCOMPARE(codeOf([] { calibratorKind("plat"); }), std::string("unknown_calibrator"));
        const Calibrator fit = fitCalibrator(CalibratorKind::Platt, {confidence, apart});
        QCOMPARE(codeOf([&] { fit.apply(List{95}); }), std::string("conf_out_of_range"));
        QVERIFY(fit.apply(List{}).empty());
    }

    void damagedTextIsRefused() {
        for (const char* text :
             {"", "{}", "[1]", R"({"method": "temperature", "T": 0})", R"({"method": "isotonic"})",
              R"({"method": "isotonic", "x": [0.2, 0.1], "y": [0, 1]})",
              R"({"method": "isotonic", "x": [0.2], "y": [0, 1]})", R"({"method": "platt", "a": "x"})"})
            QCOMPARE(codeOf([&] { calibratorFromJson(text); }), std::string("bad_calibrator"));
    }
};

CANDOR_TEST(CalibrateFitTest);
#include "calibrate_fit_test.moc"
