// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/job_chip.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QLocale>
#include <QPainter>
#include <QToolButton>

#include "ui/models/format.h"
#include "ui/pages/empty_state.h"
#include "ui/theme/theme.h"
#include "ui/window/icons.h"

namespace candor::ui {

class JobChip::Bar : public QWidget {
  public:
    explicit Bar(QWidget* parent) : QWidget(parent) {
        setFixedSize(96, 4);
        setAccessibleName(QObject::tr("Progress"));
    }
    void setShare(double share) {
        share_ = share;
        QWidget::update();
    }

  protected:
    void paintEvent(QPaintEvent*) override {
        QPainter painter(this);
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(Qt::NoPen);
        painter.setBrush(theme().line);
        painter.drawRoundedRect(rect(), 2, 2);
        painter.setBrush(theme().accent);
        if (share_ > 0) painter.drawRoundedRect(QRectF(0, 0, std::max(4.0, share_ * width()), height()), 2, 2);
    }

  private:
    double share_ = 0;
};

QString progressText(const Event& progress) {
    if (progress.kind != EventKind::Progress) return {};
    QString text = progress.total > 0
                       ? QObject::tr("%1/%2").arg(formatCount(progress.done), formatCount(progress.total))
                       : formatCount(progress.done);
    if (progress.rate <= 0) return text;
    text += QObject::tr(", %1/s").arg(QLocale().toString(progress.rate, 'f', progress.rate < 10 ? 1 : 0));
    if (progress.total > progress.done)
        text += QObject::tr(", %1 left")
                    .arg(formatDuration(static_cast<double>(progress.total - progress.done) / progress.rate));
    return text;
}

JobChip::JobChip(const JobInfo& job, QWidget* parent)
    : QWidget(parent), text_(makeLabel({}, "secondary", this)), bar_(new Bar(this)), stop_(new QToolButton(this)) {
    auto* line = new QHBoxLayout(this);
    line->setContentsMargins(0, 0, 0, 0);
    line->setSpacing(space::s);
    line->addWidget(text_);
    line->addWidget(bar_);
    line->addWidget(stop_);
    stop_->setAutoRaise(true);
    stop_->setIcon(icon(QStringLiteral("stop"), theme().negative));
    stop_->setIconSize({14, 14});
    stop_->setFixedSize(22, 22);
    stop_->setAccessibleName(tr("Stop %1").arg(job.title));
    connect(stop_, &QToolButton::clicked, this, &JobChip::stopAsked);
    update(job);
}

void JobChip::update(const JobInfo& job) {
    QString text = displayText(job.title);
    if (job.state == JobState::Queued)
        text += tr(": waiting");
    else if (job.state == JobState::Stopping)
        text += tr(": stopping at the next checkpoint");
    else if (const QString progress = progressText(job.progress); !progress.isEmpty()) {
        text += QStringLiteral("  ");
        if (!job.progress.stage.empty()) text += stageText(job.progress.stage) + QLatin1Char(' ');
        text += progress;
    }
    text_->setText(text);
    bar_->setVisible(job.state == JobState::Running);
    bar_->setShare(job.progress.total > 0 ? static_cast<double>(job.progress.done) / job.progress.total : 0);
    stop_->setEnabled(job.state != JobState::Stopping);
    stop_->setToolTip(job.state == JobState::Stopping ? tr("Stopping") : tr("Stop; what was done is kept"));
}

}  // namespace candor::ui
