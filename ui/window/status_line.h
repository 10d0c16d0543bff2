// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFrame>
#include <QString>
#include <map>

class QHBoxLayout;
class QLabel;
class QToolButton;

namespace candor::ui {

class JobQueue;
class JobChip;

// The bottom line: one message (equal ones counted), the jobs with progress and Stop, device and threads.
class StatusLine : public QFrame {
    Q_OBJECT
  public:
    StatusLine(JobQueue& jobs, const QString& machine, QWidget* parent = nullptr);
    void say(const QString& text, bool problem, int count = 1);
    void clearMessage();
    QString message() const { return text_; }
    int messageCount() const { return count_; }

  protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

  private:
    void addJob(int id);
    void show_();
    JobQueue& jobs_;
    QLabel* message_;
    QToolButton* dismiss_;
    QHBoxLayout* chips_;
    std::map<int, JobChip*> byJob_;
    QString text_;
    int count_ = 0;
    bool problem_ = false;
};

}  // namespace candor::ui
