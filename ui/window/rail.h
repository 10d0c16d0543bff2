// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFrame>
#include <vector>

class QVBoxLayout;
class QAction;
class QLabel;
class QToolButton;

namespace candor::ui {

// The left rail: menu, the window's places, the project's name. Collapses to icons.
class Rail : public QFrame {
    Q_OBJECT
  public:
    explicit Rail(QWidget* parent = nullptr);
    QToolButton* menuButton() const { return menu_; }
    void addPlace(QAction* action, const QString& icon);
    void setCurrent(int place);
    void setPlacesEnabled(bool enabled);
    void setProject(const QString& name, const QString& tip);
    void setCollapsed(bool collapsed);
    bool isCollapsed() const { return collapsed_; }

  signals:
    void collapseAsked();

  protected:
    void paintEvent(QPaintEvent* event) override;

  private:
    void restyle();
    QToolButton* menu_;
    QToolButton* fold_;
    QLabel* brand_;
    QLabel* project_;
    QVBoxLayout* places_;
    std::vector<std::pair<QString, QToolButton*>> buttons_;
    QString projectName_;
    bool collapsed_ = false;
};

}  // namespace candor::ui
