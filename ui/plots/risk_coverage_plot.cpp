// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plots/risk_coverage_plot.h"

#include <QKeyEvent>
#include <algorithm>
#include <cmath>

#include "core/metrics/selective.h"
#include "ui/plots/canvas.h"
#include "ui/plots/pgf_plot.h"
#include "ui/plots/series.h"

namespace candor::ui {
namespace {

struct Drawn {
    std::size_t series = 0;
    TieBlocks blocks;
    std::vector<RiskCoveragePoint> points;  // block ends, by rising coverage
    double aurc = 0;
};

// Within a block of ties the expected errors rise evenly, so risk is a hyperbola: a few points draw it.
std::vector<QPointF> outline(const std::vector<RiskCoveragePoint>& points, double n) {
    std::vector<QPointF> line;
    double k = 0, errors = 0;
    for (const RiskCoveragePoint& p : points) {
        const double count = p.coverage * n - k, wrong = p.risk * p.coverage * n - errors;
        const int parts = count < 1.5 ? 1 : std::min(24, static_cast<int>(std::ceil(count)));
        for (int i = k == 0 && parts > 1 ? 0 : 1; i <= parts; ++i) {
            const double step = std::max(1.0, count * i / parts);  // at least one answer is given
            line.emplace_back((k + step) / n, (errors + wrong * step / count) / (k + step));
        }
        k += count, errors += wrong;
    }
    return line;
}

}  // namespace

struct RiskCoveragePlot::State {
    std::vector<PlotSeries> series;
    std::vector<QString> names, reasons;
    std::vector<Drawn> drawn;
    std::optional<double> threshold;
    bool dragged = false;

    // Coverage and accuracy of the first run for answers at or above the threshold.
    std::pair<double, double> at(double threshold) const {
        const Drawn& d = drawn.front();
        double coverage = 0, accuracy = NAN;
        for (const RiskCoveragePoint& p : d.points)
            if (p.threshold >= threshold) coverage = p.coverage, accuracy = 1 - p.risk;
        return {coverage, accuracy};
    }
    double thresholdAt(double coverage) const {
        const auto& points = drawn.front().points;
        double best = points.front().threshold, distance = 2;
        for (const RiskCoveragePoint& p : points)
            if (std::abs(p.coverage - coverage) < distance)
                distance = std::abs(p.coverage - coverage), best = p.threshold;
        return best;
    }
};

RiskCoveragePlot::RiskCoveragePlot(QWidget* parent) : PlotView(parent), state_(std::make_unique<State>()) {
    setTitle(tr("Risk and coverage"));
    rebuild();
}
RiskCoveragePlot::~RiskCoveragePlot() = default;

void RiskCoveragePlot::setSeries(std::vector<PlotSeries> series) {
    checkLengths(series);
    State& s = *state_;
    s.series = std::move(series);
    s.names = seriesNames(s.series);
    s.reasons.clear(), s.drawn.clear();
    for (std::size_t i = 0; i < s.series.size(); ++i) {
        s.reasons.push_back(whyNot(s.series[i], false, false));
        if (!s.reasons.back().isEmpty()) continue;
        Drawn d{i, tieBlocks({s.series[i].confidence, s.series[i].correct}), {}, 0};
        d.points = riskCoverageCurve(d.blocks);
        d.aurc = areaUnderRiskCoverage(d.blocks);
        s.drawn.push_back(std::move(d));
    }
    rebuild();
}

std::optional<double> RiskCoveragePlot::threshold() const { return state_->threshold; }
void RiskCoveragePlot::setThreshold(std::optional<double> confidence) {
    if (state_->threshold == confidence) return;
    state_->threshold = confidence;
    rebuild();
}

QString RiskCoveragePlot::undefinedReason() const {
    if (!state_->drawn.empty()) return {};
    if (state_->series.empty()) return tr("How often the most confident answers are wrong, once a run is chosen.");
    return state_->names.front() + QStringLiteral(": ") + state_->reasons.front();
}

QString RiskCoveragePlot::notes() const {
    const State& s = *state_;
    if (s.drawn.empty()) return {};
    QStringList parts;
    if (s.threshold) {
        const auto [coverage, accuracy] = s.at(*s.threshold);
        parts << tr("threshold %1: answers %2 %, right %3 %")
                     .arg(shortNumber(*s.threshold), shortNumber(coverage * 100), shortNumber(accuracy * 100));
    }
    parts << tr("equal confidences by expectation") << tr("n %1").arg(budgetText(qint64(s.drawn.front().blocks.count)));
    for (std::size_t i = 0; i < s.reasons.size(); ++i)
        if (!s.reasons[i].isEmpty()) parts << s.names[i] + QStringLiteral(": ") + s.reasons[i];
    return parts.join(QStringLiteral(" · "));
}

void RiskCoveragePlot::build(Canvas& canvas) const {
    const State& s = *state_;
    const auto styles = seriesStyles(s.series, canvas.style.theme);
    canvas.names(tr("Coverage (share answered)"), tr("Risk (share wrong)"));
    canvas.unitAxis(canvas.x);
    double top = 0;
    std::vector<LegendEntry> entries;
    std::vector<std::size_t> order(s.drawn.size());
    for (std::size_t k = 0; k < order.size(); ++k) order[k] = k;
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return s.drawn[a].aurc < s.drawn[b].aurc; });
    for (const std::size_t k : order) {
        const Drawn& d = s.drawn[k];
        const double width = s.series[d.series].full ? canvas.style.heavy : canvas.style.line;
        std::vector<QPointF> line = outline(d.points, d.blocks.count);
        for (const QPointF& p : line)
            if (p.x() > 0.02 || line.size() < 50)
                top = std::max(top, p.y());  // the first few answers are all or nothing
        canvas.curve(line, methodPen(styles[d.series], width));
        const QString name = s.names[d.series];
        const auto* points = &d.points;
        canvas.hot.push_back({canvas.main,
                              static_cast<int>(d.series),
                              static_cast<int>(points->size()),
                              [points](int i) {
                                  const RiskCoveragePoint& p = (*points)[static_cast<std::size_t>(i)];
                                  return QPointF(p.coverage, p.risk);
                              },
                              {},
                              [points, name](int i) {
                                  const RiskCoveragePoint& p = (*points)[static_cast<std::size_t>(i)];
                                  return QObject::tr("%1\nconfidence at least %2\nanswers %3 %, wrong %4 %")
                                      .arg(name, shortNumber(p.threshold), shortNumber(p.coverage * 100),
                                           shortNumber(p.risk * 100));
                              }});
        entries.push_back({styles[d.series], width, true, false, name, tr("AURC %1").arg(shortNumber(d.aurc))});
    }
    canvas.fit(canvas.y, "risk", 0, top > 0 ? std::min(1.0, top * 1.02) : 0.1);
    canvas.legend(Qt::BottomRightCorner, std::move(entries));  // risk rises with coverage
    if (!s.threshold) return;
    const auto [coverage, accuracy] = s.at(*s.threshold);
    const QString words = tr("threshold %1").arg(shortNumber(*s.threshold));
    canvas.sketch(Depth::Mark, [&canvas, coverage = coverage, accuracy = accuracy, words](QCPPainter& painter) {
        const QRectF area = canvas.main->rect();
        const double at = canvas.x->coordToPixel(coverage);
        if (at < area.left() - 1 || at > area.right() + 1) return;
        const QColor color = canvas.style.theme.accent;
        painter.setPen(QPen(color, canvas.style.axis * 1.5));
        painter.drawLine(QPointF(at, area.top()), QPointF(at, area.bottom()));
        painter.setBrush(canvas.style.theme.surface);
        if (std::isfinite(accuracy)) painter.drawEllipse(canvas.pixel(coverage, 1 - accuracy), 4, 4);
        const QFont font = canvas.style.font(true, true);
        painter.setFont(font);
        const double width = QFontMetricsF(font).horizontalAdvance(words), gap = canvas.style.tick * 0.5;
        const double left = at + gap + width > area.right() ? at - gap - width : at + gap;
        painter.drawText(QRectF(left, area.bottom() - 2.2 * canvas.style.tick, width + 2, 2 * canvas.style.tick),
                         Qt::AlignVCenter | Qt::AlignLeft, words);
    });
}

bool RiskCoveragePlot::press(const QPointF& position) { return cursorAt(position) == Qt::SizeHorCursor; }

Qt::CursorShape RiskCoveragePlot::cursorAt(const QPointF& position) const {
    if (!state_->threshold || state_->drawn.empty()) return Qt::ArrowCursor;
    const double at = canvas().x->coordToPixel(state_->at(*state_->threshold).first);
    return std::abs(position.x() - at) <= 5 ? Qt::SizeHorCursor : Qt::ArrowCursor;
}

void RiskCoveragePlot::drag(const QPointF& position) {
    moveTo(state_->thresholdAt(canvas().x->pixelToCoord(position.x())));
}

void RiskCoveragePlot::moveTo(double threshold) {
    if (state_->threshold == threshold) return;
    state_->threshold = threshold;
    rebuild();
    const auto [coverage, accuracy] = state_->at(threshold);
    emit thresholdMoved(threshold, coverage, accuracy);
}

void RiskCoveragePlot::keyPressEvent(QKeyEvent* event) {
    const int by = event->key() == Qt::Key_Up ? 1 : event->key() == Qt::Key_Down ? -1 : 0;
    if (by == 0 || !state_->threshold || state_->drawn.empty()) return PlotView::keyPressEvent(event);
    const auto& points = state_->drawn.front().points;  // thresholds fall as coverage rises
    std::size_t i = 0;
    while (i + 1 < points.size() && points[i].threshold > *state_->threshold) ++i;
    if (by > 0 && i > 0) moveTo(points[i - 1].threshold);
    if (by < 0 && i + 1 < points.size()) moveTo(points[i + 1].threshold);
}

FigureData RiskCoveragePlot::data() const {
    TableBuilder table;
    for (const Drawn& d : state_->drawn)
        for (const RiskCoveragePoint& p : d.points)
            table.about(d.series, state_->series[d.series], state_->names[d.series])
                .number("threshold", p.threshold)
                .number("coverage", p.coverage)
                .number("risk", p.risk)
                .number("aurc", d.aurc);
    return table.take(title(), notes());
}

PgfPlot RiskCoveragePlot::pgf() const {
    PgfPlot pgf;
    pgf.xName = tr("Coverage (share answered)"), pgf.yName = tr("Risk (share wrong)");
    pgf.unitX = true;
    const auto styles = seriesStyles(state_->series, lightTheme());
    for (const Drawn& d : state_->drawn) {
        PgfCurve curve{int(d.series),
                       state_->names[d.series] + tr(" (%1)").arg(shortNumber(d.aurc)),
                       styles[d.series],
                       state_->series[d.series].full,
                       false,
                       false,
                       0,
                       {},
                       {},
                       {},
                       {}};
        curve.x = QStringLiteral("coverage"), curve.y = QStringLiteral("risk");
        pgf.curves.push_back(curve);
    }
    return pgf;
}

}  // namespace candor::ui
