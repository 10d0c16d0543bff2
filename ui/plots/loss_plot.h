// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/plots/plot_view.h"

namespace candor::ui {

// Live training curves. Steps may come in any number of runs; NaN and infinite losses are drawn as marks at the last
// finite value, counted in the note. Axes move only when values leave them.
class LossPlot : public PlotView {
    Q_OBJECT
  public:
    enum class Curve : int { Train = 0, Holdout = 1 };

    explicit LossPlot(QWidget* parent = nullptr);
    ~LossPlot() override;
    void clear();
    void setRun(qint64 run, const QString& label, const QString& method);  // how a run looks; before its values
    void add(qint64 run, Curve curve, qint64 step, double loss);           // cheap: drawn at the next frame
    void set(qint64 run, Curve curve, std::vector<double> steps, std::vector<double> losses);
    void setSmoothing(double weight);  // 0 draws one line; of all values, before any thinning
    void setLogScale(bool on);
    void setValueName(const QString& name);  // axis: "Loss (MSE)"

    FigureData data() const override;
    PgfPlot pgf() const override;

  protected:
    QString undefinedReason() const override;
    QString notes() const override;
    void build(Canvas& canvas) const override;

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace candor::ui
