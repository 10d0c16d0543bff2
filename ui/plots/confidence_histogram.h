// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/metrics/binning.h"
#include "ui/plots/plot_view.h"

namespace candor::ui {

// Counts of right answers (up) and wrong ones (down) by confidence of one run. A click selects a bar's questions.
class ConfidenceHistogram : public PlotView {
    Q_OBJECT
  public:
    explicit ConfidenceHistogram(QWidget* parent = nullptr);
    ~ConfidenceHistogram() override;
    void setSeries(PlotSeries series);  // throws InputError if arrays differ in length
    void setBins(const BinOptions& bins);

    FigureData data() const override;

  protected:
    QString undefinedReason() const override;
    QString notes() const override;
    void build(Canvas& canvas) const override;
    QVector<qint64> questionsOf(int series, int mark, QString* what) const override;

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace candor::ui
