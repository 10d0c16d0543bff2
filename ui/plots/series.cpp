// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plots/series.h"

#include <QHash>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/error.h"
#include "ui/plots/canvas.h"

namespace candor::ui {
namespace {

// Gives those that share a name a suffix; says whether any still share one.
void tellApart(std::vector<QString>& names, const std::vector<PlotSeries>& series,
               QString (*suffix)(const PlotSeries&)) {
    QHash<QString, int> seen;
    for (const QString& name : names) ++seen[name];
    for (std::size_t i = 0; i < names.size(); ++i)
        if (seen[names[i]] > 1) names[i] += suffix(series[i]);
}

}  // namespace

void checkLengths(const std::vector<PlotSeries>& series) {
    for (const PlotSeries& s : series)
        if (s.confidence.size() != s.correct.size() || (!s.question.empty() && s.question.size() != s.correct.size()))
            throw InputError("length_mismatch", "run " + std::to_string(s.run) +
                                                    ": question, confidence and correct must have one length, got " +
                                                    std::to_string(s.question.size()) + ", " +
                                                    std::to_string(s.confidence.size()) + " and " +
                                                    std::to_string(s.correct.size()));
}

std::vector<QString> seriesNames(const std::vector<PlotSeries>& series) {
    std::vector<QString> names;
    for (const PlotSeries& s : series) {
        QString name = s.label.simplified();
        if (name.isEmpty()) {
            name = methodStyle(s.method).name;
            if (s.budget > 0 || s.full) name += QLatin1Char(' ') + budgetText(s.budget);
        }
        names.push_back(name);
    }
    tellApart(names, series, [](const PlotSeries& s) { return QObject::tr(", seed %1").arg(s.seed); });
    tellApart(names, series, [](const PlotSeries& s) { return QStringLiteral(" #%1").arg(s.run); });
    return names;
}

std::vector<MethodStyle> seriesStyles(const std::vector<PlotSeries>& series, const Theme& theme) {
    std::vector<MethodStyle> styles;
    for (const PlotSeries& s : series) styles.push_back(methodStyle(s.method, theme));
    std::vector<std::size_t> order(series.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        const auto key = [&](std::size_t i) { return series[i].budget == kAllLabels ? INT64_MAX : series[i].budget; };
        return key(a) < key(b);
    });
    QHash<QString, int> count, used;
    for (const PlotSeries& s : series) ++count[s.method];
    for (const std::size_t i : order)
        styles[i].color = shade(styles[i].color, used[series[i].method]++, count[series[i].method], theme);
    return styles;
}

QString whyNot(const PlotSeries& s, bool probability, bool bothClasses) {
    if (s.confidence.empty()) return QObject::tr("no judged questions with a confidence");
    qint64 broken = 0, outside = 0, right = 0;
    for (std::size_t i = 0; i < s.confidence.size(); ++i) {
        if (!std::isfinite(s.confidence[i]))
            ++broken;
        else if (s.confidence[i] < 0 || s.confidence[i] > 1)
            ++outside;
        right += s.correct[i] > 0 ? 1 : 0;
    }
    const auto n = static_cast<qint64>(s.confidence.size());
    if (broken > 0) return QObject::tr("%1 of %2 confidences are not finite").arg(broken).arg(n);
    if (probability && outside > 0)
        return QObject::tr("%1 of %2 values lie outside 0 to 1: scores, no probabilities; calibrate them first")
            .arg(outside)
            .arg(n);
    if (bothClasses && right == 0) return QObject::tr("undefined, 0 right of %1").arg(budgetText(n));
    if (bothClasses && right == n) return QObject::tr("undefined, 0 wrong of %1").arg(budgetText(n));
    return {};
}

FigureColumn& TableBuilder::column(const char* name, bool isText) {
    const QString wanted = QString::fromLatin1(name);
    for (std::size_t tried = 0; tried < columns_.size(); ++tried) {
        FigureColumn& c = columns_[(next_ + tried) % columns_.size()];
        if (c.name != wanted) continue;
        next_ = (next_ + tried + 1) % columns_.size();
        return c;
    }
    columns_.push_back({wanted, isText, {}, {}});
    next_ = 0;
    return columns_.back();
}

TableBuilder& TableBuilder::text(const char* name, const QString& value) {
    column(name, true).text.append(value);
    return *this;
}

TableBuilder& TableBuilder::number(const char* name, double value) {
    column(name, false).number.push_back(value);
    return *this;
}

TableBuilder& TableBuilder::about(std::size_t index, const PlotSeries& s, const QString& label) {
    return number("series", static_cast<double>(index))
        .number("run", static_cast<double>(s.run))
        .text("label", label)
        .text("method", s.method)
        .text("budget", s.budget == kAllLabels ? QStringLiteral("all") : QString::number(s.budget))
        .number("seed", s.seed);
}

FigureData TableBuilder::take(const QString& title, const QString& note) {
    return FigureData{title, note, std::move(columns_)};
}

}  // namespace candor::ui
