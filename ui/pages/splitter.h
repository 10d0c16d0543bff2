// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QSplitter>

namespace candor::ui {

// Panels side by side with a gap between them: the handle is empty until it is hovered. Remembered by its owner.
class Splitter : public QSplitter {
    Q_OBJECT
  public:
    explicit Splitter(Qt::Orientation orientation, QWidget* parent = nullptr);

  protected:
    QSplitterHandle* createHandle() override;
};

}  // namespace candor::ui
