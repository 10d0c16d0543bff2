// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <optional>

#include "core/experiment/spec.h"
#include "ui/jobs/job_queue.h"
#include "ui/models/project_data.h"
#include "ui/pages/page.h"

class QComboBox;
class QLabel;
class QPlainTextEdit;
class QPushButton;
class QSplitter;
class QTimer;

namespace candor::ui {

class LossPlot;
class RunsMatrix;
class SpecForm;

// An experiment as form, JSON and plan: its runs fill as they finish, beside the live curves of the one at work.
class ExperimentsPage : public Page {
    Q_OBJECT
  public:
    ExperimentsPage(PageContext context, QWidget* parent);

    QString title() const override { return tr("Experiments"); }
    QString trail() const override { return trail_; }
    void setSession(Session* session) override;
    std::vector<QAction*> toolActions() const override { return {json_, new_}; }
    void saveState() override;

    void start();
    void stop();
    void setSpec(const ExperimentSpec& spec);
    SpecForm* form() const { return form_; }
    QPlainTextEdit* jsonEdit() const { return text_; }
    RunsMatrix* matrix() const { return matrix_; }
    QString estimate() const;
    QString problem() const;
    QAction* startAction() const { return start_; }
    QAction* stopAction() const { return stop_; }

  private:
    QWidget* makeForm();
    QWidget* makeLive();
    QWidget* makeJson();
    void refresh();
    void fillExperiments();
    void showDraft();
    void takeForm();
    void takeJson();
    void writeJson();
    void plan();
    void updateState();
    void onEvent(int job, const Event& event);
    void onFinished(int job, JobState outcome, const QString& message);
    void readCurves();
    qint64 experimentOfSpec() const;
    std::optional<double> meanSeconds() const;  // a finished run's, in this experiment

    QPointer<Session> session_;
    ExperimentSpec spec_;
    bool specValid_ = false, loaded_ = false;
    QString problem_, trail_, live_;
    int job_ = 0;
    qint64 experiment_ = 0, focusRun_ = 0, runningRun_ = 0, shownCurves_ = 0;

    QSplitter *across_, *down_;
    QComboBox* chooser_;
    SpecForm* form_;
    QLabel *estimate_, *error_, *liveText_, *planTitle_;
    QPushButton *startButton_, *stopButton_;
    RunsMatrix* matrix_;
    LossPlot* loss_;
    QWidget* jsonPanel_;
    QPlainTextEdit* text_;
    QTimer* typing_;
    bool writing_ = false;
    QAction *start_ = nullptr, *stop_ = nullptr, *new_ = nullptr, *json_ = nullptr;
};

}  // namespace candor::ui
