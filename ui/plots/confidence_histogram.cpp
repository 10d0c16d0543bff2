// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plots/confidence_histogram.h"

#include <algorithm>
#include <cmath>

#include "ui/plots/canvas.h"
#include "ui/plots/series.h"

namespace candor::ui {

struct ConfidenceHistogram::State {
    PlotSeries series;
    BinOptions options{BinRule::EqualWidth, 20, 20};
    Binning binning;
    QString name, reason;
    bool given = false;

    void compute() {
        name = seriesNames({series}).front();
        reason = whyNot(series, true, false);
        binning = reason.isEmpty() ? binByConfidence(series.confidence, series.correct, options) : Binning{};
    }
};

ConfidenceHistogram::ConfidenceHistogram(QWidget* parent) : PlotView(parent), state_(std::make_unique<State>()) {
    setTitle(tr("Confidences"));
    rebuild();
}
ConfidenceHistogram::~ConfidenceHistogram() = default;

void ConfidenceHistogram::setSeries(PlotSeries series) {
    checkLengths({series});
    state_->series = std::move(series);
    state_->given = true;
    state_->compute();
    rebuild();
}

void ConfidenceHistogram::setBins(const BinOptions& bins) {
    state_->options = bins;
    if (state_->given) state_->compute();
    rebuild();
}

QString ConfidenceHistogram::undefinedReason() const {
    if (!state_->given) return tr("Where confidences lie, right and wrong, once a run is chosen.");
    return state_->reason.isEmpty() ? QString() : state_->name + QStringLiteral(": ") + state_->reason;
}

QString ConfidenceHistogram::notes() const {
    const State& s = *state_;
    if (s.binning.bins.empty()) return {};
    double right = 0;
    for (const double y : s.series.correct) right += y;
    const auto n = static_cast<qint64>(s.series.correct.size());
    return tr("%1 · n %2, %3 right").arg(s.name, budgetText(n), budgetText(qint64(right)));
}

void ConfidenceHistogram::build(Canvas& canvas) const {
    const State& s = *state_;
    canvas.names(tr("Confidence"), tr("Wrong   |   right"));
    canvas.unitAxis(canvas.x);
    double up = 0, down = 0;
    for (const Bin& b : s.binning.bins)
        up = std::max(up, b.correct), down = std::max(down, double(b.count) - b.correct);
    canvas.fit(canvas.y, "count", -std::max(down, 1.0), std::max(up, 1.0));
    // Counts below the line are no negative numbers.
    class Unsigned : public QCPAxisTicker {
      protected:
        QString getTickLabel(double tick, const QLocale& locale, QChar, int) override {
            return locale.toString(std::abs(tick), 'f', tick == std::rint(tick) ? 0 : 1);
        }
    };
    canvas.y->setTicker(QSharedPointer<Unsigned>::create());
    const auto* bins = &s.binning.bins;
    canvas.sketch(
        Depth::Line,
        [&canvas, bins](QCPPainter& painter) {
            const Theme& t = canvas.style.theme;
            const double base = canvas.y->coordToPixel(0);
            const auto bar = [&](const Bin& b, double value, const QColor& color) {
                if (value == 0) return;
                double left = canvas.x->coordToPixel(b.lower), right = canvas.x->coordToPixel(b.upper);
                if (right - left > 5) left += 0.75, right -= 0.75;
                if (right - left < 2) left -= 1, right += 1;
                painter.setPen(Qt::NoPen);
                painter.setBrush(color);
                painter.drawRect(
                    QRectF(QPointF(left, canvas.y->coordToPixel(value)), QPointF(right, base)).normalized());
            };
            for (const Bin& b : *bins) {
                bar(b, b.correct, mix(t.positive, t.surface, 0.22));
                bar(b, b.correct - double(b.count), mix(t.negative, t.surface, 0.22));
            }
            painter.setPen(QPen(t.secondary, canvas.style.axis));
            painter.drawLine(QPointF(canvas.main->rect().left(), base), QPointF(canvas.main->rect().right() + 1, base));
        },
        canvas.main);
    canvas.hot.push_back({canvas.main,
                          0,
                          static_cast<int>(bins->size()),
                          {},
                          [bins](int i) {
                              const Bin& b = (*bins)[static_cast<std::size_t>(i)];
                              return QRectF(b.lower, b.correct - double(b.count), b.upper - b.lower, double(b.count));
                          },
                          [bins](int i) {
                              const Bin& b = (*bins)[static_cast<std::size_t>(i)];
                              return QObject::tr("confidence in %1%2, %3]\n%4 right, %5 wrong")
                                  .arg(b.lower == 0 ? QStringLiteral("[") : QStringLiteral("("), shortNumber(b.lower),
                                       shortNumber(b.upper), QString::number(b.correct),
                                       QString::number(double(b.count) - b.correct));
                          }});
}

QVector<qint64> ConfidenceHistogram::questionsOf(int, int mark, QString* what) const {
    const State& s = *state_;
    QVector<qint64> found;
    for (std::size_t i = 0; i < s.series.question.size(); ++i)
        if (s.binning.binOf[i] == mark) found.append(s.series.question[i]);
    const Bin& b = s.binning.bins[static_cast<std::size_t>(mark)];
    *what = tr("confidence in %1%2, %3] of %4")
                .arg(b.lower == 0 ? QStringLiteral("[") : QStringLiteral("("), shortNumber(b.lower),
                     shortNumber(b.upper), s.name);
    return found;
}

FigureData ConfidenceHistogram::data() const {
    const State& s = *state_;
    TableBuilder table;
    for (std::size_t b = 0; b < s.binning.bins.size(); ++b) {
        const Bin& bin = s.binning.bins[b];
        table.about(0, s.series, s.name)
            .number("lower", bin.lower)
            .number("upper", bin.upper)
            .number("count", double(bin.count))
            .number("correct", bin.correct)
            .number("wrong", double(bin.count) - bin.correct);
    }
    return table.take(title(), notes());
}

}  // namespace candor::ui
