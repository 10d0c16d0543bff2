// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/splitter.h"

#include <QPainter>

#include "ui/theme/theme.h"

namespace candor::ui {

namespace {

class Handle : public QSplitterHandle {
  public:
    Handle(Qt::Orientation orientation, QSplitter* parent) : QSplitterHandle(orientation, parent) {
        setAttribute(Qt::WA_Hover);
    }

  protected:
    void paintEvent(QPaintEvent*) override {
        QPainter painter(this);
        painter.fillRect(rect(), theme().window);
        if (!underMouse()) return;
        const int middle = (orientation() == Qt::Horizontal ? width() : height()) / 2;
        painter.fillRect(
            orientation() == Qt::Horizontal ? QRect(middle - 1, 0, 2, height()) : QRect(0, middle - 1, width(), 2),
            theme().accent);
    }
};

}  // namespace

Splitter::Splitter(Qt::Orientation orientation, QWidget* parent) : QSplitter(orientation, parent) {
    setChildrenCollapsible(false);
    setHandleWidth(space::s);
}

QSplitterHandle* Splitter::createHandle() { return new Handle(orientation(), this); }

}  // namespace candor::ui
