// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plots/loss_plot.h"

#include <QTimer>
#include <algorithm>
#include <cmath>

#include "ui/plots/canvas.h"
#include "ui/plots/pgf_plot.h"
#include "ui/plots/series.h"
#include "ui/plots/smoothing.h"

namespace candor::ui {
namespace {

struct Values {
    std::vector<double> step, loss;
};

struct Run {
    qint64 id = 0;
    QString label, method;
    Values curve[2];  // by Curve
};

constexpr int kFrame = 33;  // ms between redraws while values stream in

// Where a curve stopped being finite: one mark a stretch, at the last finite value.
struct Stretch {
    double step, value;
    int count;
};

std::vector<Stretch> stretches(const Values& v, bool log) {
    std::vector<Stretch> found;
    double last = NAN;
    for (const double loss : v.loss)
        if (drawable(loss, log)) {
            last = loss;
            break;
        }
    bool open = false;
    for (std::size_t i = 0; i < v.loss.size(); ++i) {
        if (drawable(v.loss[i], log)) {
            last = v.loss[i], open = false;
            continue;
        }
        if (open)
            ++found.back().count;
        else
            found.push_back({v.step[i], last, 1});
        open = true;
    }
    return found;
}

}  // namespace

struct LossPlot::State {
    std::vector<Run> runs;
    double smoothing = 0.9;
    bool log = false;
    QString valueName = QObject::tr("Loss");
    QTimer timer;

    Run& run(qint64 id) {
        const auto found = std::find_if(runs.begin(), runs.end(), [id](const Run& r) { return r.id == id; });
        if (found != runs.end()) return *found;
        runs.push_back({id, {}, QStringLiteral("elical"), {}});
        return runs.back();
    }
    std::vector<PlotSeries> asSeries() const {
        std::vector<PlotSeries> list;
        for (const Run& r : runs) list.push_back({r.id, r.label, r.method, kAllLabels, 0, false, {}, {}, {}});
        return list;
    }
    void drawCurve(Canvas& canvas, const Run& run, Curve which, const MethodStyle& look, const QString& name,
                   std::vector<EndLabel>& labels) const;
};

LossPlot::LossPlot(QWidget* parent) : PlotView(parent), state_(std::make_unique<State>()) {
    setTitle(tr("Training loss"));
    state_->timer.setSingleShot(true);
    state_->timer.setInterval(kFrame);
    connect(&state_->timer, &QTimer::timeout, this, [this] { rebuild(); });
    rebuild();
}
LossPlot::~LossPlot() = default;

void LossPlot::clear() {
    state_->runs.clear();
    forgetRanges();
    rebuild();
}

void LossPlot::setRun(qint64 run, const QString& label, const QString& method) {
    Run& r = state_->run(run);
    r.label = label, r.method = method;
    if (!state_->timer.isActive()) state_->timer.start();
}

void LossPlot::add(qint64 run, Curve curve, qint64 step, double loss) {
    Values& v = state_->run(run).curve[static_cast<int>(curve)];
    v.step.push_back(static_cast<double>(step)), v.loss.push_back(loss);
    if (!state_->timer.isActive()) state_->timer.start();
}

void LossPlot::set(qint64 run, Curve curve, std::vector<double> steps, std::vector<double> losses) {
    steps.resize(std::min(steps.size(), losses.size())), losses.resize(steps.size());
    state_->run(run).curve[static_cast<int>(curve)] = {std::move(steps), std::move(losses)};
    rebuild();
}

void LossPlot::setSmoothing(double weight) {
    state_->smoothing = std::clamp(weight, 0.0, 0.999);
    rebuild();
}

void LossPlot::setLogScale(bool on) {
    state_->log = on;
    forgetRanges();
    rebuild();
}

void LossPlot::setValueName(const QString& name) {
    state_->valueName = name;
    rebuild();
}

QString LossPlot::undefinedReason() const {
    std::size_t values = 0;
    for (const Run& r : state_->runs)
        for (const Values& v : r.curve) {
            values += v.loss.size();
            for (const double loss : v.loss)
                if (drawable(loss, state_->log)) return {};
        }
    if (values == 0) return tr("Loss by step, as soon as a run takes its first step.");
    return state_->log ? tr("None of the %n values is positive and finite.", nullptr, int(values))
                       : tr("None of the %n values is finite.", nullptr, int(values));
}

QString LossPlot::notes() const {
    int bad = 0;
    for (const Run& r : state_->runs)
        for (const Values& v : r.curve)
            for (const double loss : v.loss) bad += drawable(loss, state_->log) ? 0 : 1;
    QStringList parts;
    if (state_->smoothing > 0) parts << tr("faint: every step, solid: smoothed %1").arg(state_->smoothing);
    if (bad > 0)
        parts << (state_->log ? tr("%n not positive and finite", nullptr, bad) : tr("%n not finite", nullptr, bad)) +
                     tr(" (marked)");
    return parts.join(QStringLiteral(" · "));
}

void LossPlot::State::drawCurve(Canvas& canvas, const Run& run, Curve which, const MethodStyle& look,
                                const QString& name, std::vector<EndLabel>& labels) const {
    const Values& v = run.curve[static_cast<int>(which)];
    if (v.loss.empty()) return;
    const bool train = which == Curve::Train;
    const int budget = canvas.style.paper ? 10 * canvas.plot.viewport().width() : 0;
    MethodStyle line = look;
    line.dash = train ? Qt::SolidLine : Qt::DashLine;
    const auto draw = [&](const std::vector<double>& loss, const QPen& pen) {
        for (const auto& part : segments(v.step, loss, log, budget)) {
            if (part.size() == 1) {
                canvas.marks({part.front()}, {{}, pen.color(), Qt::SolidLine, Marker::Circle, false},
                             canvas.style.marker * 0.6);
                continue;
            }
            auto* graph = new QCPGraph(canvas.x, canvas.y);
            QVector<QCPGraphData> data;
            data.reserve(static_cast<qsizetype>(part.size()));
            for (const QPointF& p : part) data.append(QCPGraphData(p.x(), p.y()));
            graph->data()->set(data, true);
            graph->setPen(pen);
            graph->setAdaptiveSampling(!canvas.style.paper);
            graph->setSelectable(QCP::stNone);
        }
    };
    const bool smooth = train && smoothing > 0 && v.loss.size() > 1;
    std::vector<double> shown = smooth ? smoothed(v.loss, smoothing, log) : v.loss;
    if (smooth) {
        MethodStyle faint = line;
        faint.color.setAlphaF(0.28f);
        draw(v.loss, methodPen(faint, canvas.style.line * 0.6));
    }
    draw(shown, methodPen(line, canvas.style.line));
    if (!train) {
        std::vector<QPointF> points;
        for (std::size_t i = 0; i < v.loss.size(); ++i)
            if (drawable(v.loss[i], log)) points.emplace_back(v.step[i], v.loss[i]);
        if (points.size() <= 200) canvas.marks(points, look, canvas.style.marker * 0.85);
    }
    for (const Stretch& s : stretches(v, log)) {
        if (std::isnan(s.value)) continue;
        canvas.marks({{s.step, s.value}}, {{}, canvas.style.theme.negative, Qt::SolidLine, Marker::Triangle, false},
                     canvas.style.marker * 1.2);
    }
    for (std::size_t i = shown.size(); i-- > 0;)
        if (drawable(shown[i], log)) {
            labels.push_back({shown[i], look.color, name});
            break;
        }
    const auto* values = &v;
    canvas.hot.push_back(
        {canvas.main,
         static_cast<int>(&run - runs.data()),
         static_cast<int>(v.loss.size()),
         [values](int i) {
             return QPointF(values->step[static_cast<std::size_t>(i)], values->loss[static_cast<std::size_t>(i)]);
         },
         {},
         [values, name, shown, smooth](int i) {
             const auto k = static_cast<std::size_t>(i);
             QString text = QObject::tr("%1\nstep %2: %3")
                                .arg(name, QString::number(values->step[k]), shortNumber(values->loss[k], 4));
             if (smooth) text += QObject::tr(", smoothed %1").arg(shortNumber(shown[k], 4));
             return text;
         }});
}

void LossPlot::build(Canvas& canvas) const {
    const State& s = *state_;
    canvas.names(tr("Step"), s.valueName);
    double lo = INFINITY, hi = -INFINITY, first = INFINITY, last = -INFINITY;
    for (const Run& r : s.runs)
        for (const Values& v : r.curve)
            for (std::size_t i = 0; i < v.loss.size(); ++i) {
                if (std::isfinite(v.step[i])) first = std::min(first, v.step[i]), last = std::max(last, v.step[i]);
                if (drawable(v.loss[i], s.log)) lo = std::min(lo, v.loss[i]), hi = std::max(hi, v.loss[i]);
            }
    if (s.log) {
        canvas.y->setScaleType(QCPAxis::stLogarithmic);
        auto ticker = QSharedPointer<QCPAxisTickerLog>::create();
        ticker->setTickCount(4);
        canvas.y->setTicker(ticker);
    } else if (lo >= 0 && lo < 0.6 * hi) {
        lo = 0;
    }
    canvas.fit(canvas.y, "loss", lo, hi, 0.15);
    canvas.fit(canvas.x, "step", std::min(first, 0.0), last, 0.3);
    const auto series = s.asSeries();
    const auto styles = seriesStyles(series, canvas.style.theme);
    const auto names = seriesNames(series);
    const bool alone = s.runs.size() == 1;
    std::vector<EndLabel> labels;
    for (std::size_t i = 0; i < s.runs.size(); ++i)
        for (const Curve which : {Curve::Train, Curve::Holdout}) {
            const QString kind = which == Curve::Train ? tr("train") : tr("hold-out");
            const QString name = alone ? kind : which == Curve::Train ? names[i] : tr("%1, %2").arg(names[i], kind);
            s.drawCurve(canvas, s.runs[i], which, styles[i], name, labels);
        }
    canvas.endLabels(std::move(labels));
}

FigureData LossPlot::data() const {
    TableBuilder table;
    const auto names = seriesNames(state_->asSeries());
    for (std::size_t i = 0; i < state_->runs.size(); ++i) {
        const Run& r = state_->runs[i];
        for (int which = 0; which < 2; ++which) {
            const Values& v = r.curve[which];
            const std::vector<double> smooth = which == 0 ? smoothed(v.loss, state_->smoothing, state_->log) : v.loss;
            for (std::size_t k = 0; k < v.loss.size(); ++k)
                table.number("series", double(2 * i + std::size_t(which)))
                    .number("run", double(r.id))
                    .text("label", names[i])
                    .text("curve", which == 0 ? QStringLiteral("train") : QStringLiteral("holdout"))
                    .number("step", v.step[k])
                    .number("loss", v.loss[k])
                    .number("smoothed", smooth[k]);
        }
    }
    return table.take(title(), notes());
}

PgfPlot LossPlot::pgf() const {
    const State& s = *state_;
    PgfPlot pgf;
    pgf.xName = tr("Step"), pgf.yName = s.valueName;
    pgf.logY = s.log;
    pgf.legendRight = true;
    const auto series = s.asSeries();
    const auto names = seriesNames(series);
    const auto styles = seriesStyles(series, lightTheme());
    for (std::size_t i = 0; i < s.runs.size(); ++i)
        for (int which = 0; which < 2; ++which) {
            if (s.runs[i].curve[which].loss.empty()) continue;
            PgfCurve curve{int(2 * i) + which,
                           tr("%1, %2").arg(names[i], which == 0 ? tr("train") : tr("hold-out")),
                           styles[i],
                           false,
                           which == 1,
                           false,
                           0,
                           QStringLiteral("step"),
                           QStringLiteral("smoothed"),
                           {},
                           {}};
            curve.style.dash = which == 0 ? Qt::SolidLine : Qt::DashLine;
            pgf.curves.push_back(curve);
        }
    return pgf;
}

}  // namespace candor::ui
