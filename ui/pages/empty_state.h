// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QWidget>

class QAction;
class QLabel;
class QPushButton;

namespace candor::ui {

// What a page shows where it has nothing to show: what belongs here, and the one action that fills it.
class EmptyState : public QWidget {
    Q_OBJECT
  public:
    EmptyState(const QString& icon, const QString& title, const QString& text, QAction* action = nullptr,
               QWidget* parent = nullptr);
    void setTexts(const QString& title, const QString& text);

  private:
    void paintIcon();
    QString icon_;
    QLabel* picture_;
    QLabel* title_;
    QLabel* text_;
};

// A label of plain text in one of the theme's looks; user text never becomes markup.
QLabel* makeLabel(const QString& text, const char* look, QWidget* parent = nullptr);
// A push button that runs an action, follows its enabled state and shows its key in the tooltip.
QPushButton* makeButton(QAction* action, const char* look, QWidget* parent = nullptr);

}  // namespace candor::ui
