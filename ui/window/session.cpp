// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/session.h"

#include <QUndoCommand>
#include <map>

#include "ui/models/format.h"

namespace candor::ui {

namespace {

constexpr int kPollMs = 250;

class VisibilityCommand : public QUndoCommand {
  public:
    VisibilityCommand(Session& session, std::set<qint64> after)
        : QUndoCommand(QObject::tr("Change what plots show")),
          session_(session),
          before_(session.visibleRuns()),
          after_(std::move(after)) {}
    void undo() override { session_.setVisible(before_); }
    void redo() override { session_.setVisible(after_); }

  private:
    Session& session_;
    std::set<qint64> before_, after_;
};

}  // namespace

Session::Session(std::shared_ptr<db::Project> project, const Services& services, JobQueue& jobs)
    : project_(std::move(project)), services_(services), jobs_(jobs), reader_(project_) {
    connect(&reader_, &Reader::failed, this, [this](const QString& text) {
        reading_ = false;
        emit message(text, true);
    });
    connect(&timer_, &QTimer::timeout, this, &Session::poll);
    timer_.start(kPollMs);
    poll();
}

void Session::poll() {
    if (reading_) return;
    const std::int64_t version = project_->dataVersion();
    if (version == version_) return;
    version_ = version;
    refresh();
}

void Session::refresh() {
    reading_ = true;
    reader_.request(
        this, "project",
        [](db::Connection& c) { return std::shared_ptr<const ProjectData>(new ProjectData(readProject(c))); },
        [this](std::shared_ptr<const ProjectData> data) {
            reading_ = false;
            data_ = std::move(data);
            chooseDefaults();
            emit dataChanged();
        });
}

// Until the user chooses, the plots show one run a method: that with most labels, first seed.
void Session::chooseDefaults() {
    std::map<std::string, const db::RunRow*> best;
    for (const db::RunRow& run : data_->runs) {
        if (run.status != RunStatus::Finished || run.method.find('+') != std::string::npos) continue;
        if (experiment_ != 0 && run.experiment != experiment_) continue;
        const db::RunRow*& kept = best[run.method];
        if (!kept || std::pair(run.labels, -run.seed) > std::pair(kept->labels, -kept->seed)) kept = &run;
    }
    if (!touched_) {
        std::set<qint64> shown;
        for (const char* method : {"elical", "cal-only", "eli-only", "consis-sem", "n-prob"})
            if (best.contains(method)) shown.insert(best[method]->id);
        if (shown.empty())
            for (const auto& [method, run] : best)
                if (shown.size() < 5) shown.insert(run->id);
        setVisible(shown);
    }
    if (!picked_ || !data_->run(selectedRun_)) {
        const qint64 run = best.contains("elical") ? best["elical"]->id : best.empty() ? 0 : best.begin()->second->id;
        if (run != selectedRun_) {
            selectedRun_ = run;
            emit selectionChanged();
        }
    }
}

void Session::selectRun(qint64 run) {
    picked_ = true;
    if (run == selectedRun_) return;
    selectedRun_ = run;
    emit selectionChanged();
}

void Session::askVisible(const std::vector<qint64>& runs, bool visible) {
    touched_ = true;
    std::set<qint64> after = visibleRuns_;
    for (const qint64 run : runs) {
        if (visible)
            after.insert(run);
        else
            after.erase(run);
    }
    if (after != visibleRuns_) undo_.push(new VisibilityCommand(*this, std::move(after)));
}

void Session::setVisible(std::set<qint64> runs) {
    if (runs == visibleRuns_) return;
    visibleRuns_ = std::move(runs);
    emit visibleChanged();
}

void Session::choose(const SetChoice& set) {
    if (set == set_) return;
    set_ = set;
    emit setChanged();
}

void Session::chooseExperiment(qint64 experiment) {
    if (experiment == experiment_) return;
    experiment_ = experiment;
    touched_ = picked_ = false;
    if (data_) chooseDefaults();
    emit experimentChanged();
}

void Session::showQuestions(const QVector<qint64>& questions, const QString& what) {
    emit questionsPicked(questions, what);
}

void Session::showRun(qint64 run) {
    selectRun(run);
    emit runPicked(run);
}

}  // namespace candor::ui
