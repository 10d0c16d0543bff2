// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

class QAction;
class QVBoxLayout;

namespace candor::ui {

// What stands in the window while no project is open: the example, a project, a new one, those opened before.
class FirstPage : public QWidget {
    Q_OBJECT
  public:
    FirstPage(QAction* example, QAction* open, QAction* create, QWidget* parent = nullptr);
    void setRecent(const QStringList& paths);

  signals:
    void recentAsked(const QString& path);

  private:
    QWidget* list_;
    QVBoxLayout* recent_;
    QWidget* heading_;
};

}  // namespace candor::ui
