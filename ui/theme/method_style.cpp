// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/theme/method_style.h"

#include <QHash>
#include <QLocale>
#include <QPainter>
#include <cmath>

#include "core/experiment/spec.h"

namespace candor::ui {
namespace {

struct Known {
    const char* method;
    const char* name;
    unsigned color;  // 0: the text colour
    Qt::PenStyle dash;
    Marker marker;
};

constexpr unsigned kGrey = 0x70757D;

constexpr Known kKnown[] = {
    {"elical", "EliCal", 0x0072B2, Qt::SolidLine, Marker::Circle},
    {"cal-only", "Cal-Only", 0xD55E00, Qt::DashLine, Marker::Square},
    {"eli-only", "Eli-Only", 0x009E73, Qt::DotLine, Marker::Triangle},
    {"consis-sem", "Consis-Sem", 0, Qt::DashDotLine, Marker::Diamond},
    {"n-prob", "N-Prob", 0x099AAA, Qt::DashDotDotLine, Marker::TriangleDown},
    {"probe", "Probe", kGrey, Qt::SolidLine, Marker::Plus},
    {"text-prior", "Text prior", kGrey, Qt::DotLine, Marker::Cross},
    {"features", "Features", kGrey, Qt::DashLine, Marker::Pentagon},
    {"set-prior", "Set prior", kGrey, Qt::DotLine, Marker::Hexagon},
    {"prob", "Prob", kGrey, Qt::DashDotDotLine, Marker::Star},
    {"verbal-0", "Verbal-0", kGrey, Qt::DashDotLine, Marker::Hexagon},
    {"verbal-10", "Verbal-10", kGrey, Qt::DashLine, Marker::Hexagon},
    {"consis-lex", "Consis-Lex", kGrey, Qt::DashDotLine, Marker::Pentagon},
    {"thermometer", "Thermometer", kGrey, Qt::SolidLine, Marker::TriangleDown},
    {"daca", "DACA", kGrey, Qt::SolidLine, Marker::Pentagon},
    {"p-true", "P(True)", kGrey, Qt::SolidLine, Marker::Star},
    {"semantic-entropy", "Semantic entropy", kGrey, Qt::DashLine, Marker::Star},
};

QHash<QString, QColor>& chosenColors() {
    static QHash<QString, QColor> colors;
    return colors;
}

QPainterPath polygon(int corners, double radius, double turn, double inner = 0) {
    QPainterPath path;
    const int points = inner > 0 ? 2 * corners : corners;
    for (int i = 0; i < points; ++i) {
        const double angle = (turn + 360.0 * i / points) * M_PI / 180, r = inner > 0 && i % 2 ? inner : radius;
        const QPointF p(r * std::sin(angle), -r * std::cos(angle));
        i == 0 ? path.moveTo(p) : path.lineTo(p);
    }
    path.closeSubpath();
    return path;
}

}  // namespace

MethodStyle methodStyle(const QString& method, const Theme& on) {
    const int plus = static_cast<int>(method.indexOf(QLatin1Char('+')));
    const QString base = plus < 0 ? method : method.left(plus);
    MethodStyle style;
    style.open = plus >= 0;
    style.name = base;
    style.color = QColor::fromRgb(kGrey);
    bool found = false;
    for (const Known& known : kKnown) {
        if (base != QLatin1String(known.method)) continue;
        found = true;
        style.name = QString::fromLatin1(known.name);
        style.color = known.color == 0 ? on.text : QColor::fromRgb(known.color);
        style.dash = known.dash;
        style.marker = known.marker;
    }
    if (!found) {  // FNV-1a: the same on every machine, unlike qHash
        quint32 hash = 2166136261u;
        for (const QChar c : base) hash = (hash ^ c.unicode()) * 16777619u;
        style.marker = static_cast<Marker>(hash % 10);
        style.dash = static_cast<Qt::PenStyle>(1 + (hash / 10) % 5);
    }
    if (style.open) style.name += QStringLiteral(" + ") + method.mid(plus + 1);
    if (const QColor chosen = chosenColors().value(base); chosen.isValid()) style.color = chosen;
    return style;
}

void setMethodColor(const QString& method, const QColor& color) {
    if (color.isValid())
        chosenColors()[method] = color;
    else
        chosenColors().remove(method);
    emit themeNotifier()->changed();
}

QString budgetText(qint64 budget, qint64 labels) {
    const QLocale english(QLocale::English);  // thousands as in the papers, whatever the desktop's language
    if (budget != kAllLabels) return english.toString(budget);
    return labels < 0 ? QStringLiteral("all") : QStringLiteral("all (%1)").arg(english.toString(labels));
}

QPainterPath markerPath(Marker marker, double size) {
    const double r = size / 2;
    QPainterPath path;
    switch (marker) {  // areas look equal, not widths
        case Marker::Circle:
            path.addEllipse(QPointF(0, 0), r, r);
            break;
        case Marker::Square:
            path = polygon(4, r * 1.25, 45);
            break;
        case Marker::Triangle:
            path = polygon(3, r * 1.32, 0).translated(0, r * 0.15);
            break;
        case Marker::TriangleDown:
            path = polygon(3, r * 1.32, 180).translated(0, -r * 0.15);
            break;
        case Marker::Diamond:
            path = polygon(4, r * 1.28, 0);
            break;
        case Marker::Pentagon:
            path = polygon(5, r * 1.12, 0);
            break;
        case Marker::Hexagon:
            path = polygon(6, r * 1.08, 30);
            break;
        case Marker::Star:
            path = polygon(5, r * 1.35, 0, r * 0.6);
            break;
        case Marker::Plus:
            path.moveTo(-r, 0), path.lineTo(r, 0), path.moveTo(0, -r), path.lineTo(0, r);
            break;
        case Marker::Cross: {
            const double d = r * 0.78;
            path.moveTo(-d, -d), path.lineTo(d, d), path.moveTo(-d, d), path.lineTo(d, -d);
            break;
        }
    }
    return path;
}

void drawMarker(QPainter& painter, const QPointF& at, const MethodStyle& style, double size, const QColor& surface) {
    const bool lines = style.marker == Marker::Plus || style.marker == Marker::Cross;
    QPen pen(style.open || lines ? style.color : surface, style.open || lines ? size / 5 : size / 8);
    pen.setJoinStyle(Qt::MiterJoin);
    painter.setPen(pen);
    painter.setBrush(style.open ? surface : style.color);
    if (lines) painter.setBrush(Qt::NoBrush);
    painter.drawPath(markerPath(style.marker, size).translated(at));
}

QPen methodPen(const MethodStyle& style, double width) {
    QPen pen(style.color, width);
    pen.setCapStyle(Qt::FlatCap);
    pen.setJoinStyle(Qt::RoundJoin);
    // Lengths in line widths, longer than Qt's, so that dashes are told apart at 1.5 px.
    switch (style.dash) {
        case Qt::DashLine:
            pen.setDashPattern({4.5, 2});
            break;
        case Qt::DotLine:
            pen.setDashPattern({1.3, 1.7});
            break;
        case Qt::DashDotLine:
            pen.setDashPattern({5, 2, 1.3, 2});
            break;
        case Qt::DashDotDotLine:
            pen.setDashPattern({5, 1.7, 1.3, 1.7, 1.3, 1.7});
            break;
        default:
            break;
    }
    return pen;
}

void drawSwatch(QPainter& painter, const QRectF& rect, const MethodStyle& style, double lineWidth) {
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(methodPen(style, lineWidth));
    painter.drawLine(QPointF(rect.left(), rect.center().y()), QPointF(rect.right(), rect.center().y()));
    drawMarker(painter, rect.center(), style, std::min(rect.height(), 7.0), theme().surface);
    painter.restore();
}

}  // namespace candor::ui
