// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStyledItemDelegate>
#include <set>

class QAbstractItemView;
class QTableView;
class QTreeView;

namespace candor::ui {

// Paints cells by their roles (CellRole): tone, method swatch, tabular figures, an aside in the secondary colour.
class CellDelegate : public QStyledItemDelegate {
    Q_OBJECT
  public:
    explicit CellDelegate(QObject* parent = nullptr);
    // Columns that keep room for an aside as wide as this, so that numbers align on the point.
    void reserveAside(const std::set<int>& columns, const QString& widest);

    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    bool editorEvent(QEvent* event, QAbstractItemModel* model, const QStyleOptionViewItem& option,
                     const QModelIndex& index) override;

  private:
    std::set<int> reserved_;
    QString widest_;
};

// Tables and trees as the whole window has them: rows of 28 px, no grid, whole rows selected, sorted by header clicks.
QTableView* makeTable(const QString& accessibleName, QWidget* parent = nullptr);
QTreeView* makeTree(const QString& accessibleName, QWidget* parent = nullptr);
CellDelegate* cellDelegate(QAbstractItemView* view);

}  // namespace candor::ui
