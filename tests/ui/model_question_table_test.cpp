// SPDX-License-Identifier: GPL-3.0-or-later
#include <QAbstractItemModelTester>
#include <QElapsedTimer>
#include <QSignalSpy>
#include <QTableView>
#include <QTest>
#include <limits>
#include <numeric>

#include "tests/testing.h"
#include "tests/ui/window_fixture.h"
#include "ui/models/question_order.h"
#include "ui/models/question_table.h"
#include "ui/models/result_series.h"
#include "ui/pages/table_view.h"

using namespace candor;
using namespace candor::ui;

namespace {

std::shared_ptr<db::ScoredColumn> column(std::size_t n) {
    auto rows = std::make_shared<db::ScoredColumn>();
    rows->sets = {"people/eval", "sport/eval"};
    rows->domains = {Domain::In, Domain::Out};
    for (std::size_t i = 0; i < n; ++i) {
        rows->question.push_back(static_cast<std::int64_t>(i) + 1);
        rows->confidence.push_back(static_cast<double>(i * 7919 % 1000) / 1000);
        rows->correct.push_back(i % 3 == 0);
        rows->set.push_back(i % 2);
    }
    return rows;
}

std::vector<std::int32_t> iota(std::size_t n) {
    std::vector<std::int32_t> order(n);
    std::iota(order.begin(), order.end(), 0);
    return order;
}

}  // namespace

class ModelQuestionTableTest : public QObject {
    Q_OBJECT
  private slots:
    void ordersByOverconfidence();
    void nanComesLastBothWays();
    void filters();
    void textColumnsSort();
    void textsAreAskedForOnce();
    void emptyAndReset();
    void halfAMillionRowsScroll();
    void metricsOfSetsNameTheirAverages();
};

void ModelQuestionTableTest::ordersByOverconfidence() {
    db::ScoredColumn rows = *column(4);
    rows.confidence = {0.9, 0.8, 0.1, 0.8};
    rows.correct = {1, 0, 0, 0};
    QCOMPARE(orderQuestions(rows, {}, QuestionColumn::Overconfidence, true), (std::vector<std::int32_t>{1, 3, 2, 0}));
    QCOMPARE(orderQuestions(rows, {}, QuestionColumn::Confidence, false), (std::vector<std::int32_t>{2, 1, 3, 0}));
}

void ModelQuestionTableTest::nanComesLastBothWays() {
    db::ScoredColumn rows = *column(3);
    rows.confidence = {std::numeric_limits<double>::quiet_NaN(), 0.2, 0.9};
    rows.correct = {0, 0, 0};
    QCOMPARE(orderQuestions(rows, {}, QuestionColumn::Confidence, true), (std::vector<std::int32_t>{2, 1, 0}));
    QCOMPARE(orderQuestions(rows, {}, QuestionColumn::Confidence, false), (std::vector<std::int32_t>{1, 2, 0}));
}

void ModelQuestionTableTest::filters() {
    const db::ScoredColumn rows = *column(6);
    QuestionFilter filter;
    filter.set = {SetChoice::Kind::Out, {}, true};
    QCOMPARE(orderQuestions(rows, filter, QuestionColumn::Set, false), (std::vector<std::int32_t>{1, 3, 5}));
    filter.set = {SetChoice::Kind::One, "people/eval", true};
    filter.correct = true;
    QCOMPARE(orderQuestions(rows, filter, QuestionColumn::Set, false), (std::vector<std::int32_t>{0}));
    filter = {};
    filter.only = std::unordered_set<std::int64_t>{2, 5};
    QCOMPARE(orderQuestions(rows, filter, QuestionColumn::Set, false), (std::vector<std::int32_t>{4, 1}));
    filter.only = std::unordered_set<std::int64_t>{};
    QVERIFY(orderQuestions(rows, filter, QuestionColumn::Set, true).empty());
}

void ModelQuestionTableTest::textColumnsSort() {
    const QTemporaryDir folder;
    const auto project = db::Project::openOrCreate(folder.filePath(QStringLiteral("p.candor")).toStdString());
    candor::ui::testing::importSmall(*project, 24);
    const auto connection = project->reader();
    db::ScoredColumn rows;
    for (std::int64_t id = 1; id <= 24; ++id) rows.question.push_back(id);
    QuestionTexts texts;
    for (const auto column : {QuestionColumn::Question, QuestionColumn::Gold})
        for (const bool descending : {false, true}) {
            std::vector<std::int32_t> order = iota(24);
            texts.sort(*connection, rows, column, descending, order);
            std::vector<std::string> seen;
            for (const std::int32_t i : order) {
                const db::QuestionRow row = db::questions(*connection, {rows.question[std::size_t(i)]}).at(0);
                seen.push_back(column == QuestionColumn::Gold ? row.gold.at(0) : row.text);
            }
            if (descending) std::reverse(seen.begin(), seen.end());
            QVERIFY(std::is_sorted(seen.begin(), seen.end()));  // ASCII that differs in letters of one case
            QVERIFY(order != iota(24));
        }
}

void ModelQuestionTableTest::textsAreAskedForOnce() {
    QuestionTable table;
    QAbstractItemModelTester tester(&table, QAbstractItemModelTester::FailureReportingMode::QtTest);
    const auto rows = column(100);
    std::vector<std::int64_t> asked;
    connect(&table, &QuestionTable::textsNeeded, this,
            [&](const std::vector<std::int64_t>& ids) { asked.insert(asked.end(), ids.begin(), ids.end()); });
    table.setRows(rows, iota(100));
    const QModelIndex cell = table.index(50, int(QuestionColumn::Question));
    for (int i = 0; i < 5; ++i) QCOMPARE(cell.data().toString(), QString(QChar(0x2026)));
    QTRY_VERIFY(!asked.empty());
    QVERIFY(std::count(asked.begin(), asked.end(), 51) == 1);
    QTest::qWait(10);
    const std::size_t before = asked.size();
    table.addTexts({{51, {QStringLiteral("What?"), QStringLiteral("gold"), QString(100000, QLatin1Char('x'))}}});
    QCOMPARE(cell.data().toString(), QStringLiteral("What?"));
    QVERIFY(cell.siblingAtColumn(int(QuestionColumn::Answer)).data().toString().size() <= 200);
    QCOMPARE(asked.size(), before);
    table.unask(asked);  // dropped requests are asked for again when seen
    table.index(49, int(QuestionColumn::Gold)).data();
    QTRY_VERIFY(asked.size() > before);
}

void ModelQuestionTableTest::emptyAndReset() {
    QuestionTable table;
    QAbstractItemModelTester tester(&table, QAbstractItemModelTester::FailureReportingMode::QtTest);
    QCOMPARE(table.rowCount(), 0);
    QCOMPARE(table.questionAt(-1), 0);
    table.setRows(column(1), iota(1));
    QCOMPARE(table.rowOf(1), 0);
    QCOMPARE(table.index(0, int(QuestionColumn::Correct)).data().toString(), QStringLiteral("right"));
    table.setRows({}, {});
    QCOMPARE(table.rowOf(1), -1);
}

void ModelQuestionTableTest::halfAMillionRowsScroll() {
    const auto many = column(560000), few = column(1000);
    QuestionTable table;
    std::unique_ptr<QTableView> view(makeTable(QStringLiteral("questions")));
    view->setModel(&table);
    view->resize(900, 600);
    view->show();
    const auto scroll = [&](const std::shared_ptr<db::ScoredColumn>& rows) {
        table.setRows(rows, iota(rows->question.size()));
        view->grab();
        QElapsedTimer timer;
        timer.start();
        for (int i = 0; i < 20; ++i) {
            view->scrollTo(
                table.index(static_cast<int>((rows->question.size() - 1) * static_cast<std::size_t>(i) / 19), 0));
            view->grab();
        }
        return timer.nsecsElapsed();
    };
    const qint64 short_ = scroll(few), long_ = scroll(many);
    QCOMPARE(table.rowCount(), 560000);
    QVERIFY2(long_ < 4 * short_, qPrintable(QStringLiteral("%1 against %2 ns").arg(long_).arg(short_)));
}

void ModelQuestionTableTest::metricsOfSetsNameTheirAverages() {
    db::ScoredColumn rows = *column(40);
    const std::vector<SetMetrics> all = setMetrics(rows, {SetChoice::Kind::All, {}, true});
    QCOMPARE(all.size(), std::size_t(4));
    QCOMPARE(all[2].set, std::string("weighted"));
    QCOMPARE(all[3].set, std::string("macro"));
    const double a = all[0].values.at("auroc").value, b = all[1].values.at("auroc").value;
    QVERIFY(std::abs(all[3].values.at("auroc").value - (a + b) / 2) < 1e-12);
    for (double& c : rows.correct) c = 1;
    const std::vector<SetMetrics> one = setMetrics(rows, {SetChoice::Kind::In, {}, true});
    QCOMPARE(one.size(), std::size_t(1));
    QVERIFY(!one[0].values.at("auroc").defined());
    QVERIFY(!one[0].values.at("auroc").undefinedReason.isEmpty());
    QVERIFY(one[0].values.at("accuracy").defined());
}

CANDOR_TEST(ModelQuestionTableTest);
#include "model_question_table_test.moc"
