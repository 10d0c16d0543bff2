// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTest>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/text/choice.h"
#include "core/text/logprob.h"
#include "core/text/match.h"
#include "core/text/verbal.h"
#include "core/text/verdict.h"
#include "tests/testing.h"

using namespace candor;
using nlohmann::json;

namespace {

std::optional<std::string> textOf(const json& value) {
    return value.is_null() ? std::nullopt : std::optional(value.get<std::string>());
}

bool same(const std::optional<double>& ours, const json& expected) {
    if (expected.is_null()) return !ours;
    const double value = expected.get<double>();
    return ours && std::abs(*ours - value) <= 1e-15 * std::max(1.0, std::abs(value));
}

const char* word(Verdict verdict) {
    return verdict == Verdict::Yes ? "same" : verdict == Verdict::No ? "different" : "unparsed";
}

}  // namespace

// Every row of cases/text_cases.json: the paper's result and the right one.
class TextCasesTest : public QObject {
    Q_OBJECT

    static void answer(const json& row) {
        const auto gold = row["gold"].get<std::vector<std::string>>();
        const auto response = row["response"].get<std::string>();
        QCOMPARE(elicalHasAnswer(gold, response), row["elical_has_answer"] == 1);
        QCOMPARE(containsAnswer(gold, response), row["strict_contains"] == 1);
        QCOMPARE(exactMatch(gold, response), row["strict_em"] == 1);
        if (row["name"].get<std::string>().starts_with("mmlu_"))
            QCOMPARE(parseChoice(response) == gold[0][0], row["right_answer"] == 1);
    }

    static void verbal(const json& row) {
        const auto text = row["text"].get<std::string>();
        QCOMPARE(elicalVerbal(text), row["elical"].get<double>());
        QVERIFY(same(parseVerbal(text), row["expected"]));
    }

    static void judge(const json& row) {
        const auto text = textOf(row["text"]);
        QCOMPARE(elicalVerdict(text), row["elical_consistent"] == 1);
        QCOMPARE(std::string(word(parseVerdict(text).verdict)), row["expected"].get<std::string>());
    }

    static void probability(const json& row) {
        std::vector<double> logprobs;
        for (const json& value : row["logprobs"])
            logprobs.push_back(value.is_string() ? -std::numeric_limits<double>::infinity() : value.get<double>());
        QVERIFY(same(nProb(logprobs), row["expected"]));
        QVERIFY(same(prob(logprobs), row["prob"]));
        QVERIFY(same(logProb(logprobs), row["log_prob"]));
    }

  private slots:
    void everyCase_data() {
        QTest::addColumn<QString>("row");
        CANDOR_NEED_SHARED();
        std::ifstream file(candor::testing::shared() / "cases/text_cases.json");
        for (const json& row : json::parse(file))
            QTest::newRow(row["name"].get<std::string>().c_str()) << QString::fromStdString(row.dump());
    }
    void everyCase() {
        CANDOR_NEED_SHARED();
        QFETCH(QString, row);
        const json parsed = json::parse(row.toStdString());
        const auto kind = parsed["kind"].get<std::string>();
        if (kind == "answer_match")
            answer(parsed);
        else if (kind == "verbalised")
            verbal(parsed);
        else if (kind == "judge")
            judge(parsed);
        else if (kind == "nprob")
            probability(parsed);
        else
            QFAIL("a kind of case that no test knows");
    }
};

CANDOR_TEST(TextCasesTest);
#include "text_cases_test.moc"
