// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>

#include "ui/plots/plot_view.h"

namespace candor::ui {

// Share of wrong answers among the k most confident, for every k; equal confidences count by expectation (metrics.md
// B.9). The threshold line belongs to the first run: answers whose confidence is at least the threshold are given.
class RiskCoveragePlot : public PlotView {
    Q_OBJECT
  public:
    explicit RiskCoveragePlot(QWidget* parent = nullptr);
    ~RiskCoveragePlot() override;
    void setSeries(std::vector<PlotSeries> series);  // throws InputError if arrays differ in length
    std::optional<double> threshold() const;
    void setThreshold(std::optional<double> confidence);  // no signal

    FigureData data() const override;
    PgfPlot pgf() const override;

  signals:
    // While it is dragged. Coverage and accuracy of the first run at that threshold (accuracy NaN where none is given).
    void thresholdMoved(double threshold, double coverage, double accuracy);

  protected:
    QString undefinedReason() const override;
    QString notes() const override;
    void build(Canvas& canvas) const override;
    bool press(const QPointF& position) override;
    void drag(const QPointF& position) override;
    Qt::CursorShape cursorAt(const QPointF& position) const override;
    void keyPressEvent(QKeyEvent* event) override;

  private:
    void moveTo(double threshold);  // emits

    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace candor::ui
