// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QColor>
#include <QPainterPath>
#include <QPen>
#include <QString>

#include "ui/theme/theme.h"

class QPainter;

namespace candor::ui {

enum class Marker { Circle, Square, Triangle, Diamond, TriangleDown, Pentagon, Plus, Cross, Star, Hexagon };

// How a method looks, on screen and on paper: colour is the method, marker and dash repeat it.
struct MethodStyle {
    QString name;  // "EliCal", "Consis-Sem + isotonic"
    QColor color;
    Qt::PenStyle dash = Qt::SolidLine;
    Marker marker = Marker::Circle;
    bool open = false;  // a calibrated variant
};

// Style of "elical", "consis-sem+isotonic" or a method of the user's own (a grey, marker chosen by the name).
MethodStyle methodStyle(const QString& method, const Theme& on = theme());
// Gives a method a colour of the user's choice on both themes; an invalid colour takes it back. GUI thread.
void setMethodColor(const QString& method, const QColor& color);

// "all (1,124)", "250", for budgets as DESIGN 2 counts them; labels < 0: not known.
QString budgetText(qint64 budget, qint64 labels = -1);

// The marker's outline around (0, 0), as wide as `size`. Plus, Cross and Star are lines without area.
QPainterPath markerPath(Marker marker, double size);
void drawMarker(QPainter& painter, const QPointF& at, const MethodStyle& style, double size, const QColor& surface);
QPen methodPen(const MethodStyle& style, double width);
// A sample of line and marker, for legends, run lists and table cells.
void drawSwatch(QPainter& painter, const QRectF& rect, const MethodStyle& style, double lineWidth = 1.5);

}  // namespace candor::ui
