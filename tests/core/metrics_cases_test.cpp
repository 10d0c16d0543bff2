// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/error.h"
#include "core/metrics/bootstrap.h"
#include "core/metrics/comparison.h"
#include "core/metrics/delong.h"
#include "core/metrics/metrics.h"
#include "core/metrics/random.h"
#include "tests/core/metric_cases.h"

using namespace candor;
using namespace candor::testing;

// Every case of shared/cases/metric_cases.json that is no calibrator (calibrate_cases_test.cpp has those).
class MetricsCasesTest : public QObject {
    Q_OBJECT

  private slots:
    void metrics_data() { addCases({"metrics", "generated"}); }
    void metrics() {
        CANDOR_NEED_SHARED();
        const json test = currentCase();
        const Rows rows = rowsOf(test);
        if (test.contains("generator"))
            for (std::size_t i = 0; i < test["generator"]["first_items"].size(); ++i) {
                const json& item = test["generator"]["first_items"][i];
                QVERIFY(std::abs(rows.confidence[i] - item[0].get<double>()) < 1e-12);
                QCOMPARE(rows.correct[i], item[1].get<double>());
            }
        std::map<std::string, Metric> got;
        for (const Metric& metric : allMetrics(rows.scored())) got[metric.name] = metric;
        int checked = 0;
        for (const auto& [name, expected] : test["expected"].items()) {
            if (name == "alignment_note") continue;
            QVERIFY2(got.contains(name), name.c_str());
            QCOMPARE(got[name].defined(), !expected.is_null());
            if (got[name].defined()) CANDOR_CASE_VALUE(test, name, got[name].value);
            ++checked;
        }
        QVERIFY(checked >= 6);
        if (!rows.weights.empty()) QVERIFY(!got["aurc"].defined());
    }

    void errors_data() { addCases({"error"}); }
    void errors() {
        CANDOR_NEED_SHARED();
        const json test = currentCase();
        const Rows rows = rowsOf(test);
        try {
            allMetrics(rows.scored());
            QFAIL("no error");
        } catch (const InputError& error) {
            QCOMPARE(error.code(), test["expected"]["error"].get<std::string>());
            if (test["name"] == "err_percent_scale")
                QVERIFY(std::string(error.what()).find("0..1") != std::string::npos);
        }
    }

    void bootstraps_data() { addCases({"bootstrap"}); }
    void bootstraps() {
        CANDOR_NEED_SHARED();
        const json test = currentCase(), how = test["bootstrap"];
        const Rows rows = rowsOf(test);
        BootstrapOptions options;
        options.resamples = how["B"];
        options.seed = how["seed"];
        options.level = how["level"];
        const std::vector<std::string> names = {how["metric"]};
        const BootstrapInterval got = bootstrap(rows.scored(), names, options).at(0);
        CANDOR_CASE_VALUE(test, "lo", got.lo);
        CANDOR_CASE_VALUE(test, "hi", got.hi);
        CANDOR_CASE_VALUE(test, "mean", got.mean);
        QCOMPARE(got.skipped, test["expected"]["skipped"].get<std::int64_t>());
    }

    void pairedDelong_data() { addCases({"delong_paired"}); }
    void pairedDelong() {
        CANDOR_NEED_SHARED();
        const json test = currentCase();
        const PairedDelong got = delongPaired(numbers(test["conf"]), numbers(test["conf2"]), numbers(test["correct"]));
        CANDOR_CASE_VALUE(test, "auc1", got.auc1);
        CANDOR_CASE_VALUE(test, "auc2", got.auc2);
        CANDOR_CASE_VALUE(test, "diff", got.diff);
        CANDOR_CASE_VALUE(test, "var1", got.var1);
        CANDOR_CASE_VALUE(test, "var2", got.var2);
        CANDOR_CASE_VALUE(test, "cov", got.cov);
        CANDOR_CASE_VALUE(test, "var_diff", got.varDiff);
        CANDOR_CASE_VALUE(test, "p", got.p);
        QCOMPARE(got.z.has_value(), !test["expected"]["z"].is_null());
        if (got.z) CANDOR_CASE_VALUE(test, "z", *got.z);
    }

    void mcnemarExactly_data() { addCases({"mcnemar_exact"}); }
    void mcnemarExactly() {
        CANDOR_NEED_SHARED();
        const json test = currentCase();
        CANDOR_CASE_VALUE(test, "p", mcnemarExact(test["b"], test["c"]));
    }

    void holmAdjusted_data() { addCases({"holm"}); }
    void holmAdjusted() {
        CANDOR_NEED_SHARED();
        const json test = currentCase();
        const std::vector<double> got = holm(numbers(test["p"])), expected = numbers(test["expected"]["adjusted"]);
        QCOMPARE(got.size(), expected.size());
        for (std::size_t i = 0; i < got.size(); ++i) QVERIFY(std::abs(got[i] - expected[i]) < 1e-12);
    }

    void generator_data() { addCases({"lcg"}); }
    void generator() {
        CANDOR_NEED_SHARED();
        const json test = currentCase(), expected = test["expected"];
        const auto seed = test["seed"].get<std::uint64_t>();
        Lcg states(seed), below(seed), unit(seed);
        for (const std::string hex : expected["state_hex"])
            QCOMPARE(states.next(), static_cast<std::uint64_t>(std::stoull(hex, nullptr, 16)));
        for (const std::uint64_t value : expected["below10"]) QCOMPARE(below.below(10), value);
        for (const double value : expected["unit"]) QCOMPARE(unit.unit(), value);
    }

    void everyKindIsTested() {
        CANDOR_NEED_SHARED();
        const std::set<std::string> here = {"metrics",       "generated",     "error", "bootstrap",
                                            "delong_paired", "mcnemar_exact", "holm",  "lcg"};
        const std::set<std::string> calibrators = {"temperature", "platt", "logistic_on_logit", "isotonic", "beta"};
        for (const json& test : cases())
            QVERIFY2(here.contains(test["kind"]) || calibrators.contains(test["kind"]),
                     test["kind"].get<std::string>().c_str());
    }
};

CANDOR_TEST(MetricsCasesTest);
#include "metrics_cases_test.moc"
