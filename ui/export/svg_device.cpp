// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/export/svg_device.h"

#include <QHash>
#include <QPaintEngine>
#include <QPainter>
#include <QPainterPath>
#include <cmath>

namespace candor::ui {
namespace {

// Two decimals of a point are finer than any printer.
QByteArray number(double value) {
    QByteArray text = QByteArray::number(value, 'f', 2);
    while (text.endsWith('0')) text.chop(1);
    if (text.endsWith('.')) text.chop(1);
    return text == "-0" ? QByteArray("0") : text;
}

QByteArray attribute(const char* name, const QByteArray& value) { return QByteArray(" ") + name + "=\"" + value + '"'; }

QByteArray pathData(const QPainterPath& path) {
    QByteArray d;
    const auto point = [](const QPainterPath::Element& e) { return number(e.x) + ' ' + number(e.y); };
    for (int i = 0; i < path.elementCount(); ++i) {
        const QPainterPath::Element e = path.elementAt(i);
        if (e.isCurveTo()) {  // followed by two data elements
            d += 'C' + point(e) + ' ' + point(path.elementAt(i + 1)) + ' ' + point(path.elementAt(i + 2));
            i += 2;
        } else {
            d += (e.isMoveTo() ? 'M' : 'L') + point(e);
        }
    }
    return d;
}

QByteArray paint(const char* name, const QColor& color) {
    QByteArray text = attribute(name, color.name().toLatin1());
    if (color.alpha() < 255) text += attribute((QByteArray(name) + "-opacity").constData(), number(color.alphaF()));
    return text;
}

}  // namespace

class SvgDevice::Engine : public QPaintEngine {
  public:
    Engine()
        : QPaintEngine(PrimitiveTransform | PainterPaths | AlphaBlend | Antialiasing | BrushStroke | ConstantOpacity) {}

    bool begin(QPaintDevice*) override { return true; }
    bool end() override { return true; }
    Type type() const override { return User; }

    void updateState(const QPaintEngineState& state) override {
        if (state.state() & (DirtyClipRegion | DirtyClipPath | DirtyClipEnabled)) updateClip(state);
    }

    void drawPath(const QPainterPath& path) override {
        if (path.isEmpty()) return;
        const QPen pen = state->pen();
        const QBrush brush = state->brush();
        const bool filled = brush.style() != Qt::NoBrush && brush.color().alpha() > 0;
        const bool stroked = pen.style() != Qt::NoPen && pen.color().alpha() > 0;
        if (!filled && !stroked) return;
        QByteArray item = "<path" + attribute("d", pathData(state->transform().map(path)));
        item += filled ? paint("fill", brush.color()) : attribute("fill", "none");
        if (filled && path.fillRule() == Qt::OddEvenFill) item += attribute("fill-rule", "evenodd");
        if (stroked) item += strokeOf(pen);
        if (!clip_.isEmpty()) item += attribute("clip-path", "url(#" + clip_ + ')');
        body_ += item + "/>\n";
    }

    void drawPolygon(const QPointF* points, int count, PolygonDrawMode mode) override {
        QPainterPath path(points[0]);
        for (int i = 1; i < count; ++i) path.lineTo(points[i]);
        if (mode != PolylineMode) path.closeSubpath();
        path.setFillRule(mode == OddEvenMode ? Qt::OddEvenFill : Qt::WindingFill);
        if (mode != PolylineMode) return drawPath(path);
        const QBrush brush = state->brush();
        painter()->setBrush(Qt::NoBrush);
        drawPath(path);
        painter()->setBrush(brush);
    }

    void drawPixmap(const QRectF&, const QPixmap&, const QRectF&) override {}  // plots draw none

    QByteArray take(const QByteArray& head) {
        return head + (defs_.isEmpty() ? QByteArray() : "<defs>\n" + defs_ + "</defs>\n") + body_ + "</svg>\n";
    }

  private:
    QByteArray strokeOf(const QPen& pen) const {
        // Transforms of figures are translations and even scales.
        const double scale = pen.isCosmetic() ? 1 : std::sqrt(std::abs(state->transform().determinant()));
        const double width = std::max(pen.widthF(), 0.1) * scale;
        QByteArray text = paint("stroke", pen.color()) + attribute("stroke-width", number(width));
        if (pen.capStyle() == Qt::RoundCap) text += attribute("stroke-linecap", "round");
        if (pen.capStyle() == Qt::SquareCap) text += attribute("stroke-linecap", "square");
        if (pen.joinStyle() == Qt::RoundJoin) text += attribute("stroke-linejoin", "round");
        if (pen.joinStyle() == Qt::BevelJoin) text += attribute("stroke-linejoin", "bevel");
        QByteArray dashes;
        for (const double d : pen.dashPattern()) dashes += (dashes.isEmpty() ? "" : " ") + number(d * width);
        if (!dashes.isEmpty()) text += attribute("stroke-dasharray", dashes);
        return text;
    }

    void updateClip(const QPaintEngineState& s) {
        clip_.clear();
        if (!s.isClipEnabled() || !painter()->hasClipping()) return;
        const QPainterPath path = s.transform().map(painter()->clipPath());
        const QByteArray data = pathData(path);
        if (data.isEmpty()) return;
        auto known = clips_.find(data);
        if (known == clips_.end()) {
            known = clips_.insert(data, "c" + QByteArray::number(clips_.size() + 1));
            defs_ += "<clipPath" + attribute("id", *known) + "><path" + attribute("d", data) + "/></clipPath>\n";
        }
        clip_ = *known;
    }

    QByteArray body_, defs_, clip_;
    QHash<QByteArray, QByteArray> clips_;
};

SvgDevice::SvgDevice(const QSize& points, const QString& title, const QString& description)
    : size_(points), title_(title), description_(description), engine_(std::make_unique<Engine>()) {}
SvgDevice::~SvgDevice() = default;

QPaintEngine* SvgDevice::paintEngine() const { return engine_.get(); }

int SvgDevice::metric(PaintDeviceMetric metric) const {
    switch (metric) {
        case PdmWidth:
            return size_.width();
        case PdmHeight:
            return size_.height();
        case PdmWidthMM:
            return static_cast<int>(std::lround(size_.width() * 25.4 / 72));
        case PdmHeightMM:
            return static_cast<int>(std::lround(size_.height() * 25.4 / 72));
        case PdmNumColors:
            return INT_MAX;
        case PdmDepth:
            return 32;
        case PdmDpiX:
        case PdmDpiY:
        case PdmPhysicalDpiX:
        case PdmPhysicalDpiY:
            return 72;
        case PdmDevicePixelRatio:
            return 1;
        default:
            return QPaintDevice::metric(metric);
    }
}

QByteArray SvgDevice::take() {
    const QByteArray w = QByteArray::number(size_.width()), h = QByteArray::number(size_.height());
    QByteArray head =
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" version=\"1.1\"";
    head += attribute("width", w + "pt") + attribute("height", h + "pt") + attribute("viewBox", "0 0 " + w + ' ' + h);
    head += attribute("role", "img") + ">\n";
    head += "<title>" + title_.toHtmlEscaped().toUtf8() + "</title>\n";
    head += "<desc>" + description_.toHtmlEscaped().toUtf8() + "</desc>\n";
    return engine_->take(head);
}

}  // namespace candor::ui
