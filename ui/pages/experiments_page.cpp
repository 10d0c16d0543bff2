// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/experiments_page.h"

#include <QAction>
#include <QComboBox>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QTimer>
#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/experiment/runner.h"
#include "ui/models/format.h"
#include "ui/pages/runs_matrix.h"
#include "ui/pages/spec_form.h"
#include "ui/plots/loss_plot.h"
#include "ui/theme/method_style.h"
#include "ui/window/job_chip.h"
#include "ui/window/session.h"
#include "ui/window/settings.h"

namespace candor::ui {

namespace {

constexpr int kTypingMs = 300;

std::vector<std::string> setNames(const ProjectData& data, Role role, std::optional<Domain> domain) {
    std::vector<std::string> names;
    for (const db::DatasetRow& row : data.datasets)
        if (row.role == role && (!domain || row.domain == *domain) &&
            std::find(names.begin(), names.end(), row.dataset) == names.end())
            names.push_back(row.dataset);
    return names;
}

// The example's experiment where its sets are there, else a small one over what is there.
ExperimentSpec firstSpec(const ProjectData& data, const Services& services) {
    const std::vector<std::string> train = setNames(data, Role::Train, {});
    if (services.exampleSpec) {
        const ExperimentSpec example = services.exampleSpec();
        const bool fits =
            !example.train.empty() &&
            std::all_of(example.train.begin(), example.train.end(), [&](const std::string& name) {
                return std::find(train.begin(), train.end(), name.substr(0, name.find('/'))) != train.end();
            });
        if (fits) return example;
    }
    nlohmann::json json = {
        {"preset", "small"},
        {"name", "experiment-" + std::to_string(data.experiments.size() + 1)},
        {"model", data.models.empty() ? "model" : data.models.front().name},
        {"train", train},
        {"eval", {{"in", setNames(data, Role::Eval, Domain::In)}, {"out", setNames(data, Role::Eval, Domain::Out)}}}};
    try {
        return parseSpec(json.dump());
    } catch (const Error&) {  // no sets yet: the form says what is missing
        ExperimentSpec spec;
        spec.name = json["name"];
        spec.model = json["model"];
        spec.train = train;
        return spec;
    }
}

double stageShare(const Event& event) {
    const double part = event.total > 0 ? static_cast<double>(event.done) / static_cast<double>(event.total) : 0;
    if (event.stage == "stage1") return 0.4 * part;
    if (event.stage == "stage2") return 0.4 + 0.5 * part;
    if (event.stage == "evaluate") return 0.9 + 0.1 * part;
    return 0.02;
}

}  // namespace

void ExperimentsPage::setSession(Session* session) {
    session_ = session;
    loaded_ = false;
    job_ = 0;
    experiment_ = focusRun_ = runningRun_ = shownCurves_ = 0;
    live_.clear();
    matrix_->setRuns({});
    loss_->clear();
    if (session) {
        connect(session, &Session::dataChanged, this, &ExperimentsPage::refresh);
        connect(session, &Session::experimentAsked, this, &ExperimentsPage::showDraft);
        connect(&session->jobs(), &JobQueue::jobEvent, this, &ExperimentsPage::onEvent, Qt::UniqueConnection);
        connect(&session->jobs(), &JobQueue::jobFinished, this, &ExperimentsPage::onFinished, Qt::UniqueConnection);
        connect(&session->jobs(), &JobQueue::jobStarted, this, &ExperimentsPage::updateState, Qt::UniqueConnection);
        connect(&session->jobs(), &JobQueue::jobStopping, this, &ExperimentsPage::updateState, Qt::UniqueConnection);
    }
    updateState();
}

void ExperimentsPage::refresh() {
    if (!session_ || !session_->data()) return;
    const auto data = session_->data();
    form_->setData(*data);
    fillExperiments();
    if (!loaded_) {
        loaded_ = true;
        if (data->experiments.empty()) {
            showDraft();
        } else {
            const db::ExperimentRow& newest = data->experiments.back();
            chooser_->setCurrentIndex(chooser_->findData(QVariant::fromValue<qint64>(newest.id)));
            try {
                setSpec(parseSpec(newest.spec));
            } catch (const Error&) {  // imported runs: nothing that could be run again
                showDraft();
            }
        }
    }
    runningRun_ = 0;
    for (const db::RunRow& run : data->runs)
        if (run.status == RunStatus::Running) runningRun_ = run.id;
    plan();
    readCurves();
}

void ExperimentsPage::fillExperiments() {
    const auto data = session_->data();
    const bool same = chooser_->count() == static_cast<int>(data->experiments.size()) + 1;
    const QVariant kept = chooser_->currentData();
    if (!same) {
        chooser_->clear();
        chooser_->addItem(tr("New experiment"), QVariant::fromValue<qint64>(0));
    }
    int at = 1;
    for (auto e = data->experiments.rbegin(); e != data->experiments.rend(); ++e, ++at) {
        if (!same) chooser_->addItem({}, QVariant::fromValue<qint64>(e->id));
        chooser_->setItemText(
            at, tr("%1  (%2 of %3)").arg(displayText(e->name), formatCount(e->finished), formatCount(e->runs)));
    }
    chooser_->setCurrentIndex(std::max(0, chooser_->findData(kept)));
}

void ExperimentsPage::showDraft() {
    if (!session_ || !session_->data()) return;
    ExperimentSpec draft = firstSpec(*session_->data(), session_->services());
    const std::string name = draft.name;
    const auto& known = session_->data()->experiments;
    for (int n = 2; std::any_of(known.begin(), known.end(), [&](const auto& e) { return e.name == draft.name; }); ++n)
        draft.name = name + " " + std::to_string(n);
    chooser_->setCurrentIndex(0);
    setSpec(draft);
}

void ExperimentsPage::setSpec(const ExperimentSpec& spec) {
    spec_ = spec;
    form_->setSpec(spec);
    writeJson();
    plan();
}

void ExperimentsPage::takeForm() {
    spec_ = form_->spec();
    writeJson();
    plan();
}

void ExperimentsPage::writeJson() {
    writing_ = true;
    const QString json = toQt(nlohmann::json::parse(specToJson(spec_)).dump(2));
    if (text_->toPlainText() != json) text_->setPlainText(json);
    writing_ = false;
}

void ExperimentsPage::takeJson() {
    try {
        spec_ = parseSpec(text_->toPlainText().toStdString());
        form_->setSpec(spec_);
        plan();
    } catch (const std::exception& error) {
        problem_ = toQt(error.what());
        specValid_ = false;
        updateState();
    }
}

// Which stored experiment this spec is, so that Start continues it.
qint64 ExperimentsPage::experimentOfSpec() const {
    const auto data = session_ ? session_->data() : nullptr;
    if (!data) return 0;
    for (auto e = data->experiments.rbegin(); e != data->experiments.rend(); ++e) try {
            if (parseSpec(e->spec) == spec_) return e->id;
        } catch (const Error&) {
            continue;
        }
    return 0;
}

void ExperimentsPage::plan() {
    problem_ = form_->problem();
    specValid_ = false;
    std::vector<PlannedRun> planned;
    const auto data = session_ ? session_->data() : nullptr;
    if (data && problem_.isEmpty()) try {
            spec_ = parseSpec(specToJson(spec_));  // says what a form cannot: missing names, unknown methods
            std::int64_t pool = 0;
            for (const db::DatasetRow& row : data->datasets)
                for (const std::string& name : spec_.train)
                    if (name == row.dataset + "/" + row.split || (name == row.dataset && row.role == Role::Train))
                        pool += row.rows;
            planned = planRuns(spec_, pool);
            specValid_ = true;
        } catch (const std::exception& error) {
            problem_ = toQt(error.what());
        }
    experiment_ = experimentOfSpec();
    chooser_->setCurrentIndex(std::max(0, chooser_->findData(QVariant::fromValue<qint64>(experiment_))));
    matrix_->setRuns(joinPlan(planned, data.get(), experiment_, session_ ? session_->setChoice() : SetChoice{}));
    updateState();
}

std::optional<double> ExperimentsPage::meanSeconds() const {
    double sum = 0;
    int count = 0;
    for (const db::RunRow& run : session_->data()->runs) {
        if (run.experiment != experiment_ || run.status != RunStatus::Finished || run.finishedMs <= run.startedMs ||
            run.startedMs <= 0)
            continue;
        sum += static_cast<double>(run.finishedMs - run.startedMs) / 1000;
        ++count;
    }
    return count > 0 ? std::optional(sum / count) : std::nullopt;
}

QString ExperimentsPage::estimate() const { return estimate_->text(); }
QString ExperimentsPage::problem() const { return problem_; }

// The one place that says which button may be pressed: every state of the job passes through here.
void ExperimentsPage::updateState() {
    const auto data = session_ ? session_->data() : nullptr;
    const JobInfo* job = session_ && job_ != 0 ? session_->jobs().find(job_) : nullptr;
    const bool active = job && job->active(), stopping = job && job->state == JobState::Stopping;
    const bool available = session_ && session_->services().runExperiment;
    int total = 0, left = 0, begun = 0;
    std::int64_t labels = 0;
    for (const MatrixRun& run : matrix_->runs()) {
        ++total;
        labels = std::max(labels, run.labels);
        if (run.status != RunStatus::Finished) ++left;
        if (run.run != 0) ++begun;
    }
    start_->setEnabled(available && specValid_ && left > 0 && !active);
    start_->setText(begun > 0 && left > 0 ? tr("Resume") : tr("Start"));
    stop_->setEnabled(active && !stopping);
    new_->setEnabled(session_ != nullptr);
    startButton_->setVisible(!active);
    stopButton_->setVisible(active);
    stopButton_->setText(stopping ? tr("Stopping") : tr("Stop"));

    QString text;
    if (data && specValid_) {
        text = left < total ? tr("%1 of %2 runs to do").arg(formatCount(left), formatCount(total))
                            : tr("%1 runs").arg(formatCount(total));
        text += tr(", up to %1 labels").arg(formatCount(labels));
        if (const auto seconds = meanSeconds(); seconds && left > 0)
            text += tr(", about %1").arg(formatDuration(*seconds * left));
        if (total > 0 && left == 0) text = tr("All %1 runs are finished").arg(formatCount(total));
    }
    estimate_->setText(text);
    error_->setText(problem_);
    error_->setVisible(!problem_.isEmpty());
    if (job && job->state == JobState::Queued) live_ = tr("Waiting for the job before it");
    liveText_->setText(live_.isEmpty() ? tr("Loss of the chosen run; the one at work is shown while it trains.")
                                       : live_);
    planTitle_->setText(tr("Plan"));
    trail_ = data
                 ? displayText(spec_.name) +
                       (total > 0 ? tr("  \u00b7  %1 of %2 finished").arg(formatCount(total - left), formatCount(total))
                                  : QString())
                 : QString();
    emit trailChanged(trail_);
}

void ExperimentsPage::start() {
    if (!start_->isEnabled()) return;
    start_->setEnabled(false);
    const auto project = session_->project();
    const auto run = session_->services().runExperiment;
    live_ = tr("Starting");
    job_ = session_->jobs().start(tr("Experiment %1").arg(displayText(spec_.name)),
                                  [run, project, spec = spec_](const EventSink& events, std::stop_token stop) {
                                      run(spec, *project, events, stop);
                                  });
    updateState();
}

void ExperimentsPage::stop() {
    if (job_ != 0 && session_) session_->jobs().stop(job_);
    updateState();
}

void ExperimentsPage::onEvent(int job, const Event& event) {
    if (job != job_ || !session_) return;
    if (event.run != 0 && (event.kind == EventKind::Started || event.kind == EventKind::Progress))
        runningRun_ = event.run;
    if (event.kind != EventKind::Progress) return;
    if (event.run != 0) matrix_->setShare(event.run, stageShare(event));
    QString text;
    if (const db::RunRow* run = session_->data() ? session_->data()->run(event.run) : nullptr) {
        text = methodStyle(toQt(run->method)).name;
        if (usesLabels(*run)) text += tr(", %1 labels").arg(budgetText(run->budget, run->labels));
        text += tr(", seed %1  \u00b7  ").arg(run->seed);
    }
    text += stageText(event.stage);
    if (event.epoch > 0) text += tr(", epoch %1").arg(event.epoch);
    live_ = text + QStringLiteral("  \u00b7  ") + progressText(event);
    liveText_->setText(live_);
}

void ExperimentsPage::onFinished(int job, JobState outcome, const QString& message) {
    if (job != job_ || !session_) return;
    live_ = outcome == JobState::Failed    ? message
            : outcome == JobState::Stopped ? tr("Stopped at a checkpoint. Resume goes on from there.")
                                           : QString();
    runningRun_ = 0;
    updateState();
    session_->refresh();
}

void ExperimentsPage::readCurves() {
    const qint64 run = runningRun_ != 0 ? runningRun_ : focusRun_ != 0 ? focusRun_ : session_->selectedRun();
    if (run == 0) return;
    struct Curves {
        std::vector<StepRecord> steps;
        std::vector<EpochRecord> epochs;
    };
    session_->reader().request(
        this, "curves",
        [run](db::Connection& c) {
            return Curves{db::steps(c, run), db::epochs(c, run)};
        },
        [this, run](Curves curves) {
            const db::RunRow* row = session_ && session_->data() ? session_->data()->run(run) : nullptr;
            if (!row) return;
            if (shownCurves_ != run) loss_->clear();
            shownCurves_ = run;
            const QString name = methodStyle(toQt(row->method)).name;
            // Each stage counts its own steps and is a curve of its own; stage 1 is what Eli-Only is.
            for (const bool second : {false, true}) {
                const std::string stage = second ? "stage2" : "stage1";
                std::vector<double> steps, losses, ends, held;
                for (const StepRecord& step : curves.steps)
                    if (step.stage == stage) {
                        steps.push_back(static_cast<double>(step.step));
                        losses.push_back(step.loss);
                    }
                for (const EpochRecord& epoch : curves.epochs)
                    if (epoch.stage == stage) {
                        ends.push_back(static_cast<double>(epoch.step));
                        held.push_back(epoch.holdoutLoss);
                    }
                if (steps.empty() && ends.empty()) continue;
                const qint64 key = run * 2 + (second ? 1 : 0);
                loss_->setRun(key, second ? tr("%1, stage 2").arg(name) : tr("%1, stage 1").arg(name),
                              second ? toQt(row->method) : QStringLiteral("eli-only"));
                if (!steps.empty()) loss_->set(key, LossPlot::Curve::Train, std::move(steps), std::move(losses));
                if (!ends.empty()) loss_->set(key, LossPlot::Curve::Holdout, std::move(ends), std::move(held));
            }
        });
}

}  // namespace candor::ui
