// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QStringList>
#include <vector>

namespace candor::ui {

// A column of what a plot draws: numbers or, if `isText`, words. NaN is "undefined"; infinities are values.
struct FigureColumn {
    QString name;
    bool isText = false;
    std::vector<double> number;
    QStringList text;
};

// What a plot draws, as a tidy table: one row a mark. For CSV and for "show as table".
struct FigureData {
    QString title, note;  // note: bin rule, interval, labels used
    std::vector<FigureColumn> columns;

    int rows() const;                                         // of the longest column
    const FigureColumn* column(const QString& name) const;    // null: none
    QString cell(int row, int column, int digits = 3) const;  // for people: "0.842", "inf", an en dash for NaN
};

}  // namespace candor::ui
