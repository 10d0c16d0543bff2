// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/cell_table.h"

#include <algorithm>
#include <cmath>

#include "ui/models/format.h"

namespace candor::ui {

Cell Cell::ofText(const QString& text, const QString& tip) {
    return {displayText(text), text.isEmpty() ? QVariant() : QVariant(text.left(kDisplayLimit)), {}, tip, {}, {}};
}

Cell Cell::ofCount(qint64 count, const QString& tip) {
    return {formatCount(count), static_cast<double>(count), {}, tip, {}, {}};
}

Cell Cell::ofMetric(double value, const QString& reason) {
    if (!reason.isEmpty()) return undefined(reason);
    if (std::isnan(value)) return undefined(QObject::tr("Not a number"));
    return {formatMetric(value), value, {}, QString::number(value, 'g', 10), {}, {}};
}

Cell Cell::undefined(const QString& reason) { return {dash(), {}, {}, reason, ToneSecondary, {}}; }

QVariant cellData(const Cell& cell, bool numeric, int role) {
    switch (role) {
        case Qt::DisplayRole:
            return cell.text;
        case Qt::ToolTipRole:
            return cell.tip.isEmpty() ? QVariant() : QVariant(cell.tip.toHtmlEscaped().left(4000));
        case Qt::AccessibleTextRole:
            return cell.aside.isEmpty() ? cell.text : cell.text + QLatin1Char(' ') + cell.aside;
        case Qt::TextAlignmentRole:
            return QVariant::fromValue(Qt::Alignment(Qt::AlignVCenter | (numeric ? Qt::AlignRight : Qt::AlignLeft)));
        case SortRole:
            return cell.sort;
        case AsideRole:
            return cell.aside;
        case NumericRole:
            return numeric;
        case ToneRole:
            return static_cast<int>(cell.tone);
        case MethodRole:
            return cell.method;
        default:
            return {};
    }
}

CellTable::CellTable(std::vector<Column> columns, QObject* parent)
    : QAbstractTableModel(parent), columns_(std::move(columns)) {}

void CellTable::setRows(std::vector<CellRow> rows) {
    // Common case: the same rows with new numbers, or rows appended. Anything else replaces the tail that differs.
    std::size_t same = 0;
    while (same < rows.size() && same < rows_.size() && rows[same].key == rows_[same].key) ++same;
    if (same < rows_.size()) {
        beginRemoveRows({}, static_cast<int>(same), static_cast<int>(rows_.size()) - 1);
        rows_.resize(same);
        endRemoveRows();
    }
    for (std::size_t i = 0; i < same; ++i) rows_[i] = std::move(rows[i]);
    if (same > 0) emit dataChanged(index(0, 0), index(static_cast<int>(same) - 1, columnCount() - 1));
    if (same < rows.size()) {
        beginInsertRows({}, static_cast<int>(same), static_cast<int>(rows.size()) - 1);
        for (std::size_t i = same; i < rows.size(); ++i) rows_.push_back(std::move(rows[i]));
        endInsertRows();
    }
}

int CellTable::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(rows_.size());
}

int CellTable::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(columns_.size());
}

QVariant CellTable::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || index.row() >= rowCount()) return {};
    const CellRow& row = rows_[static_cast<std::size_t>(index.row())];
    if (role == KeyRole) return row.key;
    const auto column = static_cast<std::size_t>(index.column());
    if (column >= row.cells.size() || column >= columns_.size()) return {};
    return cellData(row.cells[column], columns_[column].numeric, role);
}

QVariant CellTable::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || section < 0 || section >= columnCount()) return {};
    const Column& column = columns_[static_cast<std::size_t>(section)];
    if (role == Qt::DisplayRole) return column.title;
    if (role == Qt::ToolTipRole) return column.tip.isEmpty() ? QVariant() : QVariant(column.tip);
    if (role == Qt::TextAlignmentRole)
        return QVariant::fromValue(Qt::Alignment(Qt::AlignVCenter | (column.numeric ? Qt::AlignRight : Qt::AlignLeft)));
    return {};
}

CellSort::CellSort(QObject* parent) : QSortFilterProxyModel(parent) {
    setSortRole(SortRole);
    setSortCaseSensitivity(Qt::CaseInsensitive);
    setFilterCaseSensitivity(Qt::CaseInsensitive);
    setRecursiveFilteringEnabled(true);
    setDynamicSortFilter(true);
}

bool CellSort::lessThan(const QModelIndex& left, const QModelIndex& right) const {
    const auto rank = [](const QVariant& v) {  // 0 finite, 1 infinite, 2 text, 3 empty
        if (!v.isValid()) return 3;
        if (v.typeId() == QMetaType::QString) return 2;
        return std::isfinite(v.toDouble()) ? 0 : std::isnan(v.toDouble()) ? 3 : 1;
    };
    const QVariant a = left.data(SortRole), b = right.data(SortRole);
    const int ra = rank(a), rb = rank(b);
    // The proxy swaps its arguments' meaning when it sorts down, so the order of ranks is turned round there.
    if (ra != rb) return sortOrder() == Qt::AscendingOrder ? ra < rb : ra > rb;
    if (ra == 3) return left.row() < right.row();
    if (ra == 2) return a.toString().localeAwareCompare(b.toString()) < 0;
    return a.toDouble() < b.toDouble();
}

}  // namespace candor::ui
