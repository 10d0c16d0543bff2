// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFrame>
#include <QPointer>
#include <vector>

class QAction;
class QHBoxLayout;
class QLabel;

namespace candor::ui {

// The line on top: where one is, the page's own actions, Go to... and one primary action at most.
class ToolLine : public QFrame {
    Q_OBJECT
  public:
    ToolLine(QAction* goTo, QWidget* parent = nullptr);
    void setTitle(const QString& title);
    void setTrail(const QString& trail);
    void setActions(const std::vector<QAction*>& actions, QAction* primary);

  protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

  private:
    void elide();
    QLabel* title_;
    QLabel* trail_;
    QString trailText_;
    QHBoxLayout* buttons_;
    QHBoxLayout* last_;
};

}  // namespace candor::ui
