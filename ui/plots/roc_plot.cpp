// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plots/roc_plot.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/metrics/metrics.h"
#include "ui/plots/canvas.h"
#include "ui/plots/pgf_plot.h"
#include "ui/plots/series.h"

namespace candor::ui {
namespace {

struct Drawn {
    std::size_t series = 0;
    std::vector<RocPoint> curve;
    double auroc = 0;
};

// Points nearer than a 2,000th of the axis add nothing that a page or a screen can show; corners farther apart stay.
std::vector<QPointF> thinned(const std::vector<RocPoint>& curve) {
    std::vector<QPointF> points;
    for (std::size_t i = 0; i < curve.size(); ++i) {
        const QPointF p(curve[i].falsePositiveRate, curve[i].truePositiveRate);
        const bool end = i == 0 || i + 1 == curve.size();
        if (!end && curve.size() > 4000) {
            const QPointF d = p - points.back();
            if (std::max(std::abs(d.x()), std::abs(d.y())) < 5e-4) continue;
        }
        points.push_back(p);
    }
    return points;
}

}  // namespace

struct RocPlot::State {
    std::vector<PlotSeries> series;
    std::vector<QString> names, reasons;
    std::vector<Drawn> drawn;  // by falling AUROC
};

RocPlot::RocPlot(QWidget* parent) : PlotView(parent), state_(std::make_unique<State>()) {
    setTitle(tr("ROC"));
    rebuild();
}
RocPlot::~RocPlot() = default;

void RocPlot::setSeries(std::vector<PlotSeries> series) {
    checkLengths(series);
    State& s = *state_;
    s = State{};
    s.series = std::move(series);
    s.names = seriesNames(s.series);
    for (std::size_t i = 0; i < s.series.size(); ++i) {
        s.reasons.push_back(whyNot(s.series[i], false, true));
        if (!s.reasons.back().isEmpty()) continue;
        const Scored rows{s.series[i].confidence, s.series[i].correct};
        s.drawn.push_back({i, rocCurve(rows), auroc(rows).value});
    }
    std::stable_sort(s.drawn.begin(), s.drawn.end(), [](const Drawn& a, const Drawn& b) { return a.auroc > b.auroc; });
    rebuild();
}

QString RocPlot::undefinedReason() const {
    if (!state_->drawn.empty()) return {};
    if (state_->series.empty()) return tr("How well confidence ranks right above wrong answers, once a run is chosen.");
    return state_->names.front() + QStringLiteral(": ") + state_->reasons.front();
}

QString RocPlot::notes() const {
    if (state_->drawn.empty()) return {};
    const std::vector<double>& correct = state_->series[state_->drawn.front().series].correct;
    const auto right =
        static_cast<qint64>(std::count_if(correct.begin(), correct.end(), [](double y) { return y > 0; }));
    const auto n = static_cast<qint64>(correct.size());
    QStringList parts{tr("right above wrong by confidence"),
                      tr("n %1, %2 right").arg(budgetText(n), budgetText(right))};
    for (const Drawn& d : state_->drawn)
        if (d.auroc < 0.5) parts << tr("%1 ranks worse than chance").arg(state_->names[d.series]);
    for (std::size_t i = 0; i < state_->reasons.size(); ++i)
        if (!state_->reasons[i].isEmpty()) parts << state_->names[i] + QStringLiteral(": ") + state_->reasons[i];
    return parts.join(QStringLiteral(" · "));
}

void RocPlot::build(Canvas& canvas) const {
    const State& s = *state_;
    const auto styles = seriesStyles(s.series, canvas.style.theme);
    canvas.names(tr("Wrong answers above threshold"), tr("Right answers above threshold"));
    canvas.unitAxis(canvas.x);
    canvas.unitAxis(canvas.y);
    canvas.sketch(
        Depth::Band,
        [&canvas](QCPPainter& painter) {
            painter.setPen(QPen(canvas.style.theme.secondary, canvas.style.axis));
            painter.drawLine(canvas.pixel(0, 0), canvas.pixel(1, 1));
        },
        canvas.main);
    std::vector<LegendEntry> entries;
    for (std::size_t k = s.drawn.size(); k-- > 0;) {  // the best on top
        const Drawn& d = s.drawn[k];
        const MethodStyle& look = styles[d.series];
        const double width = s.series[d.series].full ? canvas.style.heavy : canvas.style.line;
        canvas.curve(thinned(d.curve), methodPen(look, width));
        const QString name = s.names[d.series];
        const auto* curve = &d.curve;
        canvas.hot.push_back({canvas.main,
                              static_cast<int>(d.series),
                              static_cast<int>(curve->size()),
                              [curve](int i) {
                                  const RocPoint& p = (*curve)[static_cast<std::size_t>(i)];
                                  return QPointF(p.falsePositiveRate, p.truePositiveRate);
                              },
                              {},
                              [curve, name, area = d.auroc](int i) {
                                  const RocPoint& p = (*curve)[static_cast<std::size_t>(i)];
                                  return QObject::tr(
                                             "%1, AUROC %2\nconfidence at least %3\n%4 of the right, %5 of the wrong")
                                      .arg(name, shortNumber(area), shortNumber(p.threshold),
                                           shortNumber(p.truePositiveRate), shortNumber(p.falsePositiveRate));
                              }});
    }
    for (const Drawn& d : s.drawn)
        entries.push_back({styles[d.series], s.series[d.series].full ? canvas.style.heavy : canvas.style.line, true,
                           false, s.names[d.series], shortNumber(d.auroc)});
    if (entries.size() == 1) entries[0].value.prepend(tr("AUROC "));
    canvas.legend(Qt::BottomRightCorner, std::move(entries));
}

FigureData RocPlot::data() const {
    TableBuilder table;
    for (const Drawn& d : state_->drawn)
        for (const RocPoint& p : d.curve)
            table.about(d.series, state_->series[d.series], state_->names[d.series])
                .number("threshold", p.threshold)
                .number("false_positive_rate", p.falsePositiveRate)
                .number("true_positive_rate", p.truePositiveRate)
                .number("auroc", d.auroc);
    return table.take(title(), notes());
}

PgfPlot RocPlot::pgf() const {
    PgfPlot pgf;
    pgf.xName = tr("Wrong answers above threshold"), pgf.yName = tr("Right answers above threshold");
    pgf.unitX = pgf.unitY = pgf.diagonal = pgf.legendRight = true;
    const auto styles = seriesStyles(state_->series, lightTheme());
    for (const Drawn& d : state_->drawn) {
        PgfCurve curve{int(d.series),
                       state_->names[d.series] + tr(" (%1)").arg(shortNumber(d.auroc)),
                       styles[d.series],
                       state_->series[d.series].full,
                       false,
                       false,
                       0,
                       {},
                       {},
                       {},
                       {}};
        curve.x = QStringLiteral("false_positive_rate"), curve.y = QStringLiteral("true_positive_rate");
        pgf.curves.push_back(curve);
    }
    return pgf;
}

}  // namespace candor::ui
