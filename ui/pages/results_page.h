// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>

#include "ui/models/result_series.h"
#include "ui/pages/page.h"

class QHBoxLayout;
class QComboBox;
class QSplitter;
class QStackedWidget;

namespace candor::ui {

class BudgetSweepPlot;
class ConfidenceHistogram;
class PlotPanel;
class PlotView;
class ReliabilityPlot;
class RiskCoveragePlot;
class RocPlot;
class RunDetail;
class RunList;

// Runs as outcomes: the list, four plots of those with a check mark, and the selected one in numbers.
class ResultsPage : public Page {
    Q_OBJECT
  public:
    ResultsPage(PageContext context, QWidget* parent);
    ~ResultsPage() override;

    QString title() const override { return tr("Results"); }
    QString trail() const override { return trail_; }
    void setSession(Session* session) override;
    std::vector<QAction*> toolActions() const override;
    QAction* primaryAction() const override { return export_; }
    bool back() override;
    void saveState() override;

    bool isFilled() const { return filled_; }
    const std::vector<PlotPanel*>& panels() const { return panels_; }

  private:
    void makePlots();
    void makeChoosers(QHBoxLayout& line);
    void makeActions();
    void refresh();  // after the project, the selection or the set changed
    void readSeriesIfChanged();
    void showSeries(ResultSeries series);
    void fillSweep();
    void fillSets();
    void fill(bool on);
    void exportFigure();
    void updateState();

    QPointer<Session> session_;
    std::shared_ptr<ScoredCache> cache_;
    SeriesRequest asked_;
    std::int64_t askedStamp_ = 0;
    std::size_t riskRows_ = 0;  // of the run that the threshold belongs to
    QString trail_;

    QStackedWidget* stack_;
    class EmptyState* empty_;
    RunList* list_;
    RunDetail* detail_;
    QSplitter *across_, *rows_, *top_, *bottom_;
    QWidget* bar_;
    QComboBox *set_, *truth_, *metric_;
    ReliabilityPlot* reliability_;
    BudgetSweepPlot* sweep_;
    RocPlot* roc_;
    RiskCoveragePlot* risk_;
    ConfidenceHistogram* histogram_;
    std::vector<PlotPanel*> panels_;
    PlotPanel* active_ = nullptr;
    bool filled_ = false;
    QAction *export_ = nullptr, *fill_ = nullptr, *table_ = nullptr, *filter_ = nullptr, *new_ = nullptr;
};

}  // namespace candor::ui
