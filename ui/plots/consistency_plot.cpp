// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plots/consistency_plot.h"

#include <algorithm>

#include "core/metrics/binning.h"
#include "core/metrics/discrimination.h"
#include "ui/plots/canvas.h"
#include "ui/plots/mean_interval.h"
#include "ui/plots/pgf_plot.h"
#include "ui/plots/series.h"

namespace candor::ui {
namespace {

constexpr int kGroups = 20;

struct Group {
    double at = 0;  // middle of its questions' ranks, per cent
    double accuracy = 0;
    MeanInterval consistency;
    std::vector<qint64> questions;
};

MethodStyle accuracyStyle(const Theme& theme) {
    MethodStyle look;
    look.name = QObject::tr("Accuracy of the samples");
    look.color = theme.accent;
    look.marker = Marker::Circle;
    return look;
}

MethodStyle consistencyStyle(const Theme& theme) {
    MethodStyle look = methodStyle(QStringLiteral("consis-sem"), theme);
    look.name = QObject::tr("Consistency");
    return look;
}

}  // namespace

struct ConsistencyPlot::State {
    std::vector<ConsistencyRow> rows;
    std::vector<Group> groups;
    Value spearman = Value::undefined("no rows");
    void compute();
};

void ConsistencyPlot::State::compute() {
    groups.clear();
    if (rows.empty()) return;
    std::vector<double> accuracy, consistency;
    for (const ConsistencyRow& row : rows) accuracy.push_back(row.accuracy), consistency.push_back(row.consistency);
    spearman = candor::spearman(accuracy, consistency);
    const Binning binning = binByConfidence(accuracy, consistency, {BinRule::EqualMass, kGroups, 20});
    std::vector<std::vector<double>> values(binning.bins.size());
    groups.resize(binning.bins.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const auto b = static_cast<std::size_t>(binning.binOf[i]);
        values[b].push_back(consistency[i]);
        groups[b].accuracy += accuracy[i];
        groups[b].questions.push_back(rows[i].question);
    }
    double before = 0;
    for (std::size_t b = 0; b < groups.size(); ++b) {
        const double count = double(values[b].size());
        groups[b].at = 100 * (before + count / 2) / double(rows.size());
        before += count;
        if (count > 0) groups[b].accuracy /= count;
        groups[b].consistency = meanInterval(values[b]);
    }
    std::erase_if(groups, [](const Group& g) { return g.questions.empty(); });
}

ConsistencyPlot::ConsistencyPlot(QWidget* parent) : PlotView(parent), state_(std::make_unique<State>()) {
    setTitle(tr("Consistency and accuracy"));
    rebuild();
}
ConsistencyPlot::~ConsistencyPlot() = default;

void ConsistencyPlot::setRows(std::vector<ConsistencyRow> rows) {
    state_->rows = std::move(rows);
    state_->compute();
    rebuild();
}

QString ConsistencyPlot::undefinedReason() const {
    return state_->groups.empty() ? tr("No question has sampled answers with verdicts on agreement and correctness.")
                                  : QString();
}

QString ConsistencyPlot::notes() const {
    if (state_->groups.empty()) return {};
    const QString rank = state_->spearman.defined() ? shortNumber(state_->spearman.number) : QString(QChar(0x2013));
    return tr("%1 groups by accuracy, ties together · band: 95 % interval of the mean · Spearman %2 · n %3")
        .arg(QString::number(state_->groups.size()), rank, budgetText(static_cast<qint64>(state_->rows.size())));
}

void ConsistencyPlot::build(Canvas& canvas) const {
    const auto& groups = state_->groups;
    canvas.names(tr("Questions, from least to most accurate (%)"), tr("Mean over questions"));
    canvas.unitAxis(canvas.y);
    auto ticker = QSharedPointer<QCPAxisTickerFixed>::create();
    ticker->setTickStep(20);
    canvas.x->setTicker(ticker);
    canvas.x->setRange(0, 100);
    const MethodStyle looks[] = {accuracyStyle(canvas.style.theme), consistencyStyle(canvas.style.theme)};
    std::vector<QPointF> points[2], outline;
    for (const Group& g : groups) {
        points[0].emplace_back(g.at, g.accuracy);
        points[1].emplace_back(g.at, g.consistency.mean);
        outline.emplace_back(g.at, std::min(g.consistency.hi, 1.0));
    }
    for (auto g = groups.rbegin(); g != groups.rend(); ++g)
        outline.emplace_back(g->at, std::max(g->consistency.lo, 0.0));
    canvas.band(outline, looks[1].color);
    std::vector<LegendEntry> entries;
    for (int i = 0; i < 2; ++i) {
        canvas.curve(points[i], methodPen(looks[i], canvas.style.line));
        canvas.marks(points[i], looks[i]);
        canvas.hot.push_back({canvas.main,
                              i,
                              static_cast<int>(points[i].size()),
                              [all = points[i]](int m) { return all[static_cast<std::size_t>(m)]; },
                              {},
                              [&groups](int m) {
                                  const Group& g = groups[static_cast<std::size_t>(m)];
                                  return QObject::tr("%1 questions\naccuracy of their samples %2\nconsistency %3")
                                      .arg(QString::number(g.questions.size()), shortNumber(g.accuracy),
                                           shortNumber(g.consistency.mean));
                              }});
        entries.push_back({looks[i], canvas.style.line, true, true, looks[i].name, {}});
    }
    canvas.legend(Qt::TopLeftCorner, std::move(entries));
    if (state_->spearman.defined())
        canvas.note(Qt::BottomRightCorner, {tr("Spearman %1").arg(shortNumber(state_->spearman.number)),
                                            tr("n %1").arg(budgetText(static_cast<qint64>(state_->rows.size())))});
}

QVector<qint64> ConsistencyPlot::questionsOf(int, int mark, QString* what) const {
    const Group& group = state_->groups[static_cast<std::size_t>(mark)];
    *what = tr("accuracy of the samples near %1").arg(shortNumber(group.accuracy));
    return QVector<qint64>(group.questions.begin(), group.questions.end());
}

FigureData ConsistencyPlot::data() const {
    TableBuilder table;
    for (int series = 0; series < 2; ++series)
        for (const Group& g : state_->groups)
            table.number("series", series)
                .text("label", series == 0 ? QStringLiteral("accuracy") : QStringLiteral("consistency"))
                .number("questions_percent", g.at)
                .number("count", double(g.questions.size()))
                .number("mean", series == 0 ? g.accuracy : g.consistency.mean)
                .number("lo", series == 0 ? NAN : g.consistency.lo)
                .number("hi", series == 0 ? NAN : g.consistency.hi)
                .number("spearman", state_->spearman.defined() ? state_->spearman.number : NAN);
    return table.take(title(), notes());
}

PgfPlot ConsistencyPlot::pgf() const {
    PgfPlot pgf;
    pgf.xName = tr("Questions, from least to most accurate (%)"), pgf.yName = tr("Mean over questions");
    pgf.unitY = true;
    for (int series = 0; series < 2; ++series) {
        PgfCurve curve;
        curve.series = series;
        curve.style = series == 0 ? accuracyStyle(lightTheme()) : consistencyStyle(lightTheme());
        curve.name = curve.style.name;
        curve.marks = true;
        curve.x = QStringLiteral("questions_percent"), curve.y = QStringLiteral("mean");
        if (series == 1) curve.lo = QStringLiteral("lo"), curve.hi = QStringLiteral("hi");
        pgf.curves.push_back(curve);
    }
    return pgf;
}

}  // namespace candor::ui
