// SPDX-License-Identifier: GPL-3.0-or-later
#include <QComboBox>
#include <QPainter>
#include <QStyleOption>

#include "ui/theme/paint.h"
#include "ui/theme/style.h"
#include "ui/theme/theme.h"

namespace candor::ui {

void Style::drawControl(ControlElement element, const QStyleOption* option, QPainter* painter,
                        const QWidget* widget) const {
    const Theme& t = theme();
    const Restore restore(painter);
    switch (element) {
        case CE_PushButtonLabel: {
            const auto* button = qstyleoption_cast<const QStyleOptionButton*>(option);
            if (!button) break;
            QStyleOptionButton copy = *button;
            const QString look = widget ? widget->property("look").toString() : QString();
            if (look == QLatin1String("primary") || look == QLatin1String("danger"))
                copy.palette.setColor(QPalette::ButtonText, t.onAccent);
            QProxyStyle::drawControl(element, &copy, painter, widget);
            return;
        }
        case CE_TabBarTabShape:
            return drawTab(option, painter);
        case CE_TabBarTabLabel: {
            const auto* tab = qstyleoption_cast<const QStyleOptionTab*>(option);
            if (!tab) break;
            QStyleOptionTab copy = *tab;
            const bool on = option->state & State_Selected;
            copy.palette.setColor(QPalette::WindowText, on ? t.text : t.secondary);
            copy.state &= ~State_HasFocus;  // the shape shows it
            QProxyStyle::drawControl(element, &copy, painter, widget);
            return;
        }
        case CE_HeaderSection:
        case CE_HeaderEmptyArea:
            return drawHeaderSection(option, painter);
        case CE_HeaderLabel: {
            const auto* header = qstyleoption_cast<const QStyleOptionHeader*>(option);
            if (!header) break;
            QStyleOptionHeader copy = *header;
            copy.palette.setColor(QPalette::ButtonText, t.secondary);
            QFont small = painter->font();
            small.setPixelSize(12);
            small.setWeight(QFont::Medium);
            painter->setFont(small);
            copy.state &= ~(State_On | State_Sunken);
            copy.fontMetrics = QFontMetrics(small);
            QProxyStyle::drawControl(element, &copy, painter, widget);
            return;
        }
        case CE_Splitter: {
            const bool over = option->state & (State_MouseOver | State_Sunken);
            painter->fillRect(option->rect, over ? t.accent : t.line);
            return;
        }
        case CE_ProgressBar: {  // parts by our own geometry: Fusion asks its own
            const auto* bar = qstyleoption_cast<const QStyleOptionProgressBar*>(option);
            if (!bar) break;
            QStyleOptionProgressBar part = *bar;
            part.rect = subElementRect(SE_ProgressBarGroove, bar, widget);
            drawControl(CE_ProgressBarGroove, &part, painter, widget);
            drawControl(CE_ProgressBarContents, &part, painter, widget);
            part.rect = subElementRect(SE_ProgressBarLabel, bar, widget);
            if (bar->textVisible) drawControl(CE_ProgressBarLabel, &part, painter, widget);
            return;
        }
        case CE_Header: {
            const auto* header = qstyleoption_cast<const QStyleOptionHeader*>(option);
            if (!header) break;
            QStyleOptionHeader part = *header;
            drawControl(CE_HeaderSection, &part, painter, widget);
            part.rect = subElementRect(SE_HeaderLabel, header, widget);
            drawControl(CE_HeaderLabel, &part, painter, widget);
            if (header->sortIndicator == QStyleOptionHeader::None) return;
            part.rect = subElementRect(SE_HeaderArrow, header, widget);
            drawPrimitive(PE_IndicatorHeaderArrow, &part, painter, widget);
            return;
        }
        case CE_ProgressBarGroove: {
            const QRectF r = QRectF(option->rect);
            roundedBox(painter, r, std::min(3.0, r.height() / 2), mix(t.line, t.window, 0.2), Qt::transparent);
            return;
        }
        case CE_ProgressBarContents: {
            const auto* bar = qstyleoption_cast<const QStyleOptionProgressBar*>(option);
            if (!bar) break;
            QRectF r = QRectF(option->rect);
            const double radius = std::min(3.0, r.height() / 2);
            if (bar->maximum <= bar->minimum) {  // unknown length: a still, hatched-free bar at part strength
                roundedBox(painter, r, radius, mix(t.accent, t.surface, 0.55), Qt::transparent);
                return;
            }
            const double share = double(bar->progress - bar->minimum) / (double(bar->maximum) - bar->minimum);
            if (share <= 0) return;
            const double width = std::max(2 * radius, r.width() * std::min(1.0, share));
            if (bar->invertedAppearance != (bar->direction == Qt::RightToLeft)) r.setLeft(r.right() - width);
            r.setWidth(width);
            roundedBox(painter, r, radius, t.accent, Qt::transparent);
            return;
        }
        case CE_ProgressBarLabel: {
            const auto* bar = qstyleoption_cast<const QStyleOptionProgressBar*>(option);
            if (!bar || option->rect.height() < 14) return;
            painter->setPen(t.text);
            painter->drawText(option->rect, Qt::AlignRight | Qt::AlignVCenter, bar->text);
            return;
        }
        case CE_MenuItem:
            return drawMenuItem(option, painter, widget);
        case CE_MenuEmptyArea:
            painter->fillRect(option->rect, t.raised);
            return;
        case CE_MenuBarEmptyArea:
            return;
        case CE_MenuBarItem: {
            const auto* item = qstyleoption_cast<const QStyleOptionMenuItem*>(option);
            if (!item) break;
            if (option->state & (State_Selected | State_Sunken))
                roundedBox(painter, QRectF(option->rect), 4, t.hover, Qt::transparent);
            painter->setPen(option->state & State_Enabled ? t.text : t.secondary);
            painter->drawText(option->rect, Qt::AlignCenter | Qt::TextHideMnemonic, item->text);
            return;
        }
        case CE_ToolBar:
        case CE_ToolBoxTabShape:
            return;
        case CE_RubberBand: {
            QColor fill = t.accent;
            fill.setAlphaF(0.12f);
            painter->setPen(QPen(t.accent, 1));
            painter->setBrush(fill);
            painter->drawRect(QRectF(option->rect).adjusted(0.5, 0.5, -0.5, -0.5));
            return;
        }
        default:
            break;
    }
    QProxyStyle::drawControl(element, option, painter, widget);
}

void Style::drawTab(const QStyleOption* option, QPainter* painter) const {
    const Theme& t = theme();
    const QRect r = option->rect;
    const bool on = option->state & State_Selected, over = option->state & State_MouseOver;
    if (over && !on) roundedBox(painter, QRectF(r).adjusted(2, 4, -2, -4), 4, t.hover, Qt::transparent);
    if (on) painter->fillRect(QRect(r.left() + 8, r.bottom() - 1, r.width() - 16, 2), t.accent);
    if (option->state & State_HasFocus && option->state & State_KeyboardFocusChange)
        focusRing(painter, QRectF(r).adjusted(2, 3, -2, -3), 4);
}

void Style::drawHeaderSection(const QStyleOption* option, QPainter* painter) const {
    const Theme& t = theme();
    const QRect r = option->rect;
    painter->fillRect(r, option->state & State_MouseOver && option->state & State_Enabled ? t.hover : t.window);
    painter->fillRect(QRect(r.left(), r.bottom(), r.width(), 1), t.line);
}

void Style::drawMenuItem(const QStyleOption* option, QPainter* painter, const QWidget* widget) const {
    const auto* item = qstyleoption_cast<const QStyleOptionMenuItem*>(option);
    if (!item) return;
    const Theme& t = theme();
    const QRect r = option->rect;
    const bool enabled = option->state & State_Enabled, on = enabled && (option->state & State_Selected);
    const bool combo = qobject_cast<const QComboBox*>(widget) != nullptr;
    painter->fillRect(r, t.raised);
    if (item->menuItemType == QStyleOptionMenuItem::Separator) {
        painter->fillRect(QRect(r.left() + 8, r.center().y(), r.width() - 16, 1), t.line);
        return;
    }
    if (on) roundedBox(painter, QRectF(r).adjusted(1, 1, -1, -1), 4, t.selection, Qt::transparent);
    QRect text = r.adjusted(32, 0, -12, 0);
    const QRect mark(r.left() + 8, r.center().y() - 8, 16, 16);
    if (item->checked) {
        painter->setPen(QPen(t.accent, 1.8, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
        const QPointF o = mark.topLeft();
        painter->drawPolyline(QPolygonF({o + QPointF(3.7, 8.3), o + QPointF(6.6, 11.2), o + QPointF(12.2, 4.9)}));
    } else if (!item->icon.isNull()) {
        item->icon.paint(painter, mark, Qt::AlignCenter, enabled ? QIcon::Normal : QIcon::Disabled);
    }
    if (combo) text.setLeft(r.left() + 28);
    QFont f = item->font;
    if (item->menuItemType == QStyleOptionMenuItem::DefaultItem) f.setWeight(QFont::DemiBold);
    painter->setFont(f);
    painter->setPen(enabled ? t.text : mix(t.secondary, t.raised, 0.35));
    const qsizetype tab = item->text.indexOf(QLatin1Char('\t'));
    painter->drawText(text, Qt::AlignVCenter | Qt::AlignLeft | Qt::TextHideMnemonic | Qt::TextSingleLine,
                      tab < 0 ? item->text : item->text.left(tab));
    if (tab >= 0) {
        painter->setPen(enabled ? t.secondary : mix(t.secondary, t.raised, 0.35));
        painter->drawText(text, Qt::AlignVCenter | Qt::AlignRight | Qt::TextSingleLine, item->text.mid(tab + 1));
    }
    if (item->menuItemType == QStyleOptionMenuItem::SubMenu)
        chevron(painter, QRectF(r.right() - 20, r.top(), 14, r.height()), 0, t.secondary);
}

}  // namespace candor::ui
