// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/answer_view.h"

#include <QHelpEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>
#include <cmath>

#include "ui/models/format.h"
#include "ui/theme/theme.h"
#include "ui/window/icons.h"

namespace candor::ui {

namespace {

constexpr int kLine = 24;
constexpr int kHead = 26;
constexpr int kMarks = 24;
constexpr int kBar = 64;

int rankOf(const SampleRow& row) {
    return row.agreement == Verdict::Yes ? 0 : row.agreement == Verdict::Unparsed ? 2 : 1;
}

QString headingOf(int rank, int count) {
    switch (rank) {
        case 0:
            return QObject::tr("Mean the same as the greedy answer (%1)").arg(count);
        case 2:
            return QObject::tr("Not judged (%1)").arg(count);
        default:
            return QObject::tr("Say something else (%1)").arg(count);
    }
}

}  // namespace

TokenStrip::TokenStrip(QWidget* parent) : QWidget(parent) {
    setAccessibleName(tr("Log-probability of each token of the greedy answer"));
    connect(themeNotifier(), &ThemeNotifier::changed, this, qOverload<>(&QWidget::update));
}

void TokenStrip::setLogprobs(std::vector<double> logprobs) {
    logprobs_ = std::move(logprobs);
    setVisible(!logprobs_.empty());
    update();
}

QRectF TokenStrip::cell(std::size_t i) const {
    const double step = std::min(18.0, static_cast<double>(width()) / static_cast<double>(logprobs_.size()));
    return {static_cast<double>(i) * step, 2, std::max(1.0, step - 2), 14};
}

void TokenStrip::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    for (std::size_t i = 0; i < logprobs_.size(); ++i) {
        QColor fill = theme().negative;
        // Probability e^l: certain tokens are nearly empty, doubtful ones full.
        fill.setAlphaF(
            static_cast<float>(std::isfinite(logprobs_[i]) ? 0.08 + 0.82 * (1 - std::exp(logprobs_[i])) : 1.0));
        painter.setPen(Qt::NoPen);
        painter.setBrush(fill);
        painter.drawRoundedRect(cell(i), 2, 2);
    }
}

bool TokenStrip::event(QEvent* event) {
    if (event->type() != QEvent::ToolTip) return QWidget::event(event);
    auto* help = static_cast<QHelpEvent*>(event);
    for (std::size_t i = 0; i < logprobs_.size(); ++i)
        if (cell(i).contains(help->pos()))
            QToolTip::showText(
                help->globalPos(),
                tr("Token %1: log-probability %2, probability %3")
                    .arg(QString::number(i + 1), formatMetric(logprobs_[i]), formatMetric(std::exp(logprobs_[i]))),
                this);
    return true;
}

std::vector<SampleRow> groupSamples(const AnswerRecord& answers, const LabelRecord* labels) {
    std::vector<SampleRow> rows;
    for (std::size_t j = 0; j < answers.samples.size(); ++j) {
        SampleRow row{toQt(answers.samples[j]).simplified(), 1, {}, {}};
        if (labels && j < labels->agreement.size()) row.agreement = labels->agreement[j];
        if (labels && j < labels->sampleCorrect.size()) row.correct = labels->sampleCorrect[j];
        const auto same = std::find_if(rows.begin(), rows.end(), [&](const SampleRow& r) {
            return r.text == row.text && r.agreement == row.agreement && r.correct == row.correct;
        });
        if (same != rows.end())
            ++same->count;
        else
            rows.push_back(std::move(row));
    }
    const bool judged = labels && !labels->agreement.empty();
    if (!judged)
        for (SampleRow& row : rows) row.agreement = Verdict::Unparsed;
    std::stable_sort(rows.begin(), rows.end(), [](const SampleRow& a, const SampleRow& b) {
        return std::pair(rankOf(a), -a.count) < std::pair(rankOf(b), -b.count);
    });
    return rows;
}

SampleList::SampleList(QWidget* parent) : QWidget(parent) {
    setAccessibleName(tr("Sampled answers"));
    connect(themeNotifier(), &ThemeNotifier::changed, this, qOverload<>(&QWidget::update));
}

void SampleList::setSamples(std::vector<SampleRow> rows) {
    rows_ = std::move(rows);
    total_ = 0;
    QStringList words;
    for (const SampleRow& row : rows_) {
        total_ += row.count;
        words << QStringLiteral("%1x %2").arg(row.count).arg(displayText(row.text));
    }
    setAccessibleDescription(words.mid(0, 20).join(QStringLiteral("; ")));
    updateGeometry();
    update();
}

int SampleList::headings() const {
    int count = 0, last = -1;
    for (const SampleRow& row : rows_)
        if (rankOf(row) != last) {
            last = rankOf(row);
            ++count;
        }
    return count;
}

QSize SampleList::sizeHint() const { return {320, static_cast<int>(rows_.size()) * kLine + headings() * kHead}; }

void SampleList::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    int y = 0, last = -1;
    for (const SampleRow& row : rows_) {
        if (rankOf(row) != last) {
            last = rankOf(row);
            int count = 0;
            for (const SampleRow& other : rows_) count += rankOf(other) == last ? other.count : 0;
            painter.setFont(candor::ui::font(TypeRole::Secondary));
            painter.setPen(theme().secondary);
            painter.drawText(QRect(0, y, width(), kHead), Qt::AlignLeft | Qt::AlignVCenter, headingOf(last, count));
            y += kHead;
        }
        if (row.correct) {
            const bool right = *row.correct == Verdict::Yes, unparsed = *row.correct == Verdict::Unparsed;
            const QColor ink = right ? theme().positive : unparsed ? theme().warning : theme().negative;
            if (unparsed) {
                painter.setPen(ink);
                painter.drawText(QRect(0, y, 16, kLine), Qt::AlignCenter, QStringLiteral("?"));
            } else {
                painter.drawPixmap(QPointF(1, y + 5),
                                   iconPixmap(right ? QStringLiteral("check") : QStringLiteral("close"), ink, 14,
                                              devicePixelRatioF()));
            }
        }
        const double bar = kBar * static_cast<double>(row.count) / std::max(1, total_);
        QColor fill = rankOf(row) == 0 ? theme().accent : theme().secondary;
        fill.setAlphaF(0.35f);
        painter.setPen(Qt::NoPen);
        painter.setBrush(fill);
        painter.drawRoundedRect(QRectF(kMarks, y + 8, std::max(3.0, bar), 8), 2, 2);
        int x = kMarks + kBar + 6;
        painter.setFont(candor::ui::font(TypeRole::Number));
        painter.setPen(theme().secondary);
        painter.drawText(QRect(x, y, 18, kLine), Qt::AlignRight | Qt::AlignVCenter, QString::number(row.count));
        x += 28;
        painter.setFont(candor::ui::font(TypeRole::Body));
        painter.setPen(theme().text);
        painter.drawText(
            QRect(x, y, width() - x, kLine), Qt::AlignLeft | Qt::AlignVCenter | Qt::TextSingleLine,
            painter.fontMetrics().elidedText(displayText(row.text), Qt::ElideRight, std::max(0, width() - x)));
        y += kLine;
    }
}

bool SampleList::event(QEvent* event) {
    if (event->type() != QEvent::ToolTip) return QWidget::event(event);
    auto* help = static_cast<QHelpEvent*>(event);
    int y = 0, last = -1;
    for (const SampleRow& row : rows_) {
        if (rankOf(row) != last) {
            last = rankOf(row);
            y += kHead;
        }
        if (help->pos().y() >= y && help->pos().y() < y + kLine)
            QToolTip::showText(help->globalPos(), QStringLiteral("<p>%1</p>").arg(row.text.left(2000).toHtmlEscaped()),
                               this);
        y += kLine;
    }
    return true;
}

}  // namespace candor::ui
