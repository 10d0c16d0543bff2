// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QTimer>
#include <QUndoStack>
#include <memory>
#include <set>

#include "ui/jobs/job_queue.h"
#include "ui/jobs/reader.h"
#include "ui/models/project_data.h"
#include "ui/window/services.h"

namespace candor::ui {

// The open project and what all pages share: its data as last read, and the selection, so that what is selected is
// selected everywhere. Polls the project for commits of this and other processes. GUI thread.
class Session : public QObject {
    Q_OBJECT
  public:
    Session(std::shared_ptr<db::Project> project, const Services& services, JobQueue& jobs);

    const std::shared_ptr<db::Project>& project() const { return project_; }
    const Services& services() const { return services_; }
    JobQueue& jobs() const { return jobs_; }
    Reader& reader() { return reader_; }
    QUndoStack& undo() { return undo_; }
    std::shared_ptr<const ProjectData> data() const { return data_; }  // null until read the first time

    qint64 selectedRun() const { return selectedRun_; }
    const std::set<qint64>& visibleRuns() const { return visibleRuns_; }
    const SetChoice& setChoice() const { return set_; }
    qint64 experiment() const { return experiment_; }  // 0: all

    void selectRun(qint64 run);
    void askVisible(const std::vector<qint64>& runs, bool visible);  // undoable
    void setVisible(std::set<qint64> runs);
    void choose(const SetChoice& set);
    void chooseExperiment(qint64 experiment);
    void showQuestions(const QVector<qint64>& questions, const QString& what);  // opens the Questions page
    void showRun(qint64 run);                                                   // opens Results
    void askExperiment() { emit experimentAsked(); }                            // a new one
    void askImport() { emit importAsked(); }
    void refresh();

  signals:
    void dataChanged();
    void selectionChanged();
    void visibleChanged();
    void setChanged();
    void experimentChanged();
    void questionsPicked(const QVector<qint64>& questions, const QString& what);
    void runPicked(qint64 run);
    void experimentAsked();
    void importAsked();
    void message(const QString& text, bool problem);

  private:
    void poll();
    void chooseDefaults();

    std::shared_ptr<db::Project> project_;
    Services services_;
    JobQueue& jobs_;
    QUndoStack undo_;
    QTimer timer_;
    std::int64_t version_ = -1;
    bool reading_ = false, touched_ = false, picked_ = false;
    std::shared_ptr<const ProjectData> data_;
    qint64 selectedRun_ = 0, experiment_ = 0;
    std::set<qint64> visibleRuns_;
    SetChoice set_;
    Reader reader_;  // last: its thread ends first
};

}  // namespace candor::ui
