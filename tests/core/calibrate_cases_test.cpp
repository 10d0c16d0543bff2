// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/calibrate/calibrator.h"
#include "tests/core/metric_cases.h"

using namespace candor;
using namespace candor::testing;

// Every calibrator case of shared/cases/metric_cases.json.
class CalibrateCasesTest : public QObject {
    Q_OBJECT

  private slots:
    // All that the case expects is among the printed parameters, under the names of the case.
    void parameters_data() { addCases({"temperature", "platt", "logistic_on_logit", "beta"}); }
    void parameters() {
        CANDOR_NEED_SHARED();
        const json test = currentCase();
        const Rows rows = rowsOf(test);
        const std::string kind = test["kind"] == "logistic_on_logit" ? "logistic" : test["kind"];
        const Calibrator calibrator = fitCalibrator(calibratorKind(kind), rows.scored());
        const json got = json::parse(parametersJson(calibrator));
        for (const auto& [name, expected] : test["expected"].items()) {
            QVERIFY2(got.contains(name), name.c_str());
            if (expected.is_string())
                QCOMPARE(got[name].get<std::string>(), expected.get<std::string>());
            else
                CANDOR_CASE_VALUE(test, name, got[name].get<double>());
        }
        QCOMPARE(got["method"].get<std::string>(), kind);
    }

    void isotonic_data() { addCases({"isotonic"}); }
    void isotonic() {
        CANDOR_NEED_SHARED();
        const json test = currentCase();
        const Rows rows = rowsOf(test);
        const Calibrator calibrator = fitCalibrator(CalibratorKind::Isotonic, rows.scored());
        const json fitted = json::parse(parametersJson(calibrator))["fitted"];
        QCOMPARE(fitted.size(), test["expected"]["fitted"].size());
        for (const auto& [confidence, expected] : test["expected"]["fitted"].items()) {
            QVERIFY2(fitted.contains(confidence), confidence.c_str());
            QVERIFY(std::abs(fitted[confidence].get<double>() - expected.get<double>()) < 1e-12);
        }
        const std::vector<double> expected = numbers(test["expected"]["predicted"]);
        const std::vector<double> predicted = calibrator.apply(numbers(test["query"]));
        QCOMPARE(predicted.size(), expected.size());
        for (std::size_t i = 0; i < expected.size(); ++i) QVERIFY(std::abs(predicted[i] - expected[i]) < 1e-12);
    }
};

CANDOR_TEST(CalibrateCasesTest);
#include "calibrate_cases_test.moc"
