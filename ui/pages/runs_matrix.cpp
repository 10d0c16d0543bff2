// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/runs_matrix.h"

#include <QFocusEvent>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>
#include <set>

#include "ui/models/format.h"
#include "ui/models/run_tree.h"
#include "ui/theme/method_style.h"
#include "ui/theme/theme.h"

namespace candor::ui {

namespace {

constexpr int kHead = 28;
constexpr int kName = 128;
constexpr int kNarrow = 68, kWide = 116;  // of a budget's column
constexpr int kSquare = 14;
constexpr int kGap = 4;

std::int64_t budgetOf(const MatrixRun& run) { return run.labels == 0 && run.budget <= 0 ? 0 : run.budget; }

}  // namespace

std::vector<MatrixRun> joinPlan(const std::vector<PlannedRun>& plan, const ProjectData* data, qint64 experiment,
                                const SetChoice& choice) {
    std::vector<MatrixRun> joined;
    std::set<qint64> taken;
    const auto fill = [&](MatrixRun& cell, const db::RunRow& row) {
        cell.run = row.id;
        cell.status = row.status;
        cell.labels = row.labels;
        cell.message = toQt(row.message);
        cell.auroc = metricOf(*data, row, choice, "auroc");
        taken.insert(row.id);
    };
    for (const PlannedRun& planned : plan) {
        MatrixRun cell{planned.method, planned.budget, planned.labels, planned.seed, 0, RunStatus::Planned, 0, {}, {}};
        if (data && experiment != 0)
            for (const db::RunRow& row : data->runs)
                if (row.experiment == experiment && row.method == planned.method && row.budget == planned.budget &&
                    row.seed == planned.seed && !taken.contains(row.id)) {
                    fill(cell, row);
                    break;
                }
        joined.push_back(std::move(cell));
    }
    if (data && experiment != 0)
        for (const db::RunRow& row : data->runs)
            if (row.experiment == experiment && !taken.contains(row.id)) {
                MatrixRun cell{row.method, row.budget, row.labels, row.seed, 0, row.status, 0, {}, {}};
                fill(cell, row);
                joined.push_back(std::move(cell));
            }
    return joined;
}

RunsMatrix::RunsMatrix(QWidget* parent) : QWidget(parent) {
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(tr("Plan of runs: method by budget by seed"));
    connect(themeNotifier(), &ThemeNotifier::changed, this, qOverload<>(&QWidget::update));
}

void RunsMatrix::setRuns(std::vector<MatrixRun> runs) {
    for (MatrixRun& run : runs)  // progress outlives a refresh
        for (const MatrixRun& old : runs_)
            if (run.run != 0 && old.run == run.run && run.status == RunStatus::Running) run.share = old.share;
    runs_ = std::move(runs);
    methods_.clear();
    budgets_.clear();
    for (const MatrixRun& run : runs_) {
        if (std::find(methods_.begin(), methods_.end(), run.method) == methods_.end()) methods_.push_back(run.method);
        const auto budget = std::pair(budgetOf(run), run.labels);
        const auto known =
            std::find_if(budgets_.begin(), budgets_.end(), [&](const auto& b) { return b.first == budget.first; });
        if (known == budgets_.end())
            budgets_.push_back(budget);
        else
            known->second = std::max(known->second, run.labels);
    }
    std::sort(budgets_.begin(), budgets_.end(), [](const auto& a, const auto& b) {
        const auto order = [](std::int64_t x) { return x == kAllLabels ? INT64_MAX : x; };
        return order(a.first) < order(b.first);
    });
    places_.clear();
    most_ = 1;
    std::map<std::pair<int, int>, int> counts;
    int finished = 0;
    for (const MatrixRun& run : runs_) {
        Place place;
        place.row = static_cast<int>(std::find(methods_.begin(), methods_.end(), run.method) - methods_.begin());
        place.column = static_cast<int>(
            std::find_if(budgets_.begin(), budgets_.end(), [&](const auto& b) { return b.first == budgetOf(run); }) -
            budgets_.begin());
        place.index = counts[{place.row, place.column}]++;
        most_ = std::max(most_, place.index + 1);
        places_.push_back(place);
        finished += run.status == RunStatus::Finished;
    }
    setAccessibleDescription(tr("%1 of %2 runs finished").arg(finished).arg(runs_.size()));
    updateGeometry();
    update();
}

void RunsMatrix::setShare(qint64 run, double share) {
    for (MatrixRun& cell : runs_)
        if (cell.run == run) {
            cell.share = std::clamp(share, 0.0, 1.0);
            update();
        }
}

void RunsMatrix::setCurrent(qint64 run) {
    current_ = run;
    update();
}

// As wide as there is room for; squares wrap and the deviation goes into the tooltip where it is narrow.
int RunsMatrix::columnWidth() const {
    const int columns = std::max(1, static_cast<int>(budgets_.size()));
    return std::clamp((width() - kName - 8) / columns, kNarrow, kWide);
}

int RunsMatrix::perLine() const { return std::max(1, (columnWidth() - 8) / (kSquare + kGap)); }
int RunsMatrix::rowHeight() const {
    return 34 + (std::min(most_, 4 * perLine()) + perLine() - 1) / perLine() * (kSquare + kGap);
}

QSize RunsMatrix::sizeHint() const {
    return {kName + static_cast<int>(budgets_.size()) * kNarrow + 8,
            kHead + static_cast<int>(methods_.size()) * rowHeight() + 4};
}

void RunsMatrix::resizeEvent(QResizeEvent*) { updateGeometry(); }

void RunsMatrix::focusInEvent(QFocusEvent* event) {
    ring_ = event->reason() == Qt::TabFocusReason || event->reason() == Qt::BacktabFocusReason;
    update();
}

void RunsMatrix::focusOutEvent(QFocusEvent*) {
    ring_ = false;
    update();
}

QRect RunsMatrix::square(const Place& place) const {
    const int x = kName + place.column * columnWidth() + (place.index % perLine()) * (kSquare + kGap);
    const int y = kHead + place.row * rowHeight() + 10 + std::min(place.index / perLine(), 3) * (kSquare + kGap);
    return {x, y, kSquare, kSquare};
}

void RunsMatrix::paintSquare(QPainter& painter, const QRect& rect, const MatrixRun& run) const {
    const QRectF box = QRectF(rect).adjusted(0.5, 0.5, -0.5, -0.5);
    const QColor ink = run.status == RunStatus::Failed                                            ? theme().negative
                       : run.status == RunStatus::Stopped || run.status == RunStatus::Interrupted ? theme().warning
                                                                                                  : theme().accent;
    painter.setPen(
        QPen(run.status == RunStatus::Planned || run.status == RunStatus::Queued ? theme().control : ink, 1));
    painter.setBrush(run.status == RunStatus::Finished ? QBrush(ink) : QBrush(theme().surface));
    painter.drawRoundedRect(box, 3, 3);
    if (run.status == RunStatus::Running) {
        painter.setPen(Qt::NoPen);
        painter.setBrush(ink);
        const double height = std::max(2.0, run.share * (box.height() - 2));
        painter.drawRoundedRect(QRectF(box.left() + 1, box.bottom() - 1 - height, box.width() - 2, height), 2, 2);
    } else if (run.status == RunStatus::Failed) {
        painter.setPen(QPen(ink, 1.5));
        painter.drawLine(box.topLeft() + QPointF(4, 4), box.bottomRight() - QPointF(4, 4));
        painter.drawLine(box.topRight() + QPointF(-4, 4), box.bottomLeft() + QPointF(4, -4));
    } else if (run.status == RunStatus::Stopped || run.status == RunStatus::Interrupted) {
        painter.fillRect(QRectF(box.center() - QPointF(3, 3), QSizeF(2, 6)), ink);
        painter.fillRect(QRectF(box.center() - QPointF(-1, 3), QSizeF(2, 6)), ink);
    }
    if (run.run != 0 && run.run == current_) {
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(theme().text, 1.5));
        painter.drawRoundedRect(box.adjusted(-2.5, -2.5, 2.5, 2.5), 5, 5);
    }
}

void RunsMatrix::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setFont(candor::ui::font(TypeRole::Secondary));
    painter.setPen(theme().secondary);
    const int width = columnWidth();
    for (std::size_t c = 0; c < budgets_.size(); ++c) {
        const QString text =
            budgets_[c].first == 0 ? tr("no labels") : budgetText(budgets_[c].first, budgets_[c].second);
        painter.drawText(QRect(kName + static_cast<int>(c) * width, 0, width - 8, kHead),
                         Qt::AlignLeft | Qt::AlignVCenter, text);
    }
    for (std::size_t r = 0; r < methods_.size(); ++r) {
        const int y = kHead + static_cast<int>(r) * rowHeight();
        painter.fillRect(QRect(0, y, this->width(), 1), theme().line);
        const MethodStyle style = methodStyle(toQt(methods_[r]));
        drawSwatch(painter, QRectF(4, y + 11, 26, 12), style);
        painter.setFont(candor::ui::font(TypeRole::Body));
        painter.setPen(theme().text);
        painter.drawText(QRect(38, y, kName - 44, 34), Qt::AlignLeft | Qt::AlignVCenter,
                         painter.fontMetrics().elidedText(style.name, Qt::ElideRight, kName - 44));
    }
    std::map<std::pair<int, int>, std::vector<double>> means;
    for (std::size_t i = 0; i < runs_.size(); ++i) {
        paintSquare(painter, square(places_[i]), runs_[i]);
        if (runs_[i].status == RunStatus::Finished && runs_[i].auroc.defined())
            means[{places_[i].row, places_[i].column}].push_back(runs_[i].auroc.value);
    }
    for (const auto& [place, values] : means) {
        const SeedMean mean = seedMean(values);
        const int below = rowHeight() - 26;
        const QRect rect(kName + place.second * width, kHead + place.first * rowHeight() + below, width - 8, 20);
        painter.setFont(candor::ui::font(TypeRole::Number));
        painter.setPen(theme().text);
        QRect used;
        painter.drawText(rect, Qt::AlignLeft | Qt::AlignVCenter, formatMetric(mean.mean), &used);
        if (mean.n < 2 || width < 92) continue;
        painter.setFont(candor::ui::font(TypeRole::Secondary));
        painter.setPen(theme().secondary);
        painter.drawText(rect.adjusted(used.width() + 5, 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter,
                         formatSpread(mean.deviation));
    }
    if (ring_) {
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(theme().accent, space::focus));
        painter.drawRoundedRect(QRectF(rect()).adjusted(1, 1, -1, -1), 4, 4);
    }
}

int RunsMatrix::runAt(const QPoint& at) const {
    for (std::size_t i = 0; i < places_.size(); ++i)
        if (square(places_[i]).adjusted(-2, -2, 2, 2).contains(at)) return static_cast<int>(i);
    return -1;
}

void RunsMatrix::mousePressEvent(QMouseEvent* event) {
    const int i = runAt(event->position().toPoint());
    if (i < 0 || runs_[static_cast<std::size_t>(i)].run == 0) return;
    setCurrent(runs_[static_cast<std::size_t>(i)].run);
    emit runSelected(current_);
}

void RunsMatrix::mouseDoubleClickEvent(QMouseEvent* event) {
    const int i = runAt(event->position().toPoint());
    if (i >= 0 && runs_[static_cast<std::size_t>(i)].run != 0)
        emit runActivated(runs_[static_cast<std::size_t>(i)].run);
}

void RunsMatrix::keyPressEvent(QKeyEvent* event) {
    if ((event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) && current_ != 0)
        return emit runActivated(current_);
    int step = 0;
    if (event->key() == Qt::Key_Right || event->key() == Qt::Key_Down) step = 1;
    if (event->key() == Qt::Key_Left || event->key() == Qt::Key_Up) step = -1;
    if (step == 0) return QWidget::keyPressEvent(event);
    std::vector<qint64> ids;
    for (const MatrixRun& run : runs_)
        if (run.run != 0) ids.push_back(run.run);
    if (ids.empty()) return;
    const auto at = std::find(ids.begin(), ids.end(), current_);
    const auto index = at == ids.end() ? 0
                                       : std::clamp<std::ptrdiff_t>(at - ids.begin() + step, 0,
                                                                    static_cast<std::ptrdiff_t>(ids.size()) - 1);
    setCurrent(ids[static_cast<std::size_t>(index)]);
    emit runSelected(current_);
}

bool RunsMatrix::event(QEvent* event) {
    if (event->type() != QEvent::ToolTip) return QWidget::event(event);
    auto* help = static_cast<QHelpEvent*>(event);
    const int i = runAt(help->pos());
    if (i < 0) {
        QToolTip::hideText();
        return true;
    }
    const MatrixRun& run = runs_[static_cast<std::size_t>(i)];
    QString text = methodStyle(toQt(run.method)).name;
    if (budgetOf(run) != 0) text += tr(", %1 labels").arg(budgetText(run.budget, run.labels));
    text += tr(", seed %1: %2").arg(QString::number(run.seed), statusText(run.status));
    if (!run.message.isEmpty()) text += QStringLiteral(", ") + displayText(run.message);
    if (run.status == RunStatus::Finished && run.auroc.defined())
        text += tr(", AUROC %1").arg(formatMetric(run.auroc.value));
    QToolTip::showText(help->globalPos(), text.toHtmlEscaped(), this);
    return true;
}

}  // namespace candor::ui
