// SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>

#include "core/error.h"
#include "tests/testing.h"
#include "tests/ui/plot_samples.h"
#include "ui/export/figure.h"
#include "ui/export/result_table.h"
#include "ui/plots/consistency_plot.h"
#include "ui/plots/panels.h"
#include "ui/plots/roc_plot.h"

using namespace candor;
using namespace candor::ui;

namespace {

db::RunRow run(std::int64_t id, const char* method, std::int64_t budget, int seed, double auroc, double ece) {
    db::RunRow row;
    row.id = id, row.method = method, row.budget = budget, row.seed = seed;
    row.labels = budget == kAllLabels ? 1124 : budget;
    row.status = RunStatus::Finished;
    for (const char* set : {"in-domain", "out-of-domain"}) {
        MetricRecord record{set, "weighted", "auroc", auroc, {}, {}, 100, {}};
        row.metrics.push_back(record);
        record.name = "ece_ew10", record.value = ece;
        row.metrics.push_back(record);
    }
    return row;
}

std::vector<db::RunRow> sampleRuns() {
    std::vector<db::RunRow> runs{run(1, "elical", 100, 0, 0.75, 0.08), run(2, "elical", 100, 1, 0.77, 0.06),
                                 run(3, "cal-only", 100, 0, 0.70, 0.05), run(4, "elical", kAllLabels, 0, 0.80, 0.04),
                                 run(5, "consis-sem", 0, 0, 0.72, 0.30)};
    runs[4].metrics[1].undefinedReason = "scores are no probabilities";
    runs[2].selection = "test";
    runs.push_back(run(6, "elical", 100, 2, 0.1, 0.9));
    runs.back().status = RunStatus::Failed;  // not counted
    return runs;
}

const ResultTable::Row& rowOf(const ResultTable& table, const QString& method, const QString& labels) {
    for (const auto& row : table.rows)
        if (row.method == method && row.labels == labels) return row;
    qFatal("no such row");
}

}  // namespace

class ExportTableTest : public QObject {
    Q_OBJECT
  private slots:
    void cellsAreMeansOverSeeds() {
        const ResultTable table = resultTable(sampleRuns(), {});
        QCOMPARE(table.columns.size(), std::size_t(4));
        QCOMPARE(table.rows.size(), std::size_t(4));
        const auto& elical = rowOf(table, QStringLiteral("EliCal"), QStringLiteral("100"));
        QVERIFY(std::abs(elical.cells[0].mean - 0.76) < 1e-12);
        QVERIFY(std::abs(elical.cells[0].half - 0.01) < 1e-12);  // two seeds: their range
        QCOMPARE(elical.cells[0].seeds, 2);
        QCOMPARE(elical.cells[0].rank, 2);
        const auto& all = rowOf(table, QStringLiteral("EliCal"), QStringLiteral("all (1,124)"));
        QCOMPARE(all.cells[0].rank, 1);
        QCOMPARE(all.cells[2].rank, 1);  // ECE: the lower the better
        const auto& free = rowOf(table, QStringLiteral("Consis-Sem"), QStringLiteral("0"));
        QVERIFY(std::isnan(free.cells[2].mean));
        QCOMPARE(free.cells[2].undefined, 1);
    }

    void everyFormatSaysTheSame() {
        const ResultTable table = resultTable(sampleRuns(), {});
        const QByteArray tex = tableBytes(table, QStringLiteral("tex"));
        QVERIFY(tex.contains("\\toprule") && tex.contains("\\bottomrule") && tex.contains("\\bfseries 0.800"));
        QVERIFY(tex.contains("{\\underline{\\num{0.760 \\pm 0.010}}}"));
        QVERIFY(tex.contains("Cal-Only\\textsuperscript{\\dag}"));
        QVERIFY(tex.contains("all (1,124)"));
        QCOMPARE(tex.count(" \\\\\n"), 6);  // two lines of heads, four of rows
        const QByteArray markdown = tableBytes(table, QStringLiteral("md"));
        QVERIFY(markdown.contains("**0.800**"));
        QVERIFY(markdown.contains("<u>0.760 \u00b1 0.010</u>"));
        const QByteArray csv = tableBytes(table, QStringLiteral("csv"));
        QCOMPARE(csv.count('\n'), 17);  // a head, four rows of four cells
        QVERIFY(csv.contains("\"EliCal\",\"100\",\"auroc\",\"in-domain\",0.76,"));
        QVERIFY(csv.contains("nan,nan,0,1,,0"));
        QVERIFY_THROWS_EXCEPTION(InputError, tableBytes(table, QStringLiteral("pdf")));
    }

    void whatIsNotThereIsNamed() {
        TableOptions options;
        options.metrics = {QStringLiteral("aurok")};
        try {
            resultTable(sampleRuns(), options);
            QFAIL("an unknown metric was taken");
        } catch (const InputError& error) {
            QVERIFY(std::string(error.what()).find("auroc, ece_ew10") != std::string::npos);
        }
        QVERIFY_THROWS_EXCEPTION(InputError, resultTable({}, {}));
    }

    void panelsKeepEachSetsNumbers() {
        std::vector<Panels::Panel> panels;
        for (int i = 0; i < 4; ++i) {
            auto roc = std::make_unique<RocPlot>();
            if (i < 3) roc->setSeries({sampleSeries(i + 1, "elical", 100, 150 + i)});
            panels.push_back({QStringLiteral("set_%1 <b>").arg(i), std::move(roc)});
        }
        const int rows = panels[0].plot->data().rows() + panels[1].plot->data().rows() + panels[2].plot->data().rows();
        Panels plot;
        plot.setPanels(std::move(panels), {QStringLiteral("elical")});
        QVERIFY(plot.emptyReason().isEmpty());
        const FigureData data = plot.data();
        QCOMPARE(data.rows(), rows);
        for (const FigureColumn& column : data.columns)
            QCOMPARE(column.isText ? int(column.text.size()) : int(column.number.size()), rows);
        QCOMPARE(data.columns[0].text.last(), QStringLiteral("set_2 <b>"));
        QVERIFY(figureBytes(plot, QStringLiteral("pdf"), {}).size() > 5000);
        const QByteArray svg = figureBytes(plot, QStringLiteral("svg"), {});
        QVERIFY(svg.contains("#0072b2"));
    }

    void consistencyAgainstAccuracy() {
        std::vector<ConsistencyRow> rows;
        for (int i = 0; i < 210; ++i) rows.push_back({i, (i % 21) / 20.0, 1 - (i % 21) / 20.0});
        ConsistencyPlot plot;
        plot.setRows(rows);
        const FigureData data = plot.data();
        QCOMPARE(at(data, "spearman", 0), -1.0);
        double count = 0;
        for (std::size_t r = 0; r < static_cast<std::size_t>(data.rows()) / 2; ++r) {
            count += at(data, "count", r);
            const std::size_t other = r + static_cast<std::size_t>(data.rows()) / 2;
            QVERIFY(std::abs(at(data, "mean", r) + at(data, "mean", other) - 1) < 1e-12);
        }
        QCOMPARE(count, 210.0);
        QVERIFY(figureBytes(plot, QStringLiteral("tex"), {}).contains("questions_percent"));
        plot.setRows({});
        QVERIFY(!plot.emptyReason().isEmpty());
        plot.setRows({{1, 0.5, 0.5}});  // one question: no rank correlation, still a point
        QVERIFY(plot.emptyReason().isEmpty());
        QCOMPARE(plot.data().rows(), 2);
    }
};

CANDOR_TEST(ExportTableTest);
#include "export_table_test.moc"
