// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QPaintDevice>
#include <QSize>
#include <QString>
#include <memory>

namespace candor::ui {

// Paints into SVG that stands alone: text becomes outlines, every property is an attribute (no CSS, no fonts, no
// images). One unit is one point.
class SvgDevice : public QPaintDevice {
  public:
    SvgDevice(const QSize& points, const QString& title, const QString& description);
    ~SvgDevice() override;

    QByteArray take();  // after the painter has ended
    QPaintEngine* paintEngine() const override;

  protected:
    int metric(PaintDeviceMetric metric) const override;

  private:
    class Engine;
    QSize size_;
    QString title_, description_;
    std::unique_ptr<Engine> engine_;
};

}  // namespace candor::ui
