// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include "ui/plots/plot_view.h"

namespace candor::ui {

// One question: the share of its sampled answers that are right, and the share that agree with the greedy answer.
struct ConsistencyRow {
    qint64 question = 0;
    double accuracy = 0, consistency = 0;  // in [0, 1]
};

// Does agreement know about correctness? Questions from the least to the most accurate in about 20 groups of equal
// size (equal accuracies stay together), mean accuracy and mean consistency of each with the latter's 95 % t interval,
// and Spearman's rank correlation over all questions (the paper's figure 2, elical.md 8).
class ConsistencyPlot : public PlotView {
    Q_OBJECT
  public:
    explicit ConsistencyPlot(QWidget* parent = nullptr);
    ~ConsistencyPlot() override;
    void setRows(std::vector<ConsistencyRow> rows);
    FigureData data() const override;
    PgfPlot pgf() const override;

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
