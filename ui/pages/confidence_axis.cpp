// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/confidence_axis.h"

#include <QHelpEvent>
#include <QLineF>
#include <QLocale>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>
#include <cmath>

#include "ui/models/format.h"
#include "ui/theme/method_style.h"
#include "ui/theme/theme.h"

namespace candor::ui {

namespace {

constexpr int kSide = 12;
constexpr int kBelow = 24;  // axis labels
constexpr double kMark = 9;
constexpr double kStep = 10;
constexpr int kMost = 5;  // marks in one stack before they overlap

}  // namespace

ConfidenceAxis::ConfidenceAxis(QWidget* parent) : QWidget(parent) {
    setMouseTracking(true);
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    setAccessibleName(tr("Confidence of every run in this answer"));
    connect(themeNotifier(), &ThemeNotifier::changed, this, qOverload<>(&QWidget::update));
}

double ConfidenceAxis::x(double confidence) const { return kSide + confidence * (width() - 2 * kSide); }

void ConfidenceAxis::setConfidences(std::vector<db::RunConfidence> confidences, qint64 selected,
                                    std::optional<bool> correct) {
    confidences_ = std::move(confidences);
    selected_ = selected;
    correct_ = correct;
    place();
    QStringList words;
    for (const Mark& mark : marks_) {
        const db::RunConfidence& c = confidences_[mark.index];
        if (words.size() < 12) words << tr("%1 %2").arg(methodStyle(toQt(c.method)).name, formatMetric(c.confidence));
    }
    setAccessibleDescription(words.join(QStringLiteral(", ")));
    update();
}

void ConfidenceAxis::place() {
    marks_.clear();
    outside_ = 0;
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < confidences_.size(); ++i) {
        const double c = confidences_[i].confidence;
        if (c >= 0 && c <= 1)
            order.push_back(i);
        else
            ++outside_;  // scores and NaN have no place on this axis
    }
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return confidences_[a].confidence < confidences_[b].confidence;
    });
    std::vector<QPointF> taken;
    for (const std::size_t i : order) {
        const double at = x(confidences_[i].confidence);
        int level = 0;
        const auto clash = [&](int l) {
            return std::any_of(taken.rbegin(), taken.rend(), [&](const QPointF& p) {
                return std::abs(p.x() - at) < kMark + 1 && static_cast<int>(p.y()) == l;
            });
        };
        while (level < kMost && clash(level)) ++level;
        taken.emplace_back(at, level);
        marks_.push_back({i, {at, static_cast<double>(level)}});
    }
    for (Mark& mark : marks_) mark.at.setY(height_ - kBelow - 9 - mark.at.y() * kStep);
}

void ConfidenceAxis::resizeEvent(QResizeEvent*) { place(); }

void ConfidenceAxis::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const double base = height_ - kBelow;
    painter.setPen(QPen(theme().control, 1));
    painter.drawLine(QPointF(x(0), base), QPointF(x(1), base));
    painter.setFont(candor::ui::font(TypeRole::Secondary));
    for (const double tick : {0.0, 0.25, 0.5, 0.75, 1.0}) {
        painter.setPen(QPen(theme().control, 1));
        painter.drawLine(QPointF(x(tick), base), QPointF(x(tick), base + 4));
        painter.setPen(theme().secondary);
        const QRectF label(x(tick) - 30, base + 5, 60, 16);
        const auto side = tick == 0 ? Qt::AlignLeft : tick == 1 ? Qt::AlignRight : Qt::AlignHCenter;
        painter.drawText(tick == 0   ? label.translated(25, 0)
                         : tick == 1 ? label.translated(-25, 0)
                                     : label,
                         side | Qt::AlignTop, QLocale().toString(tick, 'g', 3));
    }
    if (correct_) {  // where a perfect confidence would be
        const double at = x(*correct_ ? 1 : 0);
        QColor ink = *correct_ ? theme().positive : theme().negative;
        painter.setPen(QPen(ink, 2));
        painter.drawLine(QPointF(at, base - 10), QPointF(at, base));
    }
    const auto draw = [&](const Mark& mark) {
        const db::RunConfidence& c = confidences_[mark.index];
        const MethodStyle style = methodStyle(toQt(c.method));
        QPainterPath path = markerPath(style.marker, kMark);
        path.translate(mark.at);
        const bool chosen = c.run == selected_;
        painter.setBrush(style.open ? QBrush(theme().surface) : QBrush(style.color));
        painter.setPen(QPen(chosen ? theme().text : style.open ? style.color : theme().surface, chosen ? 2 : 1));
        painter.drawPath(path);
    };
    for (const Mark& mark : marks_)
        if (confidences_[mark.index].run != selected_) draw(mark);
    for (const Mark& mark : marks_)
        if (confidences_[mark.index].run == selected_) draw(mark);
    if (outside_ > 0) {
        painter.setPen(theme().secondary);
        painter.drawText(QRectF(x(0), 0, x(1) - x(0), 14), Qt::AlignRight,
                         tr("not drawn, no probability: %1").arg(outside_));
    }
}

const ConfidenceAxis::Mark* ConfidenceAxis::markAt(const QPointF& at) const {
    const Mark* best = nullptr;
    double nearest = 9;
    for (const Mark& mark : marks_)
        if (const double d = QLineF(mark.at, at).length(); d < nearest) {
            nearest = d;
            best = &mark;
        }
    return best;
}

bool ConfidenceAxis::event(QEvent* event) {
    if (event->type() != QEvent::ToolTip) return QWidget::event(event);
    auto* help = static_cast<QHelpEvent*>(event);
    const Mark* mark = markAt(help->pos());
    if (!mark) {
        QToolTip::hideText();
        return true;
    }
    const db::RunConfidence& c = confidences_[mark->index];
    QToolTip::showText(help->globalPos(),
                       tr("%1, %2 labels, seed %3: %4")
                           .arg(methodStyle(toQt(c.method)).name.toHtmlEscaped(), budgetText(c.budget),
                                QString::number(c.seed), formatMetric(c.confidence)),
                       this);
    return true;
}

void ConfidenceAxis::mouseReleaseEvent(QMouseEvent* event) {
    if (const Mark* mark = markAt(event->position())) emit runActivated(confidences_[mark->index].run);
}

}  // namespace candor::ui
