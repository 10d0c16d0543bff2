// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>
#include <map>
#include <vector>

#include "core/experiment/store.h"
#include "ui/models/project_data.h"

namespace candor::ui {

// One planned run and what became of it.
struct MatrixRun {
    std::string method;
    std::int64_t budget = kAllLabels, labels = 0;
    int seed = 0;
    qint64 run = 0;  // 0: not in the project yet
    RunStatus status = RunStatus::Planned;
    double share = 0;  // of a running one, 0 to 1
    MetricValue auroc;
    QString message;
};
// The plan joined with the runs of its experiment; runs that the plan does not name (other settings) follow it.
std::vector<MatrixRun> joinPlan(const std::vector<PlannedRun>& plan, const ProjectData* data, qint64 experiment,
                                const SetChoice& choice);

// The plan as a table: method down, budget across, a square a seed that fills as the run goes, and the mean AUROC.
class RunsMatrix : public QWidget {
    Q_OBJECT
  public:
    explicit RunsMatrix(QWidget* parent = nullptr);
    void setRuns(std::vector<MatrixRun> runs);
    void setShare(qint64 run, double share);
    void setCurrent(qint64 run);
    const std::vector<MatrixRun>& runs() const { return runs_; }
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return sizeHint(); }

  signals:
    void runSelected(qint64 run);
    void runActivated(qint64 run);  // double click or Enter

  protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
    bool event(QEvent* event) override;

  private:
    struct Place {
        int row = 0, column = 0, index = 0;
    };
    QRect square(const Place& place) const;
    int columnWidth() const;
    int perLine() const;  // squares
    int rowHeight() const;
    int runAt(const QPoint& at) const;  // -1: none
    void paintSquare(QPainter& painter, const QRect& rect, const MatrixRun& run) const;

    std::vector<MatrixRun> runs_;
    std::vector<Place> places_;
    std::vector<std::string> methods_;
    std::vector<std::pair<std::int64_t, std::int64_t>> budgets_;  // budget (0: none), labels
    int most_ = 1;                                                // seeds in one cell
    qint64 current_ = 0;
    bool ring_ = false;  // focus came by keyboard
};

}  // namespace candor::ui
