// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractTableModel>
#include <QSortFilterProxyModel>
#include <QString>
#include <QVariant>
#include <vector>

namespace candor::ui {

// Roles of every table and tree of the window.
enum CellRole : int {
    SortRole = Qt::UserRole + 1,  // a number, a text, or invalid: empty, sorted last both ways
    AsideRole,                    // drawn after the text in the secondary colour: an interval, a unit
    KeyRole,                      // what the row is, for selections that survive updates
    NumericRole,                  // bool: tabular figures, right aligned
    ToneRole,                     // 0 text, 1 secondary, 2 positive, 3 negative, 4 warning, 5 accent
    MethodRole,                   // the method whose swatch stands before the text
};
enum Tone : int { ToneText = 0, ToneSecondary, TonePositive, ToneNegative, ToneWarning, ToneAccent };

struct Cell {
    QString text;
    QVariant sort;  // invalid: empty
    QString aside, tip;
    Tone tone = ToneText;
    QString method;

    static Cell ofText(const QString& text, const QString& tip = {});
    static Cell ofCount(qint64 count, const QString& tip = {});
    static Cell ofMetric(double value, const QString& reason = {});  // undefined: en dash and the reason
    static Cell undefined(const QString& reason);
};

struct CellRow {
    QVariant key;
    std::vector<Cell> cells;
};

// A table of ready cells. setRows() keeps what stays, by key and place, so views keep scroll and selection.
class CellTable : public QAbstractTableModel {
    Q_OBJECT
  public:
    struct Column {
        QString title;
        bool numeric = false;
        QString tip;
    };

    explicit CellTable(std::vector<Column> columns, QObject* parent = nullptr);
    void setRows(std::vector<CellRow> rows);
    const std::vector<CellRow>& rows() const { return rows_; }

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

  private:
    std::vector<Column> columns_;
    std::vector<CellRow> rows_;
};

// The shared answer of models made of cells.
QVariant cellData(const Cell& cell, bool numeric, int role);

// Sorts by SortRole: finite numbers, then infinities, then texts, and empty last in both directions.
class CellSort : public QSortFilterProxyModel {
    Q_OBJECT
  public:
    explicit CellSort(QObject* parent = nullptr);

  protected:
    bool lessThan(const QModelIndex& left, const QModelIndex& right) const override;
};

}  // namespace candor::ui
