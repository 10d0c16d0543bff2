// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QString>
#include <QStringList>
#include <vector>

#include "db/queries.h"

namespace candor::ui {

struct TableOptions {
    QStringList sets{QStringLiteral("in-domain"), QStringLiteral("out-of-domain")};  // or "dataset/split"
    QStringList metrics{QStringLiteral("auroc"), QStringLiteral("ece_ew10")};
    QString average = QStringLiteral("weighted");  // of the two domains: weighted or macro
    int digits = 3;
};

// One row a method and budget, one column a metric and set: the mean over seeds with half of its 95 % t interval (two
// seeds: half their range). NaN mean: no such number.
struct ResultTable {
    struct Cell {
        double mean = 0, half = 0;
        int seeds = 0, undefined = 0;
        int rank = 0;  // 1: best of its column, 2: second best, by the mean as shown; ties share a rank
    };
    struct Row {
        QString method, labels;
        bool testSelected = false;  // its checkpoint was chosen on test labels: marked
        std::vector<Cell> cells;
    };
    struct Column {
        QString metric, set;
        bool lowerIsBetter = false;
    };
    std::vector<Column> columns;
    std::vector<Row> rows;
    QString caption;
    int digits = 3;
};

// Of the finished runs. Throws InputError ("no_run", "bad_metric") naming what there is.
ResultTable resultTable(const std::vector<db::RunRow>& runs, const TableOptions& options);

// "tex" (booktabs and siunitx; best in bold, second underlined), "md" or "csv" (C locale, full precision).
// Throws InputError ("bad_format").
QByteArray tableBytes(const ResultTable& table, const QString& format);

}  // namespace candor::ui
