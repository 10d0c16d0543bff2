// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/status_line.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QToolButton>

#include "ui/models/format.h"
#include "ui/pages/empty_state.h"
#include "ui/theme/theme.h"
#include "ui/window/icons.h"
#include "ui/window/job_chip.h"

namespace candor::ui {

StatusLine::StatusLine(JobQueue& jobs, const QString& machine, QWidget* parent)
    : QFrame(parent),
      jobs_(jobs),
      message_(makeLabel({}, "secondary", this)),
      dismiss_(new QToolButton(this)),
      chips_(new QHBoxLayout) {
    setFixedHeight(space::row);
    auto* line = new QHBoxLayout(this);
    line->setContentsMargins(space::m, 0, space::m, 0);
    line->setSpacing(space::s);
    message_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    message_->setAccessibleName(tr("Messages"));
    line->addWidget(message_, 1);
    line->addWidget(dismiss_);
    chips_->setSpacing(space::l);
    line->addLayout(chips_);
    line->addSpacing(space::m);
    QLabel* device = makeLabel(machine, "secondary", this);
    device->setAccessibleName(tr("Device and threads"));
    line->addWidget(device);
    dismiss_->setAutoRaise(true);
    dismiss_->setIconSize({12, 12});
    dismiss_->setFixedSize(20, 20);
    dismiss_->setAccessibleName(tr("Dismiss the message"));
    connect(dismiss_, &QToolButton::clicked, this, &StatusLine::clearMessage);
    connect(themeNotifier(), &ThemeNotifier::changed, this, &StatusLine::show_);
    connect(&jobs, &JobQueue::jobQueued, this, &StatusLine::addJob);
    const auto refresh = [this](int id) {
        const auto chip = byJob_.find(id);
        if (const JobInfo* job = jobs_.find(id); job && chip != byJob_.end()) chip->second->update(*job);
    };
    connect(&jobs, &JobQueue::jobStarted, this, refresh);
    connect(&jobs, &JobQueue::jobStopping, this, refresh);
    connect(&jobs, &JobQueue::jobEvent, this, [this, refresh](int id, const Event& event, int count) {
        refresh(id);
        if (event.kind == EventKind::Message || event.kind == EventKind::Failed)
            say(toQt(event.text), event.kind == EventKind::Failed, count);
    });
    connect(&jobs, &JobQueue::jobFinished, this, [this](int id, JobState outcome, const QString& text) {
        if (const auto chip = byJob_.find(id); chip != byJob_.end()) {
            chip->second->deleteLater();
            byJob_.erase(chip);
        }
        const JobInfo* job = jobs_.find(id);
        const QString title = job ? job->title : QString();
        if (outcome == JobState::Failed) say(tr("%1: %2").arg(title, text), true);
        if (outcome == JobState::Stopped) say(tr("%1: stopped, what was done is kept").arg(title), false);
        if (outcome == JobState::Ok) say(tr("%1: done").arg(title), false);
    });
    show_();
}

void StatusLine::addJob(int id) {
    const JobInfo* job = jobs_.find(id);
    if (!job) return;
    auto* chip = new JobChip(*job, this);
    byJob_[id] = chip;
    chips_->addWidget(chip);
    connect(chip, &JobChip::stopAsked, this, [this, id] { jobs_.stop(id); });
}

void StatusLine::say(const QString& text, bool problem, int count) {
    if (text == text_ && problem == problem_) {
        count_ += count;
    } else {
        text_ = text;
        problem_ = problem;
        count_ = count;
    }
    show_();
}

void StatusLine::clearMessage() {
    text_.clear();
    count_ = 0;
    show_();
}

void StatusLine::show_() {
    QString shown = displayText(text_);
    if (count_ > 1) shown += QStringLiteral("  \u00d7") + formatCount(count_);
    message_->setText(
        QFontMetrics(message_->font()).elidedText(shown, Qt::ElideRight, std::max(40, message_->width())));
    message_->setToolTip(text_.left(2000).toHtmlEscaped());
    setLook(message_, problem_ && !text_.isEmpty() ? "negative" : "secondary");
    dismiss_->setIcon(icon(QStringLiteral("close")));
    dismiss_->setVisible(!text_.isEmpty());
}

void StatusLine::resizeEvent(QResizeEvent* event) {
    QFrame::resizeEvent(event);
    show_();
}

void StatusLine::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.fillRect(rect(), theme().window);
    painter.fillRect(QRect(0, 0, width(), 1), theme().line);
}

}  // namespace candor::ui
