// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>

#include "ui/plots/canvas.h"

namespace candor::ui {
namespace {

constexpr std::size_t kMostEntries = 10;

QColor veil(const Theme& theme) {
    QColor color = theme.surface;
    color.setAlphaF(0.82f);
    return color;
}

}  // namespace

void Canvas::legend(Qt::Corner corner, std::vector<LegendEntry> entries) {
    if (entries.empty() || !style.legend) return;
    const std::size_t hidden = entries.size() > kMostEntries ? entries.size() - kMostEntries + 1 : 0;
    if (hidden > 0) entries.resize(kMostEntries - 1);
    sketch(Depth::Label, [this, corner, all = std::move(entries), hidden](QCPPainter& painter) {
        const QFont font = style.font(true);
        const QFontMetricsF metrics(font);
        const double row = std::ceil(metrics.height() * 1.18), swatch = style.tick * 2.2, gap = style.tick * 0.55;
        const QRectF area = QRectF(main->rect()).adjusted(gap, gap, -gap, -gap);
        std::vector<LegendEntry> entries = all;
        double value = 0, text = 0, room = 0;
        const auto measure = [&] {
            value = text = 0;
            for (const LegendEntry& e : entries) {
                value = std::max(value, metrics.horizontalAdvance(e.value));
                text = std::max(text, metrics.horizontalAdvance(e.text));
            }
            if (hidden > 0)
                text = std::max(text, metrics.horizontalAdvance(QObject::tr("and %n more", nullptr, int(hidden))));
            room = area.width() - swatch - value - 4 * gap;
        };
        measure();
        if (text > room) {  // the run's name says more than the name of the number: "ECE 0.045" becomes "0.045"
            for (LegendEntry& e : entries) e.value = e.value.section(QLatin1Char(' '), -1);
            measure();
        }
        text = std::min(text, std::max(room, 3.0 * style.tick));
        const double width = swatch + gap + text + (value > 0 ? gap * 1.4 + value : 0);
        const double height = row * static_cast<double>(entries.size() + (hidden > 0 ? 1 : 0));
        const bool right = corner == Qt::TopRightCorner || corner == Qt::BottomRightCorner;
        const bool bottom = corner == Qt::BottomLeftCorner || corner == Qt::BottomRightCorner;
        const QPointF origin(right ? area.right() - width : area.left() + gap * 0.5,
                             bottom ? area.bottom() - height : area.top());
        painter.setPen(Qt::NoPen);
        painter.setBrush(veil(style.theme));
        painter.drawRoundedRect(QRectF(origin, QSizeF(width, height)).adjusted(-gap / 2, -gap / 3, gap / 2, gap / 3), 3,
                                3);
        painter.setFont(font);
        for (std::size_t i = 0; i < entries.size(); ++i) {
            const LegendEntry& e = entries[i];
            const QRectF line(origin.x(), origin.y() + row * static_cast<double>(i), width, row);
            const double middle = line.center().y();
            if (e.line) {
                painter.setPen(methodPen(e.style, e.width));
                painter.drawLine(QLineF(line.left(), middle, line.left() + swatch, middle));
            }
            if (e.marker)
                drawMarker(painter, QPointF(line.left() + swatch / 2, middle), e.style, style.marker * 0.9,
                           style.theme.surface);
            painter.setPen(style.theme.text);
            painter.drawText(line.adjusted(swatch + gap, 0, 0, 0), Qt::AlignVCenter | Qt::AlignLeft,
                             elide(e.text, font, text));
            painter.setPen(style.theme.secondary);
            painter.drawText(line, Qt::AlignVCenter | Qt::AlignRight, e.value);
        }
        if (hidden > 0) {
            const QRectF line(origin.x() + swatch + gap, origin.y() + height - row, width, row);
            painter.setPen(style.theme.secondary);
            painter.drawText(line, Qt::AlignVCenter | Qt::AlignLeft, QObject::tr("and %n more", nullptr, int(hidden)));
        }
    });
}

void Canvas::endLabels(std::vector<EndLabel> labels) {
    if (labels.empty() || !style.legend) return;
    const QFont font = style.font(true, !style.paper);
    const QFontMetricsF metrics(font);
    const std::size_t hidden = labels.size() > kMostEntries ? labels.size() - kMostEntries : 0;
    if (hidden > 0) labels.resize(kMostEntries);
    double widest = 0;
    for (const EndLabel& l : labels) widest = std::max(widest, metrics.horizontalAdvance(l.text));
    // The size is known on paper only after layout; a third of the present viewport bounds what labels may take.
    const double most = std::max(40.0, plot.viewport().width() * 0.3);
    const double width = std::min(widest, most), gap = style.tick * 0.5;
    main->setAutoMargins(QCP::msLeft | QCP::msBottom | QCP::msTop);
    main->setMargins(QMargins(0, 0, int(std::ceil(width + 2 * gap)), 0));
    sketch(Depth::Label, [this, labels = std::move(labels), hidden, font, width, gap](QCPPainter& painter) {
        const double row = std::ceil(QFontMetricsF(font).height() * 1.02);
        struct Placed {
            double wanted, y;
            const EndLabel* label;
        };
        std::vector<Placed> placed;
        const QRectF area = main->rect();
        for (const EndLabel& l : labels) {
            const double at = y->coordToPixel(l.y);
            if (at < area.top() - 1 || at > area.bottom() + 1) continue;  // zoomed out of sight
            placed.push_back({at, at, &l});
        }
        std::stable_sort(placed.begin(), placed.end(),
                         [](const Placed& a, const Placed& b) { return a.wanted < b.wanted; });
        // Push apart from the top, then back from the bottom: order stays, nothing leaves the page.
        for (std::size_t i = 1; i < placed.size(); ++i) placed[i].y = std::max(placed[i].y, placed[i - 1].y + row);
        double floor = area.bottom() + row * 0.4;
        for (std::size_t i = placed.size(); i-- > 0;) {
            placed[i].y = std::min(placed[i].y, floor);
            floor = placed[i].y - row;
        }
        painter.setFont(font);
        const double left = area.right() + gap;
        for (const Placed& p : placed) {
            if (std::abs(p.y - p.wanted) > row * 0.6) {
                QColor thin = p.label->color;
                thin.setAlphaF(0.6f);
                painter.setPen(QPen(thin, style.axis));
                painter.drawLine(QLineF(area.right() + 1, p.wanted, left - 1, p.y));
            }
            painter.setPen(p.label->color);
            painter.drawText(QRectF(left, p.y - row, width + gap, 2 * row), Qt::AlignVCenter | Qt::AlignLeft,
                             elide(p.label->text, font, width));
        }
        if (hidden > 0) {
            painter.setPen(style.theme.secondary);
            painter.drawText(QRectF(left, area.bottom() - row, width + gap, row), Qt::AlignBottom | Qt::AlignLeft,
                             elide(QObject::tr("and %n more", nullptr, int(hidden)), font, width));
        }
    });
}

void Canvas::note(Qt::Corner corner, const QStringList& lines) {
    if (lines.isEmpty()) return;
    sketch(Depth::Label, [this, corner, lines](QCPPainter& painter) {
        const QFont font = style.font(true);
        const QFontMetricsF metrics(font);
        const double row = std::ceil(metrics.height() * 1.12), gap = style.tick * 0.7;
        const QRectF area = QRectF(main->rect()).adjusted(gap, gap, -gap, -gap);
        const bool right = corner == Qt::TopRightCorner || corner == Qt::BottomRightCorner;
        const bool bottom = corner == Qt::BottomLeftCorner || corner == Qt::BottomRightCorner;
        double top = bottom ? area.bottom() - row * static_cast<double>(lines.size()) : area.top();
        painter.setFont(font);
        for (int i = 0; i < lines.size(); ++i, top += row) {
            painter.setPen(i == 0 ? style.theme.text : style.theme.secondary);
            painter.drawText(QRectF(area.left(), top, area.width(), row),
                             Qt::AlignVCenter | (right ? Qt::AlignRight : Qt::AlignLeft),
                             elide(lines[i], font, area.width()));
        }
    });
}

}  // namespace candor::ui
