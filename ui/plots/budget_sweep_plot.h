// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>

#include "ui/plots/plot_view.h"

namespace candor::ui {

// One outcome. A method without a budget (training-free) has none and is drawn as a horizontal line.
struct SweepPoint {
    QString method;
    std::optional<qint64> budget;  // kAllLabels: all
    qint64 labels = 0;             // used in all; where "all" stands on the axis
    int seed = 0;
    double value = 0;
    qint64 run = 0;
    bool testSelected = false;  // selection used test labels: marked
};

struct SweepOptions {
    QString metric;                   // "AUROC", with its set and average: "AUROC, in-domain, weighted"
    bool perCent = false;             // values are shares and shown times 100
    bool connectAll = true;           // the line goes on to "all"
    std::optional<double> reference;  // a thin line, 0.5 for AUROC
    bool lowerIsBetter = false;       // only words
};

// A metric against the labels used, log axis. Mean line over seeds; the band is the 95 % t interval of the mean
// (two seeds: their range), at 18 % opacity.
class BudgetSweepPlot : public PlotView {
    Q_OBJECT
  public:
    explicit BudgetSweepPlot(QWidget* parent = nullptr);
    ~BudgetSweepPlot() override;
    void setPoints(std::vector<SweepPoint> points, const SweepOptions& options);
    FigureData data() const override;
    PgfPlot pgf() const override;

  signals:
    void pointActivated(const QString& method, qint64 budget);

  protected:
    QString undefinedReason() const override;
    QString notes() const override;
    void build(Canvas& canvas) const override;
    void activate(int series, int mark) override;

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace candor::ui
