// SPDX-License-Identifier: GPL-3.0-or-later
#include <QAbstractItemModelTester>
#include <QPersistentModelIndex>
#include <QSignalSpy>
#include <QTest>

#include "tests/testing.h"
#include "ui/models/run_tree.h"

using namespace candor;
using namespace candor::ui;

namespace {

db::RunRow run(std::int64_t id, const char* method, std::int64_t budget, int seed, double auroc) {
    db::RunRow row;
    row.id = id;
    row.experiment = 1;
    row.experimentName = "e";
    row.method = method;
    row.budget = budget;
    row.labels = budget == kAllLabels ? 1124 : budget;
    row.seed = seed;
    row.status = RunStatus::Finished;
    row.metrics = {{"in-domain", "weighted", "auroc", auroc, {}, {}, 506, {}},
                   {"in-domain", "weighted", "ece_ew10", 0.1, {}, {}, 506, {}},
                   {"people/eval", "", "brier", 0.2, {}, {}, 139, {}},
                   {"sport/eval", "", "auroc", 0.5, {}, {}, 112, "only wrong answers"}};
    return row;
}

std::shared_ptr<ProjectData> dataOf(std::vector<db::RunRow> runs) {
    auto data = std::make_shared<ProjectData>();
    data->runs = std::move(runs);
    data->datasets = {{"people", "eval", Role::Eval, Domain::In, 139, 0, 0, 0, 0, 0},
                      {"sport", "eval", Role::Eval, Domain::Out, 112, 0, 0, 0, 0, 0}};
    return data;
}

QString at(const RunTree& tree, const QModelIndex& row, int column) {
    return tree.data(row.siblingAtColumn(column), Qt::DisplayRole).toString();
}

}  // namespace

class ModelRunTreeTest : public QObject {
    Q_OBJECT
  private slots:
    void groupsByMethodAndBudget();
    void updateKeepsWhatStays();
    void checkBoxesAreSharedVisibility();
    void undefinedKeepsItsReason();
    void meansAreOverSeeds();
    void averagesAreMadeFromSetsWhereNoneIsStored();
    void thousandsOfRunsStayUsable();
};

void ModelRunTreeTest::groupsByMethodAndBudget() {
    RunTree tree;
    QAbstractItemModelTester tester(&tree, QAbstractItemModelTester::FailureReportingMode::QtTest);
    tree.update(dataOf({run(1, "consis-sem", 0, 0, 0.6), run(2, "elical", kAllLabels, 0, 0.8),
                        run(3, "elical", 50, 0, 0.7), run(4, "elical", 50, 1, 0.74)}),
                0, {});
    QCOMPARE(tree.rowCount(), 2);
    const QModelIndex elical = tree.index(0, 0);
    QCOMPARE(at(tree, elical, 0), QStringLiteral("EliCal"));
    QCOMPARE(tree.rowCount(elical), 2);
    QCOMPARE(at(tree, tree.index(0, 0, elical), 0), QStringLiteral("50"));
    QCOMPARE(at(tree, tree.index(1, 0, elical), 0), QStringLiteral("all (1,124)"));  // never 0, and last
    QCOMPARE(tree.rowCount(tree.index(0, 0, elical)), 2);                            // two seeds below
    QCOMPARE(tree.rowCount(tree.index(1, 0, elical)), 0);                            // one seed is the row itself
    QCOMPARE(tree.rowCount(tree.index(1, 0)), 0);  // without a budget the method is the run
    QCOMPARE(at(tree, tree.index(1, 0), RunTree::Auroc), QStringLiteral("0.600"));
    tree.update({}, 0, {});
    QCOMPARE(tree.rowCount(), 0);
}

void ModelRunTreeTest::updateKeepsWhatStays() {
    RunTree tree;
    QAbstractItemModelTester tester(&tree, QAbstractItemModelTester::FailureReportingMode::QtTest);
    tree.update(dataOf({run(1, "n-prob", 0, 0, 0.6), run(2, "elical", 250, 0, 0.7)}), 0, {});
    const QPersistentModelIndex kept = tree.indexOf(2);
    QSignalSpy reset(&tree, &QAbstractItemModel::modelReset);
    tree.update(dataOf({run(1, "n-prob", 0, 0, 0.6), run(2, "elical", 250, 0, 0.71), run(3, "elical", 50, 0, 0.7),
                        run(4, "cal-only", 50, 0, 0.5)}),
                0, {});
    QCOMPARE(kept.row(), 1);
    QCOMPARE(at(tree, kept, RunTree::Auroc), QStringLiteral("0.710"));
    QCOMPARE(tree.rowCount(), 3);
    tree.update(dataOf({run(2, "elical", 250, 0, 0.71)}), 0, {});
    QVERIFY(kept.isValid());
    QCOMPARE(tree.rowCount(), 1);
    tree.update(dataOf({run(2, "elical", 250, 0, 0.71)}), 77, {});  // another experiment
    QCOMPARE(tree.rowCount(), 0);
    QCOMPARE(reset.count(), 0);
}

void ModelRunTreeTest::checkBoxesAreSharedVisibility() {
    RunTree tree;
    tree.update(dataOf({run(3, "elical", 50, 0, 0.7), run(4, "elical", 50, 1, 0.74)}), 0, {});
    const QModelIndex top = tree.index(0, 0), group = tree.index(0, 0, top);
    QCOMPARE(tree.data(top, Qt::CheckStateRole).toInt(), int(Qt::Unchecked));
    tree.setVisible({4});
    QCOMPARE(tree.data(top, Qt::CheckStateRole).toInt(), int(Qt::PartiallyChecked));
    QCOMPARE(tree.data(tree.index(1, 0, group), Qt::CheckStateRole).toInt(), int(Qt::Checked));
    QSignalSpy asked(&tree, &RunTree::visibilityAsked);
    QVERIFY(tree.setData(group, int(Qt::Checked), Qt::CheckStateRole));
    QCOMPARE(asked.first().at(0).value<std::vector<qint64>>(), (std::vector<qint64>{3, 4}));
    tree.setVisible({3, 4});
    QCOMPARE(tree.data(top, Qt::CheckStateRole).toInt(), int(Qt::Checked));
}

void ModelRunTreeTest::undefinedKeepsItsReason() {
    RunTree tree;
    db::RunRow failed = run(2, "cal-only", 50, 0, 0);
    failed.status = RunStatus::Failed;
    failed.message = "out of memory";
    failed.metrics.clear();
    tree.update(dataOf({run(1, "elical", 50, 0, 0.7), failed}), 0, {SetChoice::Kind::One, "sport/eval", true});
    const QModelIndex cell = tree.index(0, 0, tree.index(0, 0)).siblingAtColumn(RunTree::Auroc);
    QCOMPARE(tree.data(cell, Qt::DisplayRole).toString(), QString(QChar(0x2013)));
    QCOMPARE(tree.data(cell, Qt::ToolTipRole).toString(), QStringLiteral("only wrong answers"));
    const QModelIndex other = tree.index(0, 0, tree.index(1, 0));
    QCOMPARE(at(tree, other, RunTree::Status), QStringLiteral("failed"));
    QCOMPARE(tree.data(other.siblingAtColumn(RunTree::Status), Qt::ToolTipRole).toString(),
             QStringLiteral("out of memory"));
}

void ModelRunTreeTest::meansAreOverSeeds() {
    QCOMPARE(seedMean({}).n, 0);
    QCOMPARE(seedMean({0.5}).deviation, 0.0);
    const SeedMean mean = seedMean({0.7, 0.74});
    QCOMPARE(mean.mean, 0.72);
    QVERIFY(std::abs(mean.deviation - 0.0282842712) < 1e-9);
    RunTree tree;
    tree.update(dataOf({run(3, "elical", 50, 0, 0.7), run(4, "elical", 50, 1, 0.74)}), 0, {});
    const QModelIndex cell = tree.index(0, 0, tree.index(0, 0)).siblingAtColumn(RunTree::Auroc);
    QCOMPARE(tree.data(cell, Qt::DisplayRole).toString(), QStringLiteral("0.720"));
    QCOMPARE(tree.data(cell, AsideRole).toString(), QStringLiteral("\u00b10.028"));
    QVERIFY(tree.data(cell, Qt::ToolTipRole).toString().contains(QStringLiteral("weighted")));  // the average is named
}

void ModelRunTreeTest::averagesAreMadeFromSetsWhereNoneIsStored() {
    const auto data = dataOf({run(1, "elical", 50, 0, 0.7)});
    QCOMPARE(metricOf(*data, data->runs[0], {}, "brier").value, 0.2);
    QCOMPARE(metricOf(*data, data->runs[0], {}, "brier").n, 139);
    QVERIFY(!metricOf(*data, data->runs[0], {}, "aurc").defined());
    QVERIFY(!metricOf(*data, data->runs[0], {SetChoice::Kind::Out, {}, true}, "auroc").defined());
}

void ModelRunTreeTest::thousandsOfRunsStayUsable() {
    std::vector<db::RunRow> runs;
    for (int i = 0; i < 5000; ++i) runs.push_back(run(i + 1, i % 2 ? "elical" : "cal-only", 10 + i / 10, i % 10, 0.5));
    RunTree tree;
    QElapsedTimer small, large;
    small.start();
    tree.update(dataOf({runs.begin(), runs.begin() + 500}), 0, {});
    const qint64 few = std::max<qint64>(1, small.nsecsElapsed());
    large.start();
    tree.update(dataOf(runs), 0, {});
    QCOMPARE(tree.rowCount(tree.index(0, 0)), 500);
    QVERIFY2(large.nsecsElapsed() < 200 * few, "ten times the runs must not cost hundreds of times the time");
}

CANDOR_TEST(ModelRunTreeTest);
#include "model_run_tree_test.moc"
