// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plots/panels.h"

#include <algorithm>
#include <cmath>

#include "ui/plots/canvas.h"

namespace candor::ui {
namespace {

QString letter(std::size_t index) {
    return index < 26 ? QStringLiteral("(%1) ").arg(QChar(u'a' + char16_t(index)))
                      : QStringLiteral("(%1) ").arg(index + 1);
}

void drawPanel(QCPPainter& painter, const Panels::Panel& panel, const QString& mark, const QRectF& area,
               const PlotStyle& style) {
    const QFont font = style.font(false, true);
    const double line = std::ceil(QFontMetricsF(font).height() * 1.2);
    painter.setFont(font);
    painter.setPen(style.theme.text);
    painter.drawText(QRectF(area.left() + 2, area.top(), area.width() - 4, line), Qt::AlignVCenter | Qt::AlignLeft,
                     elide(mark + panel.name, font, area.width() - 4));
    const QRectF rest = area.adjusted(0, line, 0, 0);
    const QString reason = panel.plot->emptyReason();
    if (!reason.isEmpty()) {
        painter.setFont(style.font(true));
        painter.setPen(style.theme.secondary);
        painter.drawText(rest.adjusted(6, 6, -6, -6), Qt::AlignCenter | Qt::TextWordWrap, reason);
        return;
    }
    PlotStyle inner = style;
    inner.legend = inner.titled = false;
    painter.save();
    painter.translate(rest.topLeft());
    panel.plot->paintFigure(painter, rest.size().toSize(), inner);
    painter.restore();
}

}  // namespace

Panels::Panels(QWidget* parent) : PlotView(parent) {
    setTitle(tr("Small multiples"));
    rebuild();
}
Panels::~Panels() = default;

void Panels::setPanels(std::vector<Panel> panels, const QStringList& methods) {
    panels_ = std::move(panels);
    methods_ = methods;
    rebuild();
}

int Panels::columns() const { return panels_.size() == 4 ? 2 : std::clamp(static_cast<int>(panels_.size()), 1, 3); }

double Panels::paperAspect() const {
    const double rows = std::ceil(static_cast<double>(panels_.size()) / columns());
    double one = 0;
    for (const Panel& panel : panels_) one = std::max(one, panel.plot->paperAspect());
    return rows * std::max(one, 0.85) / columns() + 0.06;
}

QString Panels::undefinedReason() const {
    if (panels_.empty()) return tr("One panel a set, once runs are finished.");
    const auto drawn = [](const Panel& panel) { return panel.plot->emptyReason().isEmpty(); };
    return std::any_of(panels_.begin(), panels_.end(), drawn) ? QString() : panels_.front().plot->emptyReason();
}

QString Panels::notes() const {
    QStringList parts;
    for (std::size_t i = 0; i < panels_.size(); ++i)
        parts << letter(i) + panels_[i].name + QStringLiteral(": ") + panels_[i].plot->note();
    return parts.join(QStringLiteral("; "));
}

double Panels::drawLegend(QCPPainter& painter, const PlotStyle& style, double width) const {
    const QFont font = style.font(true);
    const QFontMetricsF metrics(font);
    const double row = std::ceil(metrics.height() * 1.3), swatch = style.tick * 2.2, gap = style.tick * 0.6;
    double x = gap, y = 0;
    painter.setFont(font);
    for (const QString& method : methods_) {
        const MethodStyle look = methodStyle(method, style.theme);
        const QString text = elide(look.name, font, width - swatch - 3 * gap);
        const double wide = swatch + gap + metrics.horizontalAdvance(text);
        if (x > gap && x + wide > width - gap) x = gap, y += row;
        painter.setPen(methodPen(look, style.line));
        painter.drawLine(QLineF(x, y + row / 2, x + swatch, y + row / 2));
        drawMarker(painter, QPointF(x + swatch / 2, y + row / 2), look, style.marker * 0.9, style.theme.surface);
        painter.setPen(style.theme.text);
        painter.drawText(QRectF(x + swatch + gap, y, width, row), Qt::AlignVCenter | Qt::AlignLeft, text);
        x += wide + 2.5 * gap;
    }
    return methods_.isEmpty() ? 0 : y + row;
}

void Panels::build(Canvas& canvas) const {
    for (QCPAxis* axis : {canvas.x, canvas.y}) {
        axis->setVisible(false);
        axis->grid()->setVisible(false);
    }
    canvas.sketch(Depth::Line, [this, &canvas](QCPPainter& painter) {
        const QRectF page = canvas.plot.viewport();
        const double top = drawLegend(painter, canvas.style, page.width()) + canvas.style.pad;
        const int across = columns(), rows = (static_cast<int>(panels_.size()) + across - 1) / across;
        const double width = page.width() / across, height = (page.height() - top) / rows;
        for (std::size_t i = 0; i < panels_.size(); ++i) {
            const int at = static_cast<int>(i);
            const QRectF area(page.left() + width * (at % across), page.top() + top + height * (at / across), width,
                              height);
            drawPanel(painter, panels_[i], letter(i), area.adjusted(1, 0, -1, -1), canvas.style);
        }
    });
}

FigureData Panels::data() const {
    FigureData all{title(), notes(), {{QStringLiteral("panel"), true, {}, {}}}};
    for (const Panel& panel : panels_) {
        const FigureData one = panel.plot->data();
        const int before = all.rows(), rows = one.rows();
        for (int i = 0; i < rows; ++i) all.columns[0].text << panel.name;
        for (const FigureColumn& column : one.columns) {
            auto found = std::find_if(all.columns.begin(), all.columns.end(),
                                      [&](const FigureColumn& c) { return c.name == column.name; });
            if (found == all.columns.end()) {
                all.columns.push_back({column.name, column.isText, {}, {}});
                found = all.columns.end() - 1;
            }
            while (column.isText && found->text.size() < before) found->text << QString();
            if (!column.isText) found->number.resize(static_cast<std::size_t>(before), NAN);
            found->text << column.text;
            found->number.insert(found->number.end(), column.number.begin(), column.number.end());
        }
        for (FigureColumn& column : all.columns) {  // those that this panel lacks
            while (column.isText && column.text.size() < before + rows) column.text << QString();
            if (!column.isText) column.number.resize(static_cast<std::size_t>(before + rows), NAN);
        }
    }
    return all;
}

}  // namespace candor::ui
