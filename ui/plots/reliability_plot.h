// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/metrics/binning.h"
#include "ui/plots/plot_view.h"

namespace candor::ui {

enum class BinInterval : int { None = 0, Wilson = 1, Consistency = 2 };

struct ReliabilityOptions {
    BinOptions bins;
    // Where over half the questions of a run fall into one equal-width bin, equal mass is used instead and said.
    bool adaptRule = true;
    BinInterval interval = BinInterval::Consistency;
    double level = 0.95;
    bool counts = true;  // the strip of counts below
};

// Accuracy against confidence, bins as spec/metrics.md B.4 and B.5, so that the diagram shows what ECE counts.
// Consistency bands: quantiles of a bin's accuracy if its confidences were true (exact, see consistency.h).
// A click on a mark or its bar of counts selects the questions of that bin.
class ReliabilityPlot : public PlotView {
    Q_OBJECT
  public:
    explicit ReliabilityPlot(QWidget* parent = nullptr);
    ~ReliabilityPlot() override;
    // Throws InputError if arrays differ in length. Rows whose confidence is no probability make the run undefined.
    void setSeries(std::vector<PlotSeries> series);
    void setOptions(const ReliabilityOptions& options);
    const ReliabilityOptions& options() const;

    FigureData data() const override;
    PgfPlot pgf() const override;
    double paperAspect() const override;

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
