// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plots/reliability_plot.h"

#include <algorithm>
#include <cmath>

#include "core/metrics/metrics.h"
#include "ui/plots/canvas.h"
#include "ui/plots/consistency.h"
#include "ui/plots/pgf_plot.h"
#include "ui/plots/series.h"

namespace candor::ui {
namespace {

struct Drawn {  // one run, binned
    std::size_t series = 0;
    Binning binning;
    std::vector<Interval> interval;
    double ece = 0;
    std::int64_t n = 0;
    double accuracy(std::size_t b) const { return binning.bins[b].correct / double(binning.bins[b].count); }
    double confidence(std::size_t b) const { return binning.bins[b].confidenceSum / double(binning.bins[b].count); }
};

double shareOfFullestBin(const PlotSeries& s, int bins) {
    const Binning equal = binByConfidence(s.confidence, s.correct, {BinRule::EqualWidth, bins, 20});
    std::int64_t most = 0;
    for (const Bin& b : equal.bins) most = std::max(most, b.count);
    return double(most) / double(s.confidence.size());
}

// Bins are closed on the right, the first one on both sides.
QString rangeText(const Bin& bin) {
    return QObject::tr("confidence in %1%2, %3]")
        .arg(bin.lower == 0 ? QStringLiteral("[") : QStringLiteral("("), shortNumber(bin.lower),
             shortNumber(bin.upper));
}

Drawn binned(const PlotSeries& s, std::size_t index, const ReliabilityOptions& options, const BinOptions& bins) {
    Drawn d;
    d.series = index;
    d.binning = binByConfidence(s.confidence, s.correct, bins);
    d.n = static_cast<std::int64_t>(s.confidence.size());
    std::vector<std::vector<double>> inBin(d.binning.bins.size());
    for (std::size_t i = 0; i < s.confidence.size(); ++i)
        inBin[static_cast<std::size_t>(d.binning.binOf[i])].push_back(s.confidence[i]);
    for (std::size_t b = 0; b < inBin.size(); ++b) {
        const Bin& bin = d.binning.bins[b];
        d.ece += std::abs(bin.correct - bin.confidenceSum) / double(d.n);
        if (bin.count == 0 || options.interval == BinInterval::None)
            d.interval.push_back({NAN, NAN});
        else if (options.interval == BinInterval::Wilson)
            d.interval.push_back(wilson(bin.correct, double(bin.count), options.level));
        else
            d.interval.push_back(consistencyInterval(inBin[b], options.level));
    }
    return d;
}

}  // namespace

struct ReliabilityPlot::State {
    std::vector<PlotSeries> series;
    std::vector<QString> names, reasons;
    ReliabilityOptions options;
    BinOptions used;
    QString adapted;
    std::vector<Drawn> drawn;

    void compute();
    void drawBands(Canvas& canvas, const std::vector<MethodStyle>& styles) const;
    void drawCounts(Canvas& canvas, const std::vector<MethodStyle>& styles) const;
    QString binText(const Drawn& d, int bin) const;
};

void ReliabilityPlot::State::compute() {
    drawn.clear(), reasons.clear(), adapted.clear();
    names = seriesNames(series);
    used = options.bins;
    for (const PlotSeries& s : series) reasons.push_back(whyNot(s, true, false));
    if (options.adaptRule && used.rule == BinRule::EqualWidth)
        for (std::size_t i = 0; i < series.size() && adapted.isEmpty(); ++i) {
            if (!reasons[i].isEmpty()) continue;
            const double share = shareOfFullestBin(series[i], used.bins);
            if (share <= 0.5) continue;
            used.rule = BinRule::EqualMass;
            adapted = QObject::tr("equal mass, as %1 % of the confidences of %2 share one equal-width bin")
                          .arg(QString::number(std::round(share * 100)), names[i]);
        }
    for (std::size_t i = 0; i < series.size(); ++i)
        if (reasons[i].isEmpty()) drawn.push_back(binned(series[i], i, options, used));
}

QString ReliabilityPlot::State::binText(const Drawn& d, int index) const {
    const auto b = static_cast<std::size_t>(index);
    const Bin& bin = d.binning.bins[b];
    const QString range = rangeText(bin);
    if (bin.count == 0) return QObject::tr("%1\n%2: no questions").arg(names[d.series], range);
    const double gap = d.confidence(b) - d.accuracy(b);
    QString text =
        QObject::tr("%1\n%2\n%3 of %4 right: %5\nmean confidence %6, %7 by %8")
            .arg(names[d.series], range, QString::number(bin.correct), QString::number(bin.count),
                 shortNumber(d.accuracy(b)), shortNumber(d.confidence(b)),
                 gap >= 0 ? QObject::tr("overconfident") : QObject::tr("underconfident"), shortNumber(std::abs(gap)));
    if (std::isfinite(d.interval[b].lo))
        text +=
            QLatin1Char('\n') + (options.interval == BinInterval::Wilson ? QObject::tr("%1 % Wilson interval %2 to %3")
                                                                         : QObject::tr("%1 % if calibrated: %2 to %3"))
                                    .arg(QString::number(options.level * 100), shortNumber(d.interval[b].lo),
                                         shortNumber(d.interval[b].hi));
    return text;
}

ReliabilityPlot::ReliabilityPlot(QWidget* parent) : PlotView(parent), state_(std::make_unique<State>()) {
    setTitle(tr("Reliability"));
    rebuild();
}
ReliabilityPlot::~ReliabilityPlot() = default;

void ReliabilityPlot::setSeries(std::vector<PlotSeries> series) {
    checkLengths(series);
    state_->series = std::move(series);
    state_->compute();
    rebuild();
}

void ReliabilityPlot::setOptions(const ReliabilityOptions& options) {
    state_->options = options;
    state_->compute();
    rebuild();
}

const ReliabilityOptions& ReliabilityPlot::options() const { return state_->options; }
double ReliabilityPlot::paperAspect() const { return state_->options.counts ? 1.18 : 1; }

QString ReliabilityPlot::undefinedReason() const {
    if (!state_->drawn.empty()) return {};
    if (state_->series.empty()) return tr("Confidence against accuracy, once a run is chosen.");
    return state_->names.front() + QStringLiteral(": ") + state_->reasons.front();
}

QString ReliabilityPlot::notes() const {
    const State& s = *state_;
    if (s.drawn.empty()) return {};
    QStringList parts;
    const QString rules[] = {tr("%1 equal-width bins").arg(s.used.bins), tr("%1 equal-mass bins").arg(s.used.bins),
                             tr("bins of k/%1").arg(s.used.gridSteps)};
    parts << rules[static_cast<int>(s.used.rule)];
    const QString level = QString::number(s.options.level * 100);
    if (s.options.interval == BinInterval::Wilson) parts << tr("%1 % Wilson intervals").arg(level);
    if (s.options.interval == BinInterval::Consistency && s.drawn.size() <= 2)
        parts << tr("band: %1 % if calibrated").arg(level);
    parts << tr("n %1").arg(budgetText(s.drawn.front().n));
    if (!s.adapted.isEmpty()) parts << s.adapted;
    for (std::size_t i = 0; i < s.reasons.size(); ++i)
        if (!s.reasons[i].isEmpty()) parts << s.names[i] + QStringLiteral(": ") + s.reasons[i];
    return parts.join(QStringLiteral(" · "));
}

void ReliabilityPlot::State::drawBands(Canvas& canvas, const std::vector<MethodStyle>& styles) const {
    if (options.interval == BinInterval::Consistency && drawn.size() > 2) return;  // bands upon bands say nothing
    for (const Drawn& d : drawn) {
        const QColor color = styles[d.series].color;
        for (std::size_t b = 0; b < d.binning.bins.size(); ++b) {
            const Bin& bin = d.binning.bins[b];
            const Interval band = d.interval[b];
            if (bin.count == 0 || !std::isfinite(band.lo)) continue;
            if (options.interval == BinInterval::Consistency) {
                canvas.band({{bin.lower, band.lo}, {bin.upper, band.lo}, {bin.upper, band.hi}, {bin.lower, band.hi}},
                            color);
                continue;
            }
            const double at = d.confidence(b), width = canvas.style.line * 0.8;
            canvas.sketch(Depth::Line, [&canvas, at, band, color, width](QCPPainter& painter) {
                painter.setPen(QPen(color, width, Qt::SolidLine, Qt::FlatCap));
                const QPointF lo = canvas.pixel(at, band.lo), hi = canvas.pixel(at, band.hi);
                const QPointF cap(canvas.style.marker * 0.3, 0);
                painter.drawLine(lo, hi);
                painter.drawLine(lo - cap, lo + cap);
                painter.drawLine(hi - cap, hi + cap);
            });
        }
    }
}

void ReliabilityPlot::State::drawCounts(Canvas& canvas, const std::vector<MethodStyle>& styles) const {
    QCPAxis *x = canvas.strip->axis(QCPAxis::atBottom), *y = canvas.strip->axis(QCPAxis::atLeft);
    std::int64_t most = 1;
    for (const Drawn& d : drawn)
        for (const Bin& b : d.binning.bins) most = std::max(most, b.count);
    canvas.unitAxis(x);
    y->setRange(0, double(most) * 1.08);
    auto ends = QSharedPointer<QCPAxisTickerText>::create();
    ends->addTick(0, QStringLiteral("0"));
    ends->addTick(double(most), budgetText(most));
    y->setTicker(ends);
    y->setLabel(QObject::tr("Questions"));
    for (const Drawn& d : drawn) {
        const MethodStyle look = styles[d.series];
        const bool alone = drawn.size() == 1;
        const auto* bins = &d.binning.bins;
        canvas.sketch(
            Depth::Line,
            [x, y, look, alone, bins, &canvas](QCPPainter& painter) {
                const double base = y->coordToPixel(0);
                QPolygonF outline;
                for (const Bin& b : *bins) {
                    double left = x->coordToPixel(b.lower), right = x->coordToPixel(b.upper);
                    if (!alone) {
                        outline << QPointF(left, y->coordToPixel(double(b.count)))
                                << QPointF(right, y->coordToPixel(double(b.count)));
                        continue;
                    }
                    if (right - left > 4) left += 0.75, right -= 0.75;
                    if (right - left < 2) left -= 1, right += 1;  // ties make bins without width
                    QColor pale = look.color;
                    pale.setAlphaF(0.35f);
                    painter.setPen(Qt::NoPen);
                    painter.setBrush(pale);
                    painter.drawRect(QRectF(QPointF(left, y->coordToPixel(double(b.count))), QPointF(right, base)));
                    painter.setBrush(look.color);
                    painter.drawRect(QRectF(QPointF(left, y->coordToPixel(b.correct)), QPointF(right, base)));
                }
                if (alone) return;
                painter.setPen(QPen(look.color, canvas.style.line * 0.8));
                painter.setBrush(Qt::NoBrush);
                painter.drawPolyline(outline);
            },
            canvas.strip);
        canvas.hot.push_back({canvas.strip,
                              static_cast<int>(d.series),
                              static_cast<int>(bins->size()),
                              {},
                              [bins, most](int b) {
                                  const Bin& bin = (*bins)[static_cast<std::size_t>(b)];
                                  return QRectF(bin.lower, 0, bin.upper - bin.lower, double(most));
                              },
                              [this, &d](int b) { return binText(d, b); }});
        if (!alone) canvas.hot.pop_back();  // outlines overlap: the marks above answer
    }
    if (drawn.size() == 1)
        canvas.sketch(Depth::Label, [&canvas](QCPPainter& painter) {
            const QFont font = canvas.style.font(true);
            painter.setFont(font);
            painter.setPen(canvas.style.theme.secondary);
            const QRectF area = QRectF(canvas.strip->rect()).adjusted(canvas.style.tick * 0.7, 0, 0, 0);
            painter.drawText(area, Qt::AlignTop | Qt::AlignLeft, QObject::tr("solid: right"));
        });
}

void ReliabilityPlot::build(Canvas& canvas) const {
    const State& s = *state_;
    const auto styles = seriesStyles(s.series, canvas.style.theme);
    if (s.options.counts) canvas.addStrip(canvas.style.paper ? 0.24 : 0.25);
    canvas.names(tr("Confidence"), tr("Accuracy"));
    canvas.unitAxis(canvas.x);
    canvas.unitAxis(canvas.y);
    // Words go where fewer points are: above the diagonal, unless the runs are underconfident.
    int above = 0, below = 0;
    for (const Drawn& d : s.drawn)
        for (std::size_t b = 0; b < d.binning.bins.size(); ++b) {
            if (d.binning.bins[b].count == 0) continue;
            above += d.confidence(b) < 0.5 && d.accuracy(b) > 0.6;
            below += d.confidence(b) > 0.5 && d.accuracy(b) < 0.4;
        }
    const Qt::Corner corner = above > below ? Qt::BottomRightCorner : Qt::TopLeftCorner;
    // The word stands in its triangle, out of the way of the legend.
    const Qt::Alignment place =
        corner == Qt::TopLeftCorner ? Qt::AlignRight | Qt::AlignBottom : Qt::AlignHCenter | Qt::AlignBottom;
    canvas.band({{0, 0}, {1, 0}, {1, 1}}, canvas.style.theme.negative, 0.08);
    canvas.sketch(
        Depth::Band,
        [&canvas, place](QCPPainter& painter) {
            painter.setPen(QPen(canvas.style.theme.secondary, canvas.style.axis));
            painter.drawLine(canvas.pixel(0, 0), canvas.pixel(1, 1));
            painter.setFont(canvas.style.font(true));
            painter.setPen(canvas.style.theme.negative);
            const double gap = canvas.style.tick * 0.7;
            painter.drawText(QRectF(canvas.main->rect()).adjusted(gap, gap, -gap, -gap), place,
                             QObject::tr("overconfident"));
        },
        canvas.main);
    s.drawBands(canvas, styles);
    std::vector<LegendEntry> entries;
    for (const Drawn& d : s.drawn) {
        const PlotSeries& series = s.series[d.series];
        const double width = series.full ? canvas.style.heavy : canvas.style.line;
        std::vector<QPointF> points;
        std::vector<int> bins;
        for (std::size_t b = 0; b < d.binning.bins.size(); ++b) {
            if (d.binning.bins[b].count == 0) continue;
            points.emplace_back(d.confidence(b), d.accuracy(b));
            bins.push_back(static_cast<int>(b));
            const double share = double(d.binning.bins[b].count) / double(d.n);
            const double size = canvas.style.marker * std::clamp(0.72 + 1.1 * share, 0.72, 1.3);
            canvas.marks({points.back()}, styles[d.series], size);
        }
        canvas.curve(points, methodPen(styles[d.series], width * 0.85));
        canvas.hot.push_back({canvas.main,
                              static_cast<int>(d.series),
                              static_cast<int>(points.size()),
                              [points](int i) { return points[static_cast<std::size_t>(i)]; },
                              {},
                              [&s, &d, bins](int i) { return s.binText(d, bins[static_cast<std::size_t>(i)]); },
                              bins});
        entries.push_back({styles[d.series], width, true, true, s.names[d.series], shortNumber(d.ece)});
    }
    if (s.options.counts) s.drawCounts(canvas, styles);
    if (s.drawn.size() == 1) {
        canvas.note(corner, {tr("ECE %1").arg(shortNumber(s.drawn[0].ece)), s.names[s.drawn[0].series],
                             tr("n %1").arg(budgetText(s.drawn[0].n))});
    } else {
        for (LegendEntry& e : entries) e.value.prepend(tr("ECE "));
        canvas.legend(corner, std::move(entries));
    }
}

QVector<qint64> ReliabilityPlot::questionsOf(int series, int mark, QString* what) const {
    const State& s = *state_;
    const auto d =
        std::find_if(s.drawn.begin(), s.drawn.end(), [&](const Drawn& x) { return int(x.series) == series; });
    QVector<qint64> found;
    const PlotSeries& run = s.series[static_cast<std::size_t>(series)];
    if (d == s.drawn.end() || run.question.empty()) return found;
    for (std::size_t i = 0; i < run.question.size(); ++i)
        if (d->binning.binOf[i] == mark) found.append(run.question[i]);
    const Bin& bin = d->binning.bins[static_cast<std::size_t>(mark)];
    *what = tr("%1 of %2").arg(rangeText(bin), s.names[d->series]);
    return found;
}

FigureData ReliabilityPlot::data() const {
    const State& s = *state_;
    TableBuilder table;
    for (const Drawn& d : s.drawn)
        for (std::size_t b = 0; b < d.binning.bins.size(); ++b) {
            const Bin& bin = d.binning.bins[b];
            const bool empty = bin.count == 0;
            table.about(d.series, s.series[d.series], s.names[d.series])
                .number("bin", double(b))
                .number("lower", bin.lower)
                .number("upper", bin.upper)
                .number("count", double(bin.count))
                .number("correct", bin.correct)
                .number("confidence", empty ? NAN : d.confidence(b))
                .number("accuracy", empty ? NAN : d.accuracy(b))
                .number("lo", d.interval[b].lo)
                .number("hi", d.interval[b].hi)
                .number("ece", d.ece);
        }
    return table.take(title(), notes());
}

PgfPlot ReliabilityPlot::pgf() const {
    PgfPlot pgf;
    pgf.xName = tr("Confidence"), pgf.yName = tr("Accuracy");
    pgf.unitX = pgf.unitY = pgf.diagonal = true;
    const auto styles = seriesStyles(state_->series, lightTheme());
    for (const Drawn& d : state_->drawn) {
        PgfCurve curve{int(d.series),
                       state_->names[d.series] + tr(" (%1)").arg(shortNumber(d.ece)),
                       styles[d.series],
                       state_->series[d.series].full,
                       true,
                       false,
                       0,
                       {},
                       {},
                       {},
                       {}};
        curve.x = QStringLiteral("confidence"), curve.y = QStringLiteral("accuracy");
        pgf.curves.push_back(curve);
    }
    return pgf;
}

}  // namespace candor::ui
