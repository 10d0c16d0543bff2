// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include "ui/plots/plot_view.h"

namespace candor::ui {

// Small multiples: several plots of one kind side by side, each under "(a) name", with one legend above all.
// The panels' numbers stand in data() with a column "panel".
class Panels : public PlotView {
    Q_OBJECT
  public:
    struct Panel {
        QString name;
        std::unique_ptr<PlotView> plot;
    };

    explicit Panels(QWidget* parent = nullptr);
    ~Panels() override;
    // `methods` are what the legend explains, in order. A panel with nothing to draw says why in its place.
    void setPanels(std::vector<Panel> panels, const QStringList& methods);
    FigureData data() const override;
    double paperAspect() const override;
    bool wantsWholeWidth() const override { return true; }

  protected:
    QString undefinedReason() const override;
    QString notes() const override;
    void build(Canvas& canvas) const override;

  private:
    int columns() const;
    double drawLegend(QCPPainter& painter, const PlotStyle& style, double width) const;  // its height
    std::vector<Panel> panels_;
    QStringList methods_;
};

}  // namespace candor::ui
