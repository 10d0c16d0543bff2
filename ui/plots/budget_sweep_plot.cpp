// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plots/budget_sweep_plot.h"

#include <QLocale>
#include <algorithm>
#include <cmath>
#include <map>

#include "ui/plots/canvas.h"
#include "ui/plots/mean_interval.h"
#include "ui/plots/pgf_plot.h"
#include "ui/plots/series.h"

namespace candor::ui {
namespace {

struct Stop {  // one budget of one method
    qint64 budget = kAllLabels;
    double labels = 0;  // place on the axis
    MeanInterval value;
    bool testSelected = false;
};

struct Line {
    QString method;
    bool flat = false;  // no budget: one value
    std::vector<Stop> stops;
};

// Ends in the order of importance: our method first, then as the data came.
int rank(const QString& method) {
    const QStringList order{QStringLiteral("elical"), QStringLiteral("cal-only"), QStringLiteral("eli-only"),
                            QStringLiteral("consis-sem"), QStringLiteral("n-prob")};
    const auto at = order.indexOf(method);
    return at < 0 ? static_cast<int>(order.size()) : static_cast<int>(at);
}

QString tickText(double labels, bool shorten) {
    const auto whole = static_cast<qint64>(labels);
    if (shorten && whole >= 1000 && whole % 100 == 0)
        return QString::number(double(whole) / 1000, 'g', 4) + QLatin1Char('k');
    return budgetText(whole);
}

}  // namespace

struct BudgetSweepPlot::State {
    std::vector<SweepPoint> points;
    SweepOptions options;
    std::vector<Line> lines;
    std::map<double, QString> ticks;  // every budget on the axis
    double scale = 1;

    void compute();
    QString name(const Line& line) const;
    QString text(const Line& line, const Stop& stop) const;
    void drawTicks(Canvas& canvas) const;
};

void BudgetSweepPlot::State::compute() {
    lines.clear(), ticks.clear();
    scale = options.perCent ? 100 : 1;
    double largest = 0;
    bool unknownAll = false;
    for (const SweepPoint& p : points) {
        if (!p.budget) continue;
        largest = std::max(largest, double(p.labels > 0 ? p.labels : std::max<qint64>(*p.budget, 0)));
        unknownAll = unknownAll || (*p.budget == kAllLabels && p.labels <= 0);
    }
    std::map<std::pair<int, QString>, std::map<std::pair<double, qint64>, std::vector<const SweepPoint*>>> grouped;
    std::map<QString, int> first;
    for (const SweepPoint& p : points) {
        const int seen = first.emplace(p.method, static_cast<int>(first.size())).first->second;
        double at = 0;  // "all" has no number of its own where nobody says how many labels that is
        if (p.budget) at = p.labels > 0 ? double(p.labels) : *p.budget == kAllLabels ? largest * 2 : double(*p.budget);
        if (p.budget && at <= 0) at = 1;
        grouped[{rank(p.method) * 1000 + seen, p.method}][{at, p.budget.value_or(0)}].push_back(&p);
    }
    for (const auto& [key, stops] : grouped) {
        Line line;
        line.method = key.second;
        for (const auto& [place, members] : stops) {
            Stop stop;
            stop.budget = place.second;
            stop.labels = place.first;
            std::vector<double> values;
            for (const SweepPoint* p : members) {
                values.push_back(p->value * scale);
                stop.testSelected = stop.testSelected || p->testSelected;
            }
            stop.value = meanInterval(values);
            line.flat = !members.front()->budget.has_value();
            if (!line.flat) {
                const bool all = stop.budget == kAllLabels;
                QString& tick = ticks[stop.labels];
                if (all)
                    tick = budgetText(kAllLabels, unknownAll ? -1 : static_cast<qint64>(stop.labels));
                else if (tick.isEmpty())
                    tick = tickText(stop.labels, stops.size() > 5);
            }
            line.stops.push_back(stop);
        }
        lines.push_back(std::move(line));
    }
}

QString BudgetSweepPlot::State::name(const Line& line) const {
    const bool marked = std::any_of(line.stops.begin(), line.stops.end(), [](const Stop& s) { return s.testSelected; });
    return methodStyle(line.method).name + (marked ? QStringLiteral(" †") : QString());
}

QString BudgetSweepPlot::State::text(const Line& line, const Stop& stop) const {
    QString words = name(line);
    if (!line.flat)
        words +=
            QLatin1Char('\n') + QObject::tr("%1 labels").arg(budgetText(stop.budget, static_cast<qint64>(stop.labels)));
    words += QLatin1Char('\n') + options.metric + QLatin1Char(' ') + shortNumber(stop.value.mean);
    if (stop.value.n > 1)
        words += QObject::tr(" (%1 to %2, %3 seeds)")
                     .arg(shortNumber(stop.value.lo), shortNumber(stop.value.hi))
                     .arg(stop.value.n);
    if (stop.value.undefined > 0)
        words += QLatin1Char('\n') + QObject::tr("undefined for %1 more").arg(stop.value.undefined);
    return words;
}

BudgetSweepPlot::BudgetSweepPlot(QWidget* parent) : PlotView(parent), state_(std::make_unique<State>()) {
    setTitle(tr("Budget sweep"));
    rebuild();
}
BudgetSweepPlot::~BudgetSweepPlot() = default;

void BudgetSweepPlot::setPoints(std::vector<SweepPoint> points, const SweepOptions& options) {
    state_->points = std::move(points);
    state_->options = options;
    state_->compute();
    rebuild();
}

QString BudgetSweepPlot::undefinedReason() const {
    const State& s = *state_;
    if (s.points.empty()) return tr("How far a budget of labels goes, once runs of several budgets are finished.");
    for (const SweepPoint& p : s.points)
        if (std::isfinite(p.value)) return {};
    return tr("%1 is undefined for each of the %2 runs.").arg(s.options.metric).arg(s.points.size());
}

QString BudgetSweepPlot::notes() const {
    const State& s = *state_;
    int most = 0, undefined = 0;
    bool marked = false;
    for (const Line& line : s.lines)
        for (const Stop& stop : line.stops) {
            most = std::max(most, stop.value.n), undefined += stop.value.undefined;
            marked = marked || stop.testSelected;
        }
    QStringList parts{s.options.metric};
    if (s.options.reference && *s.options.reference > 0)
        parts << tr("line at %1").arg(shortNumber(*s.options.reference * s.scale, 2));
    if (most >= 3) parts << tr("band: 95 % t interval of the mean over seeds");
    if (most == 2) parts << tr("band: range of two seeds");
    if (undefined > 0) parts << tr("%1 undefined values left out").arg(undefined);
    if (marked) parts << tr("† selected on test labels");
    return parts.join(QStringLiteral(" · "));
}

// A tick at every budget; where words would touch, "all" and then the larger budgets keep theirs.
void BudgetSweepPlot::State::drawTicks(Canvas& canvas) const {
    auto ticker = QSharedPointer<QCPAxisTickerText>::create();
    const QFontMetricsF metrics(canvas.style.font(true));
    const double width = std::max(60.0, canvas.plot.viewport().width() * 0.72);
    const double decades = std::log(canvas.x->range().upper / canvas.x->range().lower);
    double right = INFINITY;
    for (auto it = ticks.rbegin(); it != ticks.rend(); ++it) {
        const double at = width * std::log(it->first / canvas.x->range().lower) / decades;
        const double half = metrics.horizontalAdvance(it->second) / 2 + canvas.style.tick * 0.25;
        const bool fits = at + half < right;
        if (fits) right = at - half;
        ticker->addTick(it->first, fits ? it->second : QString());
    }
    canvas.x->setTicker(ticker);
    if (ticks.empty()) return;
    // The last word stands half beyond the axis, and one that left the page would not be drawn at all.
    QMargins margins = canvas.main->minimumMargins();
    const double half = metrics.horizontalAdvance(ticks.rbegin()->second) / 2;
    margins.setRight(std::max(margins.right(), static_cast<int>(std::ceil(half)) + 2));
    canvas.main->setMinimumMargins(margins);
}

void BudgetSweepPlot::build(Canvas& canvas) const {
    const State& s = *state_;
    canvas.names(tr("Labels used"), s.options.metric + (s.options.perCent ? tr(" (%)") : QString()));
    canvas.x->setScaleType(QCPAxis::stLogarithmic);
    double lo = INFINITY, hi = -INFINITY;
    for (const Line& line : s.lines)
        for (const Stop& stop : line.stops)
            if (stop.value.n > 0) lo = std::min(lo, stop.value.lo), hi = std::max(hi, stop.value.hi);
    if (s.options.reference) {
        lo = std::min(lo, *s.options.reference * s.scale);
        hi = std::max(hi, *s.options.reference * s.scale);
    }
    canvas.fit(canvas.y, "value", lo, hi);
    const double first = s.ticks.empty() ? 10 : s.ticks.begin()->first,
                 last = s.ticks.empty() ? 1000 : s.ticks.rbegin()->first;
    canvas.fit(canvas.x, "labels", first, last > first ? last : first * 1.1);
    s.drawTicks(canvas);
    if (s.options.reference)
        canvas.sketch(
            Depth::Band,
            [&canvas, at = *s.options.reference * s.scale](QCPPainter& painter) {
                painter.setPen(QPen(canvas.style.theme.secondary, canvas.style.axis));
                const QRect area = canvas.main->rect();
                const double y = canvas.y->coordToPixel(at);
                painter.drawLine(QPointF(area.left(), y), QPointF(area.right() + 1, y));
            },
            nullptr);

    std::vector<EndLabel> labels;
    for (std::size_t k = 0; k < s.lines.size(); ++k) {
        const Line& line = s.lines[k];
        const MethodStyle look = methodStyle(line.method, canvas.style.theme);
        const std::vector<Stop>* stops = &line.stops;
        std::vector<QPointF> points, edge, back;
        std::vector<int> shown;
        for (std::size_t i = 0; i < stops->size(); ++i) {
            const Stop& stop = (*stops)[i];
            if (stop.value.n == 0) continue;
            for (const double x : line.flat ? std::vector<double>{canvas.x->range().lower, canvas.x->range().upper}
                                            : std::vector<double>{stop.labels}) {
                points.emplace_back(x, stop.value.mean);
                edge.emplace_back(x, stop.value.hi), back.emplace_back(x, stop.value.lo);
            }
            shown.push_back(static_cast<int>(i));
        }
        if (points.empty()) continue;
        edge.insert(edge.end(), back.rbegin(), back.rend());
        canvas.band(edge, look.color);
        canvas.curve(points, methodPen(look, canvas.style.line));
        if (!line.flat) canvas.marks(points, look);
        const double xMiddle = std::sqrt(canvas.x->range().lower * canvas.x->range().upper);
        canvas.hot.push_back(
            {canvas.main,
             static_cast<int>(k),
             static_cast<int>(shown.size()),
             [stops, shown, flat = line.flat, xMiddle](int i) {
                 const Stop& stop = (*stops)[static_cast<std::size_t>(shown[static_cast<std::size_t>(i)])];
                 return QPointF(flat ? xMiddle : stop.labels, stop.value.mean);
             },
             {},
             [&s, &line, shown](int i) {
                 return s.text(line, line.stops[static_cast<std::size_t>(shown[static_cast<std::size_t>(i)])]);
             },
             shown});
        labels.push_back({points.back().y(), look.color, s.name(line)});
    }
    canvas.endLabels(std::move(labels));
}

void BudgetSweepPlot::activate(int series, int mark) {
    const Line& line = state_->lines[static_cast<std::size_t>(series)];
    emit pointActivated(line.method, line.flat ? kAllLabels : line.stops[static_cast<std::size_t>(mark)].budget);
}

FigureData BudgetSweepPlot::data() const {
    const State& s = *state_;
    TableBuilder table;
    for (std::size_t k = 0; k < s.lines.size(); ++k) {
        const Line& line = s.lines[k];
        for (const Stop& stop : line.stops)
            table.number("series", double(k))
                .text("method", line.method)
                .text("budget", line.flat                   ? QString()
                                : stop.budget == kAllLabels ? QStringLiteral("all")
                                                            : QString::number(stop.budget))
                .number("labels", line.flat ? NAN : stop.labels)
                .number("mean", stop.value.mean)
                .number("lo", stop.value.lo)
                .number("hi", stop.value.hi)
                .number("seeds", stop.value.n)
                .number("undefined", stop.value.undefined);
    }
    return table.take(title(), notes());
}

PgfPlot BudgetSweepPlot::pgf() const {
    const State& s = *state_;
    PgfPlot pgf;
    pgf.xName = tr("Labels used"), pgf.yName = s.options.metric;
    pgf.logX = pgf.legendRight = true;
    for (const auto& [labels, words] : s.ticks) pgf.ticks.push_back(labels), pgf.words.push_back(words);
    for (std::size_t i = 0; i + 1 < pgf.ticks.size(); ++i)
        if (pgf.ticks[i + 1] < 1.4 * pgf.ticks[i]) pgf.words[i].clear();  // words would touch
    for (std::size_t k = 0; k < s.lines.size(); ++k) {
        const Line& line = s.lines[k];
        PgfCurve curve{int(k),
                       s.name(line),
                       methodStyle(line.method, lightTheme()),
                       false,
                       true,
                       line.flat,
                       line.stops.front().value.mean,
                       QStringLiteral("labels"),
                       QStringLiteral("mean"),
                       {},
                       {}};
        const auto seeds = [](const Stop& stop) { return stop.value.n > 1; };
        if (std::any_of(line.stops.begin(), line.stops.end(), seeds))
            curve.lo = QStringLiteral("lo"), curve.hi = QStringLiteral("hi");
        if (!line.flat || std::isfinite(curve.level)) pgf.curves.push_back(curve);
    }
    return pgf;
}

}  // namespace candor::ui
