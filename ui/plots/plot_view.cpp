// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plots/plot_view.h"

#include <QKeyEvent>
#include <QPainter>
#include <QToolTip>
#include <cmath>

#include "ui/plots/canvas.h"
#include "ui/plots/pgf_plot.h"
#include "ui/theme/fonts.h"
#include "ui/theme/paint.h"

namespace candor::ui {
namespace {

struct Hit {
    int group = -1, mark = 0;  // index into Canvas::hot
    bool operator==(const Hit&) const = default;
    explicit operator bool() const { return group >= 0; }
};

QRectF pixels(const HotSeries& hot, const QRectF& area) {
    const QCPAxis *x = hot.rect->axis(QCPAxis::atBottom), *y = hot.rect->axis(QCPAxis::atLeft);
    return QRectF(QPointF(x->coordToPixel(area.left()), y->coordToPixel(area.top())),
                  QPointF(x->coordToPixel(area.right()), y->coordToPixel(area.bottom())))
        .normalized();
}

QPointF pixels(const HotSeries& hot, const QPointF& at) {
    return QPointF(hot.rect->axis(QCPAxis::atBottom)->coordToPixel(at.x()),
                   hot.rect->axis(QCPAxis::atLeft)->coordToPixel(at.y()));
}

}  // namespace

struct PlotView::Impl {
    explicit Impl(PlotView* view) : plot(new QCustomPlot(view)), canvas(*plot, screenStyle()) {}

    QCustomPlot* plot;  // child of the view: outlives the canvas
    Canvas canvas;
    QString title, emptyText, reason;
    bool noteVisible = true, taken = false, keyboardFocus = false;
    Hit hover;
    QPointF pressed;
    QCPLayerable* ring = nullptr;

    int headerHeight() const {
        if (title.isEmpty()) return 0;
        return noteVisible ? 44 : 30;
    }
    Hit hitAt(const QPointF& p) const;
    QPointF middle(const Hit& hit) const;
};

Hit PlotView::Impl::hitAt(const QPointF& p) const {
    Hit best, inside;
    double nearest = 12 * 12;
    for (std::size_t g = 0; g < canvas.hot.size(); ++g) {
        const HotSeries& hot = canvas.hot[g];
        if (!hot.rect->rect().adjusted(-8, -8, 8, 8).contains(p.toPoint())) continue;
        for (int i = 0; i < hot.count; ++i) {
            if (hot.area) {
                if (pixels(hot, hot.area(i)).contains(p)) inside = {int(g), i};
                continue;
            }
            const QPointF d = pixels(hot, hot.at(i)) - p;
            const double distance = d.x() * d.x() + d.y() * d.y();
            if (distance < nearest) nearest = distance, best = {int(g), i};
        }
    }
    return best ? best : inside;
}

QPointF PlotView::Impl::middle(const Hit& hit) const {
    const HotSeries& hot = canvas.hot[static_cast<std::size_t>(hit.group)];
    return hot.area ? pixels(hot, hot.area(hit.mark)).center() : pixels(hot, hot.at(hit.mark));
}

namespace {

// A ring or an outline around the mark below the pointer; on its own buffered layer, so that hovering repaints no more.
class HoverRing : public QCPLayerable {
  public:
    HoverRing(Canvas* canvas, const Hit* hit)
        : QCPLayerable(&canvas->plot, QStringLiteral("hover")), canvas_(canvas), hit_(hit) {}

  protected:
    void applyDefaultAntialiasingHint(QCPPainter* painter) const override { painter->setAntialiasing(true); }
    void draw(QCPPainter* painter) override {
        if (!*hit_ || hit_->group >= int(canvas_->hot.size())) return;
        const HotSeries& hot = canvas_->hot[static_cast<std::size_t>(hit_->group)];
        if (hit_->mark >= hot.count) return;
        painter->setBrush(Qt::NoBrush);
        painter->setPen(QPen(canvas_->style.theme.accent, 2));
        if (hot.area)
            painter->drawRect(pixels(hot, hot.area(hit_->mark)).adjusted(-1, -1, 1, 1));
        else
            painter->drawEllipse(pixels(hot, hot.at(hit_->mark)), 7, 7);
    }

  private:
    Canvas* canvas_;
    const Hit* hit_;
};

}  // namespace

PlotView::PlotView(QWidget* parent) : QWidget(parent), impl_(std::make_unique<Impl>(this)) {
    setFocusPolicy(Qt::StrongFocus);
    setAutoFillBackground(false);
    QCustomPlot* plot = impl_->plot;
    plot->setFocusPolicy(Qt::NoFocus);
    plot->setSelectionRectMode(QCP::srmCustom);
    plot->setMouseTracking(true);
    impl_->ring = new HoverRing(&impl_->canvas, &impl_->hover);
    connect(plot, &QCustomPlot::mousePress, this, [this, plot](QMouseEvent* e) {
        setFocus(Qt::MouseFocusReason);
        impl_->pressed = e->position();
        impl_->taken = e->button() == Qt::LeftButton && press(e->position());
        plot->setSelectionRectMode(impl_->taken || e->button() != Qt::LeftButton ? QCP::srmNone : QCP::srmCustom);
    });
    connect(plot, &QCustomPlot::mouseMove, this, [this, plot](QMouseEvent* e) {
        if (impl_->taken) {
            drag(e->position());
            return;
        }
        if (e->buttons() != Qt::NoButton) return;
        const Hit hit = impl_->hitAt(e->position());
        plot->setCursor(hit && !impl_->canvas.hot.empty() ? Qt::PointingHandCursor : cursorAt(e->position()));
        showHover(hit.group, hit.mark, e->globalPosition().toPoint());
    });
    connect(plot, &QCustomPlot::mouseRelease, this, [this](QMouseEvent* e) {
        const bool wasDrag = impl_->taken || (e->position() - impl_->pressed).manhattanLength() > 4;
        impl_->taken = false;
        if (wasDrag || e->button() != Qt::LeftButton) return;
        if (const Hit hit = impl_->hitAt(e->position())) activateHit(hit.group, hit.mark);
    });
    connect(plot, &QCustomPlot::mouseDoubleClick, this, [this](QMouseEvent*) { resetZoom(); });
    connect(plot->selectionRect(), &QCPSelectionRect::accepted, this, [this](const QRect& rect) {
        const QRectF area = QRectF(rect.normalized());
        if (area.width() < 5 || area.height() < 5) return rebuild();
        const Canvas& c = impl_->canvas;
        impl_->canvas.zoom = {QCPRange(c.x->pixelToCoord(area.left()), c.x->pixelToCoord(area.right())),
                              QCPRange(c.y->pixelToCoord(area.bottom()), c.y->pixelToCoord(area.top()))};
        rebuild();
    });
    plot->installEventFilter(this);
    connect(themeNotifier(), &ThemeNotifier::changed, this, [this] { rebuild(); });
}

PlotView::~PlotView() = default;

QString PlotView::title() const { return impl_->title; }
void PlotView::setTitle(const QString& title) {
    impl_->title = title;
    setAccessibleName(title);
    layOut();
}
QString PlotView::note() const { return impl_->reason.isEmpty() ? notes() : QString(); }
void PlotView::setNoteVisible(bool visible) {
    impl_->noteVisible = visible;
    layOut();
}
QString PlotView::emptyReason() const { return impl_->reason; }
void PlotView::setEmptyText(const QString& text) {
    impl_->emptyText = text;
    rebuild();
}

void PlotView::paintFigure(QCPPainter& painter, const QSize& size, const PlotStyle& style) const {
    QCustomPlot plot;
    plot.setViewport(QRect(QPoint(0, 0), size));
    Canvas canvas(plot, style);
    canvas.zoom = impl_->canvas.zoom;
    canvas.reset();
    build(canvas);
    canvas.finish();
    plot.toPainter(&painter, size.width(), size.height());
}

PgfPlot PlotView::pgf() const { return {}; }

bool PlotView::isZoomed() const { return impl_->canvas.zoom.has_value(); }
void PlotView::resetZoom() {
    impl_->canvas.zoom.reset();
    rebuild();
}

QRectF PlotView::visibleRange() const {
    const Canvas& c = impl_->canvas;
    if (!c.x) return {};
    return QRectF(c.x->range().lower, c.y->range().lower, c.x->range().size(), c.y->range().size());
}

QSize PlotView::sizeHint() const { return {440, 320}; }
QSize PlotView::minimumSizeHint() const { return {200, 150}; }

QVector<qint64> PlotView::questionsOf(int, int, QString*) const { return {}; }

void PlotView::activate(int series, int mark) {
    QString what;
    const QVector<qint64> questions = questionsOf(series, mark, &what);
    if (!questions.isEmpty()) emit questionsSelected(questions, what);
}

void PlotView::forgetRanges() { impl_->canvas.kept.clear(); }
Canvas& PlotView::canvas() const { return impl_->canvas; }

void PlotView::rebuild() {
    Canvas& c = impl_->canvas;
    impl_->reason = undefinedReason();
    impl_->hover = {};
    layOut();  // labels need the size
    c.style = screenStyle();
    c.reset();
    if (impl_->reason.isEmpty()) {
        build(c);
        c.finish();
    } else if (!impl_->emptyText.isEmpty() && data().rows() == 0) {
        impl_->reason = impl_->emptyText;
    }
    QCPSelectionRect* band = impl_->plot->selectionRect();
    QColor fill = c.style.theme.accent;
    fill.setAlphaF(0.12f);
    band->setPen(QPen(c.style.theme.accent, 1));
    band->setBrush(fill);
    impl_->plot->setVisible(impl_->reason.isEmpty());
    setAccessibleDescription(impl_->reason.isEmpty() ? notes() : impl_->reason);
    update();
    // Of no size yet: the resize that gives it one builds again.
    if (impl_->reason.isEmpty() && !impl_->plot->size().isEmpty()) impl_->plot->replot(QCustomPlot::rpQueuedReplot);
    emit dataChanged();
}

void PlotView::layOut() {
    // The viewport at once, too: a hidden child hears of its size only when it is shown, and labels are laid out now.
    impl_->plot->setGeometry(rect().adjusted(6, impl_->headerHeight(), -4, -4));
    impl_->plot->setViewport(QRect(QPoint(0, 0), impl_->plot->size()));
    update();
}

void PlotView::showHover(int group, int mark, const QPoint& global) {
    const Hit hit{group, mark};
    if (!(hit == impl_->hover)) {
        impl_->hover = hit;
        impl_->plot->layer(QStringLiteral("hover"))->replot();
    }
    if (!hit) {
        QToolTip::hideText();
        return;
    }
    // Escaped: a label may look like mark-up.
    QString text = impl_->canvas.hot[static_cast<std::size_t>(group)].text(mark).toHtmlEscaped();
    text.replace(QLatin1Char('\n'), QStringLiteral("<br>"));
    QToolTip::showText(global, QStringLiteral("<p style='white-space:pre'>") + text + QStringLiteral("</p>"), this);
}

void PlotView::activateHit(int group, int mark) {
    const HotSeries& hot = impl_->canvas.hot[static_cast<std::size_t>(group)];
    activate(hot.series, hot.ids.empty() ? mark : hot.ids[static_cast<std::size_t>(mark)]);
}

void PlotView::walk(int by) {
    const auto& groups = impl_->canvas.hot;
    int total = 0, at = -1;
    for (int g = 0; g < int(groups.size()); ++g) {
        if (impl_->hover.group == g) at = total + impl_->hover.mark;
        total += groups[static_cast<std::size_t>(g)].count;
    }
    if (total == 0) return;
    at = at < 0 ? (by > 0 ? 0 : total - 1) : std::clamp(at + by, 0, total - 1);
    int group = 0;
    while (at >= groups[static_cast<std::size_t>(group)].count) at -= groups[static_cast<std::size_t>(group++)].count;
    showHover(group, at, impl_->plot->mapToGlobal(impl_->middle({group, at}).toPoint()));
}

void PlotView::keyPressEvent(QKeyEvent* event) {
    const bool shown = impl_->reason.isEmpty();
    switch (event->key()) {
        case Qt::Key_Left:
            return walk(-1);
        case Qt::Key_Right:
            return walk(1);
        case Qt::Key_0:
        case Qt::Key_Home:
            return resetZoom();
        case Qt::Key_Return:
        case Qt::Key_Enter:
            if (shown && impl_->hover) return activateHit(impl_->hover.group, impl_->hover.mark);
            break;
        default:
            break;
    }
    QWidget::keyPressEvent(event);
}

bool PlotView::eventFilter(QObject* watched, QEvent* event) {
    if (watched == impl_->plot && event->type() == QEvent::Leave && impl_->reason.isEmpty()) showHover(-1, 0, {});
    return QWidget::eventFilter(watched, event);
}

bool PlotView::event(QEvent* event) {
    if (event->type() == QEvent::ToolTip && !note().isEmpty() && impl_->noteVisible) {
        auto* help = static_cast<QHelpEvent*>(event);
        if (help->pos().y() < impl_->headerHeight())
            QToolTip::showText(help->globalPos(),
                               title().toHtmlEscaped() + QStringLiteral("<br>") + note().toHtmlEscaped(), this);
        return true;
    }
    return QWidget::event(event);
}

void PlotView::resizeEvent(QResizeEvent*) { rebuild(); }

void PlotView::focusInEvent(QFocusEvent* event) {
    impl_->keyboardFocus = event->reason() == Qt::TabFocusReason || event->reason() == Qt::BacktabFocusReason ||
                           event->reason() == Qt::ShortcutFocusReason;
    update();
}

void PlotView::focusOutEvent(QFocusEvent*) {
    impl_->keyboardFocus = false;
    update();
}

void PlotView::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const Theme& t = theme();
    painter.fillRect(rect(), t.surface);
    const QRectF header = QRectF(rect()).adjusted(space::m, 0, -space::m, 0);
    if (!impl_->title.isEmpty()) {
        QFont bold = applicationFont();
        bold.setWeight(QFont::DemiBold);
        painter.setFont(bold);
        painter.setPen(t.text);
        painter.drawText(QRectF(header.left(), 8, header.width(), 18), Qt::AlignVCenter | Qt::AlignLeft,
                         elide(impl_->title, bold, header.width()));
        if (const QString words = note(); impl_->noteVisible && !words.isEmpty()) {
            const QFont small = candor::ui::font(TypeRole::Secondary);
            painter.setFont(small);
            painter.setPen(t.secondary);
            painter.drawText(QRectF(header.left(), 26, header.width(), 16), Qt::AlignVCenter | Qt::AlignLeft,
                             QFontMetricsF(small).elidedText(words, Qt::ElideRight, header.width()));
        }
    }
    if (!impl_->reason.isEmpty()) {
        painter.setFont(applicationFont());
        painter.setPen(t.secondary);
        const QRectF middle = QRectF(rect()).adjusted(space::xl, impl_->headerHeight(), -space::xl, -space::m);
        painter.drawText(middle, Qt::AlignCenter | Qt::TextWordWrap, impl_->reason);
    }
    if (hasFocus() && impl_->keyboardFocus) {
        const Restore restore(&painter);
        focusRing(&painter, QRectF(rect()), 4);
    }
}

}  // namespace candor::ui
