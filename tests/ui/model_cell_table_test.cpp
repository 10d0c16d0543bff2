// SPDX-License-Identifier: GPL-3.0-or-later
#include <QAbstractItemModelTester>
#include <QPersistentModelIndex>
#include <QSignalSpy>
#include <QTest>
#include <limits>

#include "tests/testing.h"
#include "ui/models/cell_table.h"
#include "ui/models/format.h"

using namespace candor::ui;

namespace {

std::vector<CellRow> rowsOf(const std::vector<std::pair<int, Cell>>& cells) {
    std::vector<CellRow> rows;
    for (const auto& [key, cell] : cells) rows.push_back({key, {cell}});
    return rows;
}

QStringList texts(const QAbstractItemModel& model) {
    QStringList list;
    for (int row = 0; row < model.rowCount(); ++row) list << model.index(row, 0).data().toString();
    return list;
}

}  // namespace

class ModelCellTableTest : public QObject {
    Q_OBJECT
  private slots:
    void rowsThatStayKeepTheirPlace();
    void emptyAndOneRow();
    void emptySortsLastBothWays();
    void undefinedSaysWhy();
    void cellsAreShortAndPlain();
    void formats_data();
    void formats();
};

void ModelCellTableTest::rowsThatStayKeepTheirPlace() {
    CellTable table({{QStringLiteral("n"), true, {}}});
    QAbstractItemModelTester tester(&table, QAbstractItemModelTester::FailureReportingMode::QtTest);
    table.setRows(rowsOf({{1, Cell::ofCount(1)}, {2, Cell::ofCount(2)}, {3, Cell::ofCount(3)}}));
    const QPersistentModelIndex second = table.index(1, 0);
    QSignalSpy reset(&table, &QAbstractItemModel::modelReset);
    table.setRows(
        rowsOf({{1, Cell::ofCount(10)}, {2, Cell::ofCount(20)}, {3, Cell::ofCount(30)}, {4, Cell::ofCount(40)}}));
    QCOMPARE(second.data().toString(), QStringLiteral("20"));
    table.setRows(rowsOf({{1, Cell::ofCount(1)}, {2, Cell::ofCount(2)}}));
    QVERIFY(second.isValid());
    QCOMPARE(table.rowCount(), 2);
    table.setRows(rowsOf({{9, Cell::ofCount(9)}, {2, Cell::ofCount(2)}}));
    QCOMPARE(texts(table), QStringList({QStringLiteral("9"), QStringLiteral("2")}));
    QCOMPARE(reset.count(), 0);
}

void ModelCellTableTest::emptyAndOneRow() {
    CellTable table({{QStringLiteral("n"), true, {}}});
    QAbstractItemModelTester tester(&table, QAbstractItemModelTester::FailureReportingMode::QtTest);
    table.setRows({});
    QCOMPARE(table.rowCount(), 0);
    table.setRows(rowsOf({{1, Cell::ofMetric(0.5)}}));
    QCOMPARE(table.index(0, 0).data().toString(), QStringLiteral("0.500"));
    table.setRows({});
    QCOMPARE(table.rowCount(), 0);
}

void ModelCellTableTest::emptySortsLastBothWays() {
    CellTable table({{QStringLiteral("v"), true, {}}});
    const double infinity = std::numeric_limits<double>::infinity();
    table.setRows(rowsOf({{1, Cell::undefined(QStringLiteral("one class"))},
                          {2, Cell::ofMetric(2)},
                          {3, Cell::ofMetric(infinity)},
                          {4, Cell::ofMetric(std::numeric_limits<double>::quiet_NaN())},
                          {5, Cell::ofMetric(1)},
                          {6, Cell::ofMetric(-infinity)}}));
    CellSort sort;
    QAbstractItemModelTester tester(&sort, QAbstractItemModelTester::FailureReportingMode::QtTest);
    sort.setSourceModel(&table);
    const QString dash(QChar(0x2013)), inf(QChar(0x221E));
    sort.sort(0, Qt::AscendingOrder);
    QCOMPARE(texts(sort).mid(0, 2), QStringList({QStringLiteral("1.000"), QStringLiteral("2.000")}));
    QCOMPARE(texts(sort).mid(4), QStringList({dash, dash}));
    sort.sort(0, Qt::DescendingOrder);
    QCOMPARE(texts(sort).mid(0, 3), QStringList({QStringLiteral("2.000"), QStringLiteral("1.000"), inf}));
    QCOMPARE(texts(sort).mid(4), QStringList({dash, dash}));
}

void ModelCellTableTest::undefinedSaysWhy() {
    CellTable table({{QStringLiteral("v"), true, {}}});
    table.setRows(rowsOf({{1, Cell::ofMetric(0, QStringLiteral("only <right> answers"))}}));
    QCOMPARE(table.index(0, 0).data().toString(), QString(QChar(0x2013)));
    QCOMPARE(table.index(0, 0).data(Qt::ToolTipRole).toString(), QStringLiteral("only &lt;right&gt; answers"));
    QVERIFY(!table.index(0, 0).data(SortRole).isValid());
}

void ModelCellTableTest::cellsAreShortAndPlain() {
    const QString text = Cell::ofText(QStringLiteral("a\nb\t").repeated(50000)).text;
    QCOMPARE(text.size(), qsizetype(kDisplayLimit));
    QVERIFY(!text.contains(QLatin1Char('\n')));
    const QString faces = displayText(QStringLiteral("\U0001F600").repeated(200));
    QVERIFY(faces.size() <= kDisplayLimit);
    QVERIFY(!faces.at(faces.size() - 2).isHighSurrogate());
    QCOMPARE(displayText(QStringLiteral("na\u00efve \u7f6e\u4fe1\u5ea6 \u062b\u0642\u0629")),
             QStringLiteral("na\u00efve \u7f6e\u4fe1\u5ea6 \u062b\u0642\u0629"));
    QCOMPARE(displayText(QStringLiteral("<b>50%2</b>")), QStringLiteral("<b>50%2</b>"));
}

void ModelCellTableTest::formats_data() {
    QTest::addColumn<QString>("got");
    QTest::addColumn<QString>("wanted");
    QTest::newRow("metric") << formatMetric(0.12345) << QStringLiteral("0.123");
    QTest::newRow("infinity") << formatMetric(-std::numeric_limits<double>::infinity()) << QStringLiteral("-\u221e");
    QTest::newRow("spread") << formatSpread(0.0251) << QStringLiteral("\u00b10.025");
    QTest::newRow("seconds") << formatDuration(42) << QStringLiteral("42 s");
    QTest::newRow("minutes") << formatDuration(200) << QStringLiteral("3 min");
    QTest::newRow("hours") << formatDuration(4800) << QStringLiteral("1 h 20 min");
    QTest::newRow("unknown duration") << formatDuration(std::numeric_limits<double>::quiet_NaN())
                                      << QStringLiteral("\u2013");
    QTest::newRow("share") << formatPercent(0.5) << QStringLiteral("50.0 %");
    QTest::newRow("no time") << formatTime(0) << QStringLiteral("\u2013");
}

void ModelCellTableTest::formats() {
    QFETCH(QString, got);
    QFETCH(QString, wanted);
    QCOMPARE(got, wanted);
}

CANDOR_TEST(ModelCellTableTest);
#include "model_cell_table_test.moc"
