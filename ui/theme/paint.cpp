// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/theme/paint.h"

#include <QPainterPath>

#include "ui/theme/theme.h"

namespace candor::ui {
namespace {

QRectF squareIn(const QRectF& rect, double size) {
    const double s = std::min({size, rect.width(), rect.height()});
    return QRectF(std::round(rect.center().x() - s / 2), std::round(rect.center().y() - s / 2), s, s);
}

}  // namespace

void roundedBox(QPainter* painter, const QRectF& rect, double radius, const QColor& fill, const QColor& border) {
    painter->setPen(border.alpha() == 0 ? QPen(Qt::NoPen) : QPen(border, 1));
    painter->setBrush(fill);
    const double inset = border.alpha() == 0 ? 0 : 0.5;
    painter->drawRoundedRect(rect.adjusted(inset, inset, -inset, -inset), radius, radius);
}

void focusRing(QPainter* painter, const QRectF& rect, double radius, const QColor& gap) {
    painter->setBrush(Qt::NoBrush);
    painter->setPen(QPen(theme().accent, space::focus));
    painter->drawRoundedRect(rect.adjusted(1, 1, -1, -1), radius - 1, radius - 1);
    if (!gap.isValid()) return;
    painter->setPen(QPen(gap, 1.5));
    painter->drawRoundedRect(rect.adjusted(2.75, 2.75, -2.75, -2.75), radius - 2, radius - 2);
}

void fieldBox(QPainter* painter, const QRectF& rect, QStyle::State state) {
    const Theme& t = theme();
    const bool enabled = state & QStyle::State_Enabled;
    const bool over = enabled && (state & QStyle::State_MouseOver);
    roundedBox(painter, rect, space::radius, enabled ? t.surface : mix(t.surface, t.window, 0.7),
               over      ? mix(t.control, t.secondary, 0.4)
               : enabled ? t.control
                         : t.line);
    if (enabled && (state & QStyle::State_HasFocus)) focusRing(painter, rect, space::radius);
}

void checkMark(QPainter* painter, const QRectF& rect, QStyle::State state) {
    const Theme& t = theme();
    const bool enabled = state & QStyle::State_Enabled, off = state & QStyle::State_Off;
    const bool partly = state & QStyle::State_NoChange;
    const QRectF box = squareIn(rect, 16);
    const QColor on = enabled ? t.accent : t.control;
    roundedBox(painter, box, 4, off ? t.surface : on, off ? (enabled ? mix(t.control, t.secondary, 0.5) : t.line) : on);
    if (state & QStyle::State_HasFocus && !off) focusRing(painter, box.adjusted(-2, -2, 2, 2), 6);
    if (off) return;
    painter->setPen(QPen(t.onAccent, 1.8, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    const QPointF o = box.topLeft();
    if (partly)
        painter->drawLine(o + QPointF(4.5, 8), o + QPointF(11.5, 8));
    else
        painter->drawPolyline(QPolygonF({o + QPointF(4.2, 8.3), o + QPointF(6.9, 11), o + QPointF(11.8, 5.3)}));
}

void radioMark(QPainter* painter, const QRectF& rect, QStyle::State state) {
    const Theme& t = theme();
    const bool enabled = state & QStyle::State_Enabled, on = state & QStyle::State_On;
    const QRectF box = squareIn(rect, 16).adjusted(0.5, 0.5, -0.5, -0.5);
    painter->setPen(QPen(on && enabled ? t.accent : enabled ? mix(t.control, t.secondary, 0.5) : t.line, on ? 5 : 1));
    painter->setBrush(on ? t.onAccent : t.surface);
    const double inset = on ? 2.5 : 0;
    painter->drawEllipse(box.adjusted(inset, inset, -inset, -inset));
}

void chevron(QPainter* painter, const QRectF& rect, double degrees, const QColor& color) {
    painter->save();
    painter->translate(rect.center());
    painter->rotate(degrees);
    const double s = std::min({rect.width(), rect.height(), 14.0}) * 0.24;
    painter->setPen(QPen(color, 1.5, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    painter->setBrush(Qt::NoBrush);
    painter->drawPolyline(QPolygonF({QPointF(-s / 2, -s), QPointF(s / 2, 0), QPointF(-s / 2, s)}));
    painter->restore();
}

}  // namespace candor::ui
