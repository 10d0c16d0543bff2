// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QColor>
#include <QPainter>
#include <QRectF>
#include <QStyle>

namespace candor::ui {

// The few shapes that all controls are made of.
class Restore {
  public:
    explicit Restore(QPainter* painter) : painter_(painter) {
        painter_->save();
        painter_->setRenderHint(QPainter::Antialiasing);
    }
    ~Restore() { painter_->restore(); }
    Restore(const Restore&) = delete;
    Restore& operator=(const Restore&) = delete;

  private:
    QPainter* painter_;
};

void roundedBox(QPainter* painter, const QRectF& rect, double radius, const QColor& fill, const QColor& border);
// Two pixels of accent; `gap` draws a thin line of that colour inside, for rings on accent fills.
void focusRing(QPainter* painter, const QRectF& rect, double radius, const QColor& gap = {});
void fieldBox(QPainter* painter, const QRectF& rect, QStyle::State state);
void checkMark(QPainter* painter, const QRectF& rect, QStyle::State state);
void radioMark(QPainter* painter, const QRectF& rect, QStyle::State state);
// Degrees clockwise: 0 points right, 90 down.
void chevron(QPainter* painter, const QRectF& rect, double degrees, const QColor& color);

}  // namespace candor::ui
