// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/table_view.h"

#include <QApplication>
#include <QHeaderView>
#include <QMouseEvent>
#include <QPainter>
#include <QTableView>
#include <QTreeView>

#include "ui/models/cell_table.h"
#include "ui/theme/method_style.h"
#include "ui/theme/theme.h"

namespace candor::ui {

namespace {

constexpr int kPad = 8;
constexpr int kCheck = 16;
constexpr int kSwatch = 26;

QColor toneColor(int tone) {
    switch (tone) {
        case ToneSecondary:
            return theme().secondary;
        case TonePositive:
            return theme().positive;
        case ToneNegative:
            return theme().negative;
        case ToneWarning:
            return theme().warning;
        case ToneAccent:
            return theme().accent;
        default:
            return theme().text;
    }
}

QRect checkRect(const QRect& cell) {
    return {cell.left() + kPad - 2, cell.center().y() - kCheck / 2 + 1, kCheck, kCheck};
}

void drawCheck(QPainter& painter, const QRect& rect, Qt::CheckState state) {
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    const QRectF box = QRectF(rect).adjusted(1.5, 1.5, -1.5, -1.5);
    const bool on = state != Qt::Unchecked;
    painter.setPen(QPen(on ? theme().accent : theme().secondary, 1));
    painter.setBrush(on ? theme().accent : theme().surface);
    painter.drawRoundedRect(box, 3, 3);
    painter.setPen(QPen(theme().onAccent, 1.75, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    painter.setBrush(Qt::NoBrush);
    const QPointF c = box.center();
    if (state == Qt::Checked)
        painter.drawPolyline(QPolygonF({c + QPointF(-3, 0), c + QPointF(-1, 2.5), c + QPointF(3, -2.5)}));
    if (state == Qt::PartiallyChecked) painter.drawLine(c + QPointF(-3, 0), c + QPointF(3, 0));
    painter.restore();
}

void prepare(QAbstractItemView& view, const QString& name) {
    view.setAccessibleName(name);
    view.setItemDelegate(new CellDelegate(&view));
    view.setSelectionBehavior(QAbstractItemView::SelectRows);
    view.setSelectionMode(QAbstractItemView::SingleSelection);
    view.setEditTriggers(QAbstractItemView::NoEditTriggers);
    view.setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    view.setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    view.setFrameShape(QFrame::NoFrame);
    view.setMouseTracking(true);
    view.setTabKeyNavigation(false);
}

void prepareHeader(QHeaderView& header) {
    header.setFont(font(TypeRole::Secondary));
    header.setHighlightSections(false);
    header.setSectionsMovable(true);
    header.setMinimumSectionSize(40);
    header.setFixedHeight(space::row);
    header.setTextElideMode(Qt::ElideRight);
}

}  // namespace

CellDelegate::CellDelegate(QObject* parent) : QStyledItemDelegate(parent) {}

void CellDelegate::reserveAside(const std::set<int>& columns, const QString& widest) {
    reserved_ = columns;
    widest_ = widest;
}

QSize CellDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const {
    const bool numeric = index.data(NumericRole).toBool();
    const QFontMetrics metrics(numeric ? font(TypeRole::Number) : font(TypeRole::Body));
    int width = metrics.horizontalAdvance(index.data(Qt::DisplayRole).toString().left(80)) + 2 * kPad;
    const QString aside = reserved_.contains(index.column()) ? widest_ : index.data(AsideRole).toString();
    if (!aside.isEmpty()) width += QFontMetrics(font(TypeRole::Secondary)).horizontalAdvance(aside) + 6;
    if (index.flags() & Qt::ItemIsUserCheckable) width += kCheck + 4;
    if (!index.data(MethodRole).toString().isEmpty()) width += kSwatch + 6;
    Q_UNUSED(option)
    return {width, space::row};
}

void CellDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const {
    const QRect cell = option.rect;
    painter->save();
    if (option.state & QStyle::State_Selected)
        painter->fillRect(cell, theme().selection);
    else if (option.state & QStyle::State_MouseOver)
        painter->fillRect(cell, theme().hover);

    QRect rest = cell.adjusted(kPad, 0, -kPad, 0);
    const QVariant check = index.data(Qt::CheckStateRole);
    if (check.isValid()) {
        drawCheck(*painter, checkRect(cell), static_cast<Qt::CheckState>(check.toInt()));
        rest.setLeft(rest.left() + kCheck + 4);
    }
    const QString method = index.data(MethodRole).toString();
    if (!method.isEmpty()) {
        painter->setRenderHint(QPainter::Antialiasing);
        drawSwatch(*painter, QRectF(rest.left(), cell.center().y() - 6, kSwatch, 13), methodStyle(method));
        rest.setLeft(rest.left() + kSwatch + 6);
    }

    const bool numeric = index.data(NumericRole).toBool();
    const QString aside = index.data(AsideRole).toString();
    const QFont secondary = font(TypeRole::Secondary);
    const bool reserve = reserved_.contains(index.column());
    int asideWidth = aside.isEmpty() ? 0 : QFontMetrics(secondary).horizontalAdvance(aside) + 6;
    if (reserve) asideWidth = std::max(asideWidth, QFontMetrics(secondary).horizontalAdvance(widest_) + 6);

    const QFont main = font(numeric ? TypeRole::Number : TypeRole::Body);
    const QFontMetrics metrics(main);
    QString text = index.data(Qt::DisplayRole).toString();
    painter->setFont(main);
    painter->setPen(toneColor(index.data(ToneRole).toInt()));
    if (numeric) {
        QRect number = rest.adjusted(0, 0, -asideWidth, 0);
        painter->drawText(number, Qt::AlignRight | Qt::AlignVCenter | Qt::TextSingleLine,
                          metrics.elidedText(text, Qt::ElideRight, number.width()));
        painter->setFont(secondary);
        painter->setPen(theme().secondary);
        if (!aside.isEmpty())
            painter->drawText(QRect(number.right() + 7, rest.top(), asideWidth, rest.height()),
                              Qt::AlignLeft | Qt::AlignVCenter | Qt::TextSingleLine, aside);
    } else {
        const int whole = metrics.horizontalAdvance(text) + 2;
        const int room = std::max(std::min(whole, rest.width()), rest.width() - asideWidth);  // the text comes first
        text = metrics.elidedText(text, Qt::ElideRight, room);
        const Qt::Alignment side = option.direction == Qt::RightToLeft ? Qt::AlignRight : Qt::AlignLeft;
        painter->drawText(rest, static_cast<int>(side | Qt::AlignVCenter) | Qt::TextSingleLine, text);
        if (!aside.isEmpty() && rest.width() >= whole + asideWidth) {
            const int x = rest.left() + metrics.horizontalAdvance(text) + 6;
            painter->setFont(secondary);
            painter->setPen(theme().secondary);
            painter->drawText(QRect(x, rest.top(), asideWidth, rest.height()),
                              Qt::AlignLeft | Qt::AlignVCenter | Qt::TextSingleLine, aside);
        }
    }
    painter->restore();
}

bool CellDelegate::editorEvent(QEvent* event, QAbstractItemModel* model, const QStyleOptionViewItem& option,
                               const QModelIndex& index) {
    if (!(index.flags() & Qt::ItemIsUserCheckable)) return false;
    const auto toggle = [&] {
        const bool on = index.data(Qt::CheckStateRole).toInt() == Qt::Checked;
        return model->setData(index, on ? Qt::Unchecked : Qt::Checked, Qt::CheckStateRole);
    };
    if (event->type() == QEvent::KeyPress && static_cast<QKeyEvent*>(event)->key() == Qt::Key_Space) return toggle();
    if (event->type() != QEvent::MouseButtonRelease && event->type() != QEvent::MouseButtonPress &&
        event->type() != QEvent::MouseButtonDblClick)
        return false;
    auto* mouse = static_cast<QMouseEvent*>(event);
    if (!checkRect(option.rect).adjusted(-3, -4, 3, 4).contains(mouse->position().toPoint())) return false;
    return event->type() == QEvent::MouseButtonRelease ? toggle() : true;
}

QTableView* makeTable(const QString& accessibleName, QWidget* parent) {
    auto* view = new QTableView(parent);
    prepare(*view, accessibleName);
    view->setShowGrid(false);
    view->setWordWrap(false);
    view->setCornerButtonEnabled(false);
    view->verticalHeader()->setVisible(false);
    view->verticalHeader()->setMinimumSectionSize(space::row);
    view->verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    view->verticalHeader()->setDefaultSectionSize(space::row);
    prepareHeader(*view->horizontalHeader());
    view->horizontalHeader()->setDefaultSectionSize(96);
    return view;
}

QTreeView* makeTree(const QString& accessibleName, QWidget* parent) {
    auto* view = new QTreeView(parent);
    prepare(*view, accessibleName);
    view->setUniformRowHeights(true);
    view->setIndentation(16);
    view->setExpandsOnDoubleClick(true);
    prepareHeader(*view->header());
    view->header()->setStretchLastSection(false);
    return view;
}

CellDelegate* cellDelegate(QAbstractItemView* view) { return qobject_cast<CellDelegate*>(view->itemDelegate()); }

}  // namespace candor::ui
