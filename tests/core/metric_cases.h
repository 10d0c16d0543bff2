// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cmath>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>

#include "core/metrics/metrics.h"
#include "core/metrics/random.h"
#include "tests/testing.h"

// shared/cases/metric_cases.json for the tests that go through it.
namespace candor::testing {

using nlohmann::json;

inline double number(const json& value) {
    if (!value.is_string()) return value.get<double>();
    if (value == "NaN") return std::numeric_limits<double>::quiet_NaN();
    return (value == "Infinity" ? 1 : -1) * std::numeric_limits<double>::infinity();
}

inline std::vector<double> numbers(const json& list) {
    std::vector<double> values;
    for (const json& value : list) values.push_back(number(value));
    return values;
}

// Rows of a case, given or made by the recipe of a generated one.
struct Rows {
    std::vector<double> confidence, correct, weights;
    Scored scored() const { return {confidence, correct, weights}; }
};

inline Rows generated(const json& recipe) {
    Rows rows;
    Lcg random(recipe["seed"].get<std::uint64_t>());
    const std::string text = recipe["recipe"];
    const double a = recipe["a"], b = recipe["b"];
    for (std::int64_t i = 0; i < recipe["n"].get<std::int64_t>(); ++i) {
        const double u = random.unit(), v = random.unit();
        double confidence = u;
        if (text.find("conf=floor(21*u)/20") != std::string::npos) confidence = std::floor(21 * u) / 20;
        if (text.find("conf=0.7") != std::string::npos) confidence = 0.7;
        rows.confidence.push_back(confidence);
        rows.correct.push_back(v < a + b * u ? 1 : 0);
    }
    return rows;
}

inline Rows rowsOf(const json& test) {
    if (test.contains("generator")) return generated(test["generator"]);
    Rows rows{numbers(test["conf"]), numbers(test["correct"]), {}};
    if (test.contains("weights")) rows.weights = numbers(test["weights"]);
    return rows;
}

inline double tolerance(const json& test, const std::string& name, double expected) {
    const json& given = test.contains("tol") ? test["tol"] : json::object();
    if (given.contains(name)) return given[name];
    if (name == "smece") return expected < 1e-3 ? 2e-3 : 1e-4;
    return given.value("default", 1e-12);
}

// Empty where `got` is what the case expects.
inline QString difference(const json& test, const std::string& name, double got) {
    const double expected = number(test["expected"][name]);
    if (std::isinf(expected) ? got == expected : std::abs(got - expected) <= tolerance(test, name, expected)) return {};
    return QStringLiteral("%1: got %2, expected %3")
        .arg(QString::fromStdString(name))
        .arg(got, 0, 'g', 17)
        .arg(expected, 0, 'g', 17);
}

// All cases; only where shared() is not empty.
inline const json& cases() {
    static const json all = [] {
        std::ifstream file(shared() / "cases" / "metric_cases.json");
        return json::parse(file)["cases"];
    }();
    return all;
}

// Data rows of a Qt Test function: one a case of this kind; without ../shared one that is skipped.
inline void addCases(const std::set<std::string>& kinds) {
    QTest::addColumn<int>("index");
    if (shared().empty()) {
        QTest::newRow("absent") << -1;
        return;
    }
    for (std::size_t i = 0; i < cases().size(); ++i)
        if (kinds.contains(cases()[i]["kind"]))
            QTest::newRow(cases()[i]["name"].get<std::string>().c_str()) << static_cast<int>(i);
}

// The case of the current data row.
inline json currentCase() {
    QFETCH(int, index);
    return cases()[static_cast<std::size_t>(index)];
}

}  // namespace candor::testing

// Compares one expected value of a case, null and infinity included.
#define CANDOR_CASE_VALUE(test, name, got)                                  \
    do {                                                                    \
        const QString wrong = candor::testing::difference(test, name, got); \
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong));                       \
    } while (false)
