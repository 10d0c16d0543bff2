// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFrame>

class QPushButton;
class QLabel;

namespace candor::ui {

// Asks in place, above the status line, whether to close although work would be lost.
class CloseBar : public QFrame {
    Q_OBJECT
  public:
    explicit CloseBar(QWidget* parent = nullptr);
    void ask(const QString& what);

  signals:
    void confirmed();

  private:
    QLabel* text_;
    QPushButton* stay_;
};

}  // namespace candor::ui
