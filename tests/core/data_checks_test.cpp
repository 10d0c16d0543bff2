// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/checks.h"

#include <cmath>
#include <set>

#include "core/data/reader.h"
#include "core/text/normalise.h"
#include "tests/testing.h"

using namespace candor;
using candor::testing::shared;
using Texts = std::vector<std::string>;

namespace {

Texts questions(const std::filesystem::path& file) {
    Texts out;
    readRecords(file, {}, [&](Record&& record) { out.push_back(std::move(record.question)); });
    return out;
}

std::set<std::string> tokenSet(const std::string& text) {
    std::set<std::string> out;
    const std::string plain = normalised(text);
    for (const auto token : splitTokens(plain)) out.emplace(token);
    return out;
}

double jaccard(const std::set<std::string>& a, const std::set<std::string>& b) {
    double both = 0;
    for (const std::string& token : a) both += b.contains(token);
    return a.empty() && b.empty() ? 0 : both / (static_cast<double>(a.size() + b.size()) - both);
}

}  // namespace

class DataChecksTest : public QObject {
    Q_OBJECT

  private slots:
    void publicSets_data() {
        QTest::addColumn<QString>("name");
        QTest::addColumn<int>("duplicates");
        QTest::addColumn<int>("conflicting");
        QTest::addColumn<int>("emptyGold");
        QTest::addColumn<int>("goldInQuestion");
        QTest::addColumn<int>("functionWordGold");
        const auto row = [](const char* name, int d, int c, int e, int g, int f) {
            QTest::newRow(name) << QString(name) << d << c << e << g << f;
        };
        row("nq_test", 0, 0, 4, 62, 2);
        row("hq_dev", 0, 0, 2, 731, 5);
        row("pararel_test", 237, 1, 0, 416, 0);
        row("squad_dev", 31, 15, 3, 88, 21);
        row("wq_test", 0, 0, 0, 49, 3);
        row("popqa_test", 1199, 559, 481, 335, 78);
    }
    void publicSets() {
        CANDOR_NEED_SHARED();
        QFETCH(QString, name);
        QFETCH(int, duplicates);
        QFETCH(int, conflicting);
        QFETCH(int, emptyGold);
        QFETCH(int, goldInQuestion);
        QFETCH(int, functionWordGold);
        SetChecks checks;
        readRecords(shared() / "data/qa" / (name.toStdString() + ".jsonl"), {},
                    [&](Record&& record) { checks.add(record.question, record.gold); });
        QCOMPARE(checks.duplicates(), duplicates);
        QCOMPARE(checks.conflictingDuplicates(), conflicting);
        QCOMPARE(checks.emptyGold(), emptyGold);
        QCOMPARE(checks.goldInQuestion(), goldInQuestion);
        QCOMPARE(checks.functionWordGold(), functionWordGold);
    }

    void goldAnswersAreComparedAsSets() {
        SetChecks checks;
        checks.add("q", Texts{"a", "b"});
        checks.add("q", Texts{"b", "a", "a"});
        QCOMPARE(checks.duplicates(), 1);
        QCOMPARE(checks.conflictingDuplicates(), 0);
        checks.add("q", Texts{"ab"});
        checks.add("q", Texts{"c"});
        checks.add("Q", Texts{});
        QCOMPARE(checks.duplicates(), 3);
        QCOMPARE(checks.conflictingDuplicates(), 1);
        QCOMPARE(checks.noGold(), 1);
    }

    void rows() {
        QVERIFY(checkRow("Who wrote The Who?", Texts{"the who"}).goldInQuestion);
        QVERIFY(!checkRow("Who wrote Whom?", Texts{"who wr"}).goldInQuestion);
        QVERIFY(checkRow("q", Texts{"x", "!!!"}).emptyGold);
        QVERIFY(checkRow("q", Texts{"in the"}).functionWordGold && !checkRow("q", Texts{"in it big"}).functionWordGold);
    }

    void overlapOfTexts() {
        QCOMPARE(overlap(Texts{"a", "b", "b"}, Texts{"b", "c", "b", "A"}), 2);
        CANDOR_NEED_SHARED();
        const auto folder = shared() / "data/honestybench_smollm2";
        QCOMPARE(overlap(questions(folder / "train_popqa.jsonl"), questions(folder / "eval_popqa.jsonl")), 0);
    }

    // The prefix filter loses nothing: equal to comparing every pair.
    void nearDuplicatesAreExact() {
        CANDOR_NEED_SHARED();
        const auto folder = shared() / "data/honestybench_smollm2";
        const Texts train = questions(folder / "train_pararel.jsonl"), eval = questions(folder / "eval_pararel.jsonl");
        std::vector<std::set<std::string>> trainSets, evalSets;
        for (const std::string& text : train) trainSets.push_back(tokenSet(text));
        for (const std::string& text : eval) evalSets.push_back(tokenSet(text));
        for (const double threshold : {0.4, 0.6, 1.0}) {
            const NearDuplicates found = nearDuplicates(train, eval, threshold);
            std::size_t next = 0;
            for (std::size_t i = 0; i < evalSets.size(); ++i) {
                double best = 0;
                for (const auto& set : trainSets) best = std::max(best, jaccard(evalSets[i], set));
                if (best < threshold - 1e-12) continue;
                QVERIFY(next < found.pairs.size());
                QCOMPARE(found.pairs[next].eval, static_cast<std::int64_t>(i));
                QCOMPARE(found.pairs[next].jaccard, best);
                ++next;
            }
            QCOMPARE(found.evalRows, static_cast<std::int64_t>(next));
            if (threshold == 0.6) QCOMPARE(found.evalRows, 204);  // counted by another program
        }
    }

    void nearDuplicatesOfNothing() {
        QCOMPARE(nearDuplicates(Texts{}, Texts{"a b"}).evalRows, 0);
        QCOMPARE(nearDuplicates(Texts{"", "!!!"}, Texts{"", "?"}).evalRows, 0);
        QCOMPARE(nearDuplicates(Texts{"x y z", "x y"}, Texts{"The x y!"}).pairs.front().train, 1);
    }
};

CANDOR_TEST(DataChecksTest);
#include "data_checks_test.moc"
