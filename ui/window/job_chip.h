// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

#include "ui/jobs/job_queue.h"

class QLabel;
class QToolButton;

namespace candor::ui {

// One job in the status line: what it is, how far, rate and time left, and its Stop.
class JobChip : public QWidget {
    Q_OBJECT
  public:
    JobChip(const JobInfo& job, QWidget* parent);
    void update(const JobInfo& job);

  signals:
    void stopAsked();

  private:
    QLabel* text_;
    class Bar;
    Bar* bar_;
    QToolButton* stop_;
};

// "120/400, 35/s, 8 s left"; empty before the first progress.
QString progressText(const Event& progress);

}  // namespace candor::ui
