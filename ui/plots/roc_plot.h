// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/plots/plot_view.h"

namespace candor::ui {

// One curve a run with its AUROC in the direct label; the diagonal is chance. Runs with one class are named, not drawn.
class RocPlot : public PlotView {
    Q_OBJECT
  public:
    explicit RocPlot(QWidget* parent = nullptr);
    ~RocPlot() override;
    void setSeries(std::vector<PlotSeries> series);  // throws InputError if arrays differ in length

    FigureData data() const override;
    PgfPlot pgf() const override;
    double paperAspect() const override { return 1; }

  protected:
    QString undefinedReason() const override;
    QString notes() const override;
    void build(Canvas& canvas) const override;

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace candor::ui
