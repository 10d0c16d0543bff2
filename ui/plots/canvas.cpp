// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plots/canvas.h"

#include <algorithm>
#include <cmath>

namespace candor::ui {
namespace {

// Layers from below to above; "main" holds curves.
constexpr const char* kLayers[] = {"under", "band", "main", "mark", "label", "hover"};

class Sketch : public QCPLayerable {
  public:
    Sketch(QCustomPlot* plot, const QString& layer, std::function<void(QCPPainter&)> draw, QCPAxisRect* clip)
        : QCPLayerable(plot, layer, clip), draw_(std::move(draw)), clip_(clip) {}

  protected:
    void applyDefaultAntialiasingHint(QCPPainter* painter) const override { painter->setAntialiasing(true); }
    QRect clipRect() const override { return clip_ ? clip_->rect() : QCPLayerable::clipRect(); }
    void draw(QCPPainter* painter) override { draw_(*painter); }

  private:
    std::function<void(QCPPainter&)> draw_;
    QCPAxisRect* clip_;
};

// A step of 1, 2 or 5 times a power of ten that cuts `span` into about `parts`.
double niceStep(double span, int parts) {
    const double raw = span / parts, power = std::pow(10.0, std::floor(std::log10(raw))), r = raw / power;
    return power * (r <= 1 ? 1 : r <= 2 ? 2 : r <= 5 ? 5 : 10);
}

}  // namespace

Canvas::Canvas(QCustomPlot& p, const PlotStyle& s) : plot(p), style(s) {
    const QStringList present = [&] {
        QStringList names;
        for (int i = 0; i < plot.layerCount(); ++i) names << plot.layer(i)->name();
        return names;
    }();
    for (const char* name : kLayers)
        if (!present.contains(QLatin1String(name)))
            plot.addLayer(QString::fromLatin1(name), plot.layer(plot.layerCount() - 1));
    plot.moveLayer(plot.layer(QStringLiteral("under")), plot.layer(QStringLiteral("background")));
    plot.moveLayer(plot.layer(QStringLiteral("band")), plot.layer(QStringLiteral("grid")));
    plot.layer(QStringLiteral("hover"))->setMode(QCPLayer::lmBuffered);
    // Solid lines of many steps would cost most of a frame in joins nobody sees at 2 px.
    plot.setPlottingHint(QCP::phFastPolylines, !style.paper);
    plot.setNotAntialiasedElements(style.paper ? QCP::aeNone : QCP::aeAxes | QCP::aeGrid);
}

void Canvas::reset() {
    hot.clear();
    sketches_.clear();
    plot.clearPlottables();
    plot.clearItems();
    plot.plotLayout()->clear();
    strip = nullptr;
    plot.setLocale(style.paper ? QLocale::c() : QLocale());
    plot.setBackground(style.paper ? QBrush(Qt::NoBrush) : QBrush(style.theme.surface));
    plot.plotLayout()->setRowSpacing(0);
    main = new QCPAxisRect(&plot, false);
    plot.plotLayout()->addElement(0, 0, main);
    y = main->addAxis(QCPAxis::atLeft);
    x = main->addAxis(QCPAxis::atBottom);
    main->setRangeZoomAxes(x, y);
    main->setMinimumMargins(QMargins(2, style.tick, style.tick, 2));
    styleAxis(x, false);
    styleAxis(y, true);
}

void Canvas::styleAxis(QCPAxis* axis, bool grid) const {
    const Theme& t = style.theme;
    const QPen pen(style.paper ? t.secondary : t.control, style.axis, Qt::SolidLine, Qt::FlatCap);
    axis->setBasePen(pen);
    axis->setTickPen(pen);
    axis->setSubTicks(false);
    axis->setTickLength(0, qRound(style.tickLength));
    axis->setTickLabelPadding(qRound(style.pad));
    axis->setLabelPadding(qRound(style.pad * 1.25));
    axis->setPadding(qRound(style.pad / 2));
    axis->setTickLabelFont(style.font(true));
    axis->setLabelFont(style.font());
    axis->setTickLabelColor(style.paper ? t.text : t.secondary);
    axis->setLabelColor(style.paper ? t.text : t.secondary);
    axis->setNumberFormat(QStringLiteral("g"));
    axis->setNumberPrecision(6);
    axis->grid()->setVisible(grid);
    QColor line = t.line;
    line.setAlphaF(static_cast<float>(style.gridAlpha));
    axis->grid()->setPen(QPen(line, style.axis));
    axis->grid()->setZeroLinePen(Qt::NoPen);
    axis->grid()->setSubGridVisible(false);
    axis->setLayer(QStringLiteral("axes"));
    axis->grid()->setLayer(QStringLiteral("grid"));
}

void Canvas::addStrip(double share) {
    strip = new QCPAxisRect(&plot, false);
    plot.plotLayout()->addElement(1, 0, strip);
    plot.plotLayout()->setRowStretchFactor(0, 1 - share);
    plot.plotLayout()->setRowStretchFactor(1, share);
    QCPAxis* left = strip->addAxis(QCPAxis::atLeft);
    QCPAxis* bottom = strip->addAxis(QCPAxis::atBottom);
    strip->setRangeZoomAxes(nullptr, nullptr);
    strip->setMinimumMargins(QMargins(2, qRound(style.pad), style.tick, 2));
    styleAxis(bottom, false);
    styleAxis(left, false);
    auto* group = new QCPMarginGroup(&plot);
    main->setMarginGroup(QCP::msLeft | QCP::msRight, group);
    strip->setMarginGroup(QCP::msLeft | QCP::msRight, group);
    x->setTickLabels(false);
    x->setTickLength(0, 0);
    QObject::connect(x, qOverload<const QCPRange&>(&QCPAxis::rangeChanged), bottom,
                     qOverload<const QCPRange&>(&QCPAxis::setRange));
}

void Canvas::names(const QString& xName, const QString& yName) {
    QCPAxis* bottom = strip ? strip->axis(QCPAxis::atBottom) : x;
    // A name longer than the page would be cut at both ends by the painter.
    bottom->setLabel(elide(xName, style.font(), plot.viewport().width() * 0.92));
    y->setLabel(elide(yName, style.font(), plot.viewport().height() * (strip ? 0.6 : 0.88)));
}

void Canvas::unitAxis(QCPAxis* axis, double lo, double hi) {
    auto ticker = QSharedPointer<QCPAxisTickerFixed>::create();
    ticker->setTickStep(0.2);
    ticker->setScaleStrategy(QCPAxisTickerFixed::ssMultiples);
    axis->setTicker(ticker);
    axis->setRange(lo, hi);
}

void Canvas::fit(QCPAxis* axis, const char* key, double lo, double hi, double slack) {
    if (!(lo <= hi)) lo = 0, hi = 1;
    if (lo == hi) {  // a constant sits in the middle of plus and minus 5 %
        const double room = lo == 0 ? 1 : std::abs(lo) * 0.05;
        lo -= room, hi += room;
    }
    const auto old = kept.find(key);
    const bool grown = old != kept.end() && (lo < old->second.lower || hi > old->second.upper);
    if (style.paper || !grown) slack = 0;  // room for what comes only where something came
    if (!style.paper) {
        if (old != kept.end() && old->second.lower <= lo && hi <= old->second.upper &&
            hi - lo > 0.35 * old->second.size()) {
            axis->setRange(old->second);
            return;
        }
    }
    if (axis->scaleType() == QCPAxis::stLogarithmic) {
        const double room = std::pow(hi / lo, 0.04 + slack);
        axis->setRange(lo / std::pow(hi / lo, 0.04), hi * room);
    } else {
        const double step = niceStep(hi - lo, 10);
        const double top = hi + (hi - lo) * slack;
        axis->setRange(std::floor(lo / step + 1e-9) * step, std::ceil(top / step - 1e-9) * step);
    }
    kept[key] = axis->range();
}

void Canvas::finish() {
    home = {x->range(), y->range()};
    if (zoom) x->setRange(zoom->first), y->setRange(zoom->second);
    if (strip) strip->axis(QCPAxis::atBottom)->setRange(x->range());
}

void Canvas::sketch(Depth depth, std::function<void(QCPPainter&)> draw, QCPAxisRect* clip) {
    const QString layer = QString::fromLatin1(kLayers[static_cast<int>(depth)]);
    sketches_.push_back(std::make_unique<Sketch>(&plot, layer, std::move(draw), clip));
}

void Canvas::curve(std::vector<QPointF> points, const QPen& pen) {
    const auto backwards = [](const QPointF& a, const QPointF& b) { return b.x() < a.x(); };
    if (!style.paper && points.size() > 300 &&
        std::adjacent_find(points.begin(), points.end(), backwards) == points.end()) {
        // A graph thins to the pixels of the screen, which dashed curves of thousands of steps need to stay quick.
        auto* graph = new QCPGraph(x, y);
        QVector<QCPGraphData> data;
        data.reserve(static_cast<qsizetype>(points.size()));
        for (const QPointF& p : points) data.append(QCPGraphData(p.x(), p.y()));
        graph->data()->set(data, true);
        graph->setPen(pen);
        graph->setSelectable(QCP::stNone);
        return;
    }
    auto* c = new QCPCurve(x, y);
    QVector<QCPCurveData> data;
    data.reserve(static_cast<qsizetype>(points.size()));
    for (std::size_t i = 0; i < points.size(); ++i)
        data.append(QCPCurveData(static_cast<double>(i), points[i].x(), points[i].y()));
    c->data()->set(data, true);
    c->setPen(pen);
    c->setScatterStyle(QCPScatterStyle::ssNone);
    c->setSelectable(QCP::stNone);
}

void Canvas::band(std::vector<QPointF> outline, const QColor& color, double alpha) {
    QColor fill = color;
    fill.setAlphaF(static_cast<float>(alpha));
    sketch(
        Depth::Band,
        [this, outline = std::move(outline), fill](QCPPainter& painter) {
            QPolygonF polygon;
            for (const QPointF& p : outline) polygon << pixel(p.x(), p.y());
            painter.setPen(Qt::NoPen);
            painter.setBrush(fill);
            painter.drawPolygon(polygon);
        },
        main);
}

void Canvas::marks(std::vector<QPointF> points, const MethodStyle& look, double size) {
    if (size <= 0) size = style.marker;
    sketch(
        Depth::Mark,
        [this, points = std::move(points), look, size](QCPPainter& painter) {
            for (const QPointF& p : points) drawMarker(painter, pixel(p.x(), p.y()), look, size, style.theme.surface);
        },
        nullptr);
}

QColor shade(const QColor& color, int index, int count, const Theme& theme) {
    if (count <= 1) return color;
    double light = 0;
    while (light < 0.5 && contrast(mix(color, theme.surface, light + 0.05), theme.surface) >= 3) light += 0.05;
    const double position = static_cast<double>(index) / (count - 1);  // 0 lightest, 1 strongest
    const double strong = 0.4;
    const double at = -light + (light + strong) * position;
    return at < 0 ? mix(color, theme.surface, -at) : mix(color, theme.text, at);
}

QString elide(const QString& text, const QFont& font, double width) {
    return QFontMetricsF(font).elidedText(text, Qt::ElideMiddle, width, Qt::TextSingleLine);
}

QString shortNumber(double value, int digits) {
    if (std::isnan(value)) return QString(QChar(0x2013));
    if (std::isinf(value)) return value > 0 ? QStringLiteral("inf") : QStringLiteral("-inf");
    if (value == 0) return QStringLiteral("0");
    const double size = std::abs(value);
    if (size < 1e-4 || size >= 1e7) return QString::number(value, 'g', digits);
    const int whole = static_cast<int>(std::floor(std::log10(size))) + 1;  // digits before the point
    return QString::number(value, 'f', std::clamp(digits - std::max(whole, 0), 0, 6));
}

}  // namespace candor::ui
