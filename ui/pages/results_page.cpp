// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/results_page.h"

#include <QAction>
#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QStackedWidget>
#include <QTreeView>
#include <algorithm>
#include <set>

#include "ui/models/format.h"
#include "ui/pages/empty_state.h"
#include "ui/pages/export_dialog.h"
#include "ui/pages/plot_panel.h"
#include "ui/pages/run_detail.h"
#include "ui/pages/run_list.h"
#include "ui/pages/splitter.h"
#include "ui/plots/budget_sweep_plot.h"
#include "ui/plots/confidence_histogram.h"
#include "ui/plots/reliability_plot.h"
#include "ui/plots/risk_coverage_plot.h"
#include "ui/plots/roc_plot.h"
#include "ui/theme/method_style.h"
#include "ui/theme/theme.h"
#include "ui/window/actions.h"
#include "ui/window/session.h"
#include "ui/window/settings.h"

namespace candor::ui {

namespace {

struct SweepMetric {
    const char* name;
    const char* title;
    bool lowerIsBetter;
};
constexpr SweepMetric kSweepMetrics[] = {{"auroc", "AUROC", false},
                                         {"ece_ew10", "ECE", true},
                                         {"brier", "Brier", true},
                                         {"alignment_elical", "Alignment", false}};

std::int64_t stampOf(const ProjectData& data, const std::vector<std::int64_t>& runs) {
    std::int64_t stamp = 0;
    for (const std::int64_t id : runs)
        if (const db::RunRow* run = data.run(id)) stamp = stamp * 31 + run->finishedMs + static_cast<int>(run->status);
    return stamp;
}

}  // namespace

ResultsPage::ResultsPage(PageContext context, QWidget* parent)
    : Page(context, parent),
      cache_(std::make_shared<ScoredCache>()),
      stack_(new QStackedWidget(this)),
      list_(new RunList(context.settings, this)),
      detail_(new RunDetail(this)),
      across_(new Splitter(Qt::Horizontal, this)),
      rows_(new Splitter(Qt::Vertical, this)),
      top_(new Splitter(Qt::Horizontal, this)),
      bottom_(new Splitter(Qt::Horizontal, this)),
      bar_(new QWidget(this)),
      set_(new QComboBox(this)),
      truth_(new QComboBox(this)),
      metric_(new QComboBox(this)) {
    makeActions();
    makePlots();
    auto* line = new QHBoxLayout(bar_);
    line->setContentsMargins(0, 0, 0, 0);
    makeChoosers(*line);

    auto* center = new QWidget(this);
    auto* centerColumn = new QVBoxLayout(center);
    centerColumn->setContentsMargins(0, 0, 0, 0);
    centerColumn->setSpacing(space::s);
    centerColumn->addWidget(bar_);
    centerColumn->addWidget(rows_, 1);
    across_->addWidget(list_);
    across_->addWidget(center);
    across_->addWidget(detail_);
    across_->setSizes({360, 532, 284});
    for (int i = 0; i < 3; ++i) across_->setStretchFactor(i, i == 1 ? 1 : 0);
    if (const QByteArray state = context.settings.state(QStringLiteral("results_across_1")); !state.isEmpty())
        across_->restoreState(state);

    empty_ = new EmptyState(QStringLiteral("results"), tr("No results yet"), {}, new_, this);
    auto* body = new QWidget(this);
    auto* bodyLayout = new QVBoxLayout(body);
    bodyLayout->setContentsMargins(space::m, space::m, space::m, space::m);
    bodyLayout->addWidget(across_);
    stack_->addWidget(empty_);
    stack_->addWidget(body);
    auto* whole = new QVBoxLayout(this);
    whole->setContentsMargins(0, 0, 0, 0);
    whole->addWidget(stack_);
    setFocusProxy(list_->tree());
}

ResultsPage::~ResultsPage() = default;

void ResultsPage::makePlots() {
    reliability_ = new ReliabilityPlot(this);
    sweep_ = new BudgetSweepPlot(this);
    roc_ = new RocPlot(this);
    risk_ = new RiskCoveragePlot(this);
    histogram_ = new ConfidenceHistogram(this);
    reliability_->setTitle(tr("Reliability"));
    sweep_->setTitle(tr("Budget sweep"));
    roc_->setTitle(tr("ROC"));
    risk_->setTitle(tr("Risk-coverage"));
    histogram_->setTitle(tr("Histogram"));
    panels_ = {new PlotPanel({reliability_}, top_), new PlotPanel({sweep_}, top_), new PlotPanel({roc_}, bottom_),
               new PlotPanel({risk_, histogram_}, bottom_)};
    active_ = panels_.front();
    top_->addWidget(panels_[0]);
    top_->addWidget(panels_[1]);
    bottom_->addWidget(panels_[2]);
    bottom_->addWidget(panels_[3]);
    connect(top_, &QSplitter::splitterMoved, this, [this] { bottom_->setSizes(top_->sizes()); });
    connect(bottom_, &QSplitter::splitterMoved, this, [this] { top_->setSizes(bottom_->sizes()); });
    for (PlotPanel* panel : panels_) panel->setMinimumWidth(210);
    rows_->addWidget(top_);
    rows_->addWidget(bottom_);
    for (QSplitter* s : {top_, bottom_, rows_}) s->setSizes({1000, 1000});
    if (const QByteArray state = context_.settings.state(QStringLiteral("results_rows_1")); !state.isEmpty())
        rows_->restoreState(state);
    for (PlotPanel* panel : panels_) {
        connect(panel, &PlotPanel::activated, this, [this, panel] {
            if (!filled_) active_ = panel;
        });
        connect(panel, &PlotPanel::fillAsked, this, [this] { fill(!filled_); });
    }
    for (PlotView* plot : std::initializer_list<PlotView*>{reliability_, roc_, risk_, histogram_})
        connect(plot, &PlotView::questionsSelected, this,
                [this](const QVector<qint64>& questions, const QString& what) {
                    if (session_) session_->showQuestions(questions, what);
                });
    connect(sweep_, &BudgetSweepPlot::pointActivated, this, [this](const QString& method, qint64 budget) {
        if (!session_ || !session_->data()) return;
        for (const db::RunRow& run : session_->data()->runs)
            if (toQt(run.method) == method && run.budget == budget) return session_->selectRun(run.id);
    });
    connect(risk_, &RiskCoveragePlot::thresholdMoved, this, [this](double threshold, double coverage, double accuracy) {
        detail_->setThreshold(threshold, coverage, accuracy, static_cast<std::int64_t>(riskRows_));
    });
    connect(detail_, &RunDetail::setPicked, this, [this](const QString& set) {
        if (session_ && !set.isEmpty()) session_->choose({SetChoice::Kind::One, set.toStdString(), true});
    });
}

void ResultsPage::makeChoosers(QHBoxLayout& line) {
    line.setSpacing(space::s);
    line.addWidget(makeLabel(tr("Questions"), "secondary", bar_));
    line.addWidget(set_);
    line.addSpacing(space::s);
    line.addWidget(makeLabel(tr("Truth"), "secondary", bar_));
    line.addWidget(truth_);
    line.addStretch(1);
    set_->setAccessibleName(tr("Evaluation questions"));
    truth_->setAccessibleName(tr("Label set that says what is right"));
    truth_->setToolTip(tr("Which judgements plots and the table of sets use"));
    set_->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    connect(set_, &QComboBox::activated, this, [this](int index) {
        if (session_) session_->choose(set_->itemData(index).value<SetChoice>());
    });
    connect(truth_, &QComboBox::activated, this, [this] { readSeriesIfChanged(); });
    metric_->setAccessibleName(tr("Metric of the budget sweep"));
    for (const SweepMetric& metric : kSweepMetrics) metric_->addItem(QLatin1String(metric.title));
    connect(metric_, &QComboBox::activated, this, &ResultsPage::fillSweep);
    panels_[1]->addControl(metric_);
}

void ResultsPage::makeActions() {
    Actions& actions = context_.actions;
    const QString group = tr("Results");
    export_ = actions.add(
        group, tr("Export figure"), QKeySequence(QStringLiteral("Ctrl+E")), [this] { exportFigure(); }, this);
    new_ = actions.add(
        group, tr("New experiment"), QKeySequence(QStringLiteral("Ctrl+Shift+N")),
        [this] {
            if (session_) session_->askExperiment();
        },
        this);
    fill_ = actions.add(
        group, tr("Fill the page with one plot"), QKeySequence(QStringLiteral("F")), [this] { fill(!filled_); }, this);
    table_ = actions.add(
        group, tr("Show the plot as a table"), QKeySequence(QStringLiteral("T")),
        [this] { active_->setAsTable(!active_->isTable()); }, this);
    filter_ = actions.add(
        group, tr("Filter runs"), QKeySequence(QStringLiteral("Ctrl+F")), [this] { list_->focusFilter(); }, this);
}

std::vector<QAction*> ResultsPage::toolActions() const { return {new_}; }

void ResultsPage::setSession(Session* session) {
    session_ = session;
    cache_ = std::make_shared<ScoredCache>();
    asked_ = {};
    fill(false);
    list_->setSession(session);
    if (session) {
        connect(session, &Session::dataChanged, this, &ResultsPage::refresh);
        connect(session, &Session::selectionChanged, this, &ResultsPage::refresh);
        connect(session, &Session::visibleChanged, this, &ResultsPage::refresh);
        connect(session, &Session::setChanged, this, &ResultsPage::refresh);
        connect(session, &Session::experimentChanged, this, &ResultsPage::refresh);
    } else {
        showSeries({});
    }
    refresh();
}

void ResultsPage::refresh() {
    updateState();
    if (!session_ || !session_->data()) return;
    fillSets();
    const auto data = session_->data();
    detail_->setRun(data.get(), data->run(session_->selectedRun()), session_->setChoice());
    readSeriesIfChanged();
    fillSweep();
}

void ResultsPage::updateState() {
    const auto data = session_ ? session_->data() : nullptr;
    const bool any = data && !data->runs.empty();
    stack_->setCurrentIndex(any ? 1 : 0);
    empty_->setTexts(
        tr("No results yet"),
        data && data->datasets.empty()
            ? tr("Import questions on the Data page, then plan an experiment: its runs appear here as they finish.")
            : tr("Plan an experiment: its runs appear here as they finish."));
    for (QAction* action : {export_, fill_, table_, filter_}) action->setEnabled(any);
    new_->setEnabled(session_ != nullptr);
    trail_.clear();
    if (any) {
        const db::RunRow* run = data->run(session_->selectedRun());
        if (run)
            trail_ = tr("%1, %2").arg(
                methodStyle(toQt(run->method)).name,
                run->labels > 0 ? tr("%1 labels").arg(budgetText(run->budget, run->labels)) : tr("no labels"));
        const auto finished = std::count_if(data->runs.begin(), data->runs.end(),
                                            [](const db::RunRow& r) { return r.status == RunStatus::Finished; });
        trail_ = tr("%1 of %2 runs finished")
                     .arg(formatCount(finished), formatCount(static_cast<qint64>(data->runs.size()))) +
                 (trail_.isEmpty() ? QString() : QStringLiteral("  \u00b7  ") + trail_);
    }
    emit trailChanged(trail_);
}

void ResultsPage::fillSets() {
    const auto data = session_->data();
    std::vector<SetChoice> choices;
    for (const auto kind : {SetChoice::Kind::In, SetChoice::Kind::Out, SetChoice::Kind::All})
        for (const bool weighted : {true, false}) choices.push_back({kind, {}, weighted});
    for (const Domain domain : {Domain::In, Domain::Out, Domain::None})
        for (const db::DatasetRow& row : data->datasets)
            if (row.role == Role::Eval && row.domain == domain)
                choices.push_back({SetChoice::Kind::One, row.dataset + "/" + row.split, true});
    if (set_->count() != static_cast<int>(choices.size())) {
        set_->clear();
        for (const SetChoice& choice : choices) set_->addItem(setText(choice), QVariant::fromValue(choice));
    }
    for (int i = 0; i < set_->count(); ++i)
        if (set_->itemData(i).value<SetChoice>() == session_->setChoice()) set_->setCurrentIndex(i);
    if (truth_->count() != static_cast<int>(data->labelSets.size()) + 1) {
        truth_->clear();
        truth_->addItem(tr("as in each run"), QString());
        for (const std::string& name : data->labelSets) truth_->addItem(displayText(name), toQt(name));
    }
}

void ResultsPage::readSeriesIfChanged() {
    if (!session_ || !session_->data()) return;
    SeriesRequest request;
    request.data = session_->data();
    request.visible.assign(session_->visibleRuns().begin(), session_->visibleRuns().end());
    request.selected = session_->selectedRun();
    request.choice = session_->setChoice();
    request.truth = truth_->currentData().toString().toStdString();
    std::vector<std::int64_t> shown = request.visible;
    shown.push_back(request.selected);
    const std::int64_t stamp = stampOf(*request.data, shown);
    if (asked_.data && stamp == askedStamp_ && request.visible == asked_.visible &&
        request.selected == asked_.selected && request.choice == asked_.choice && request.truth == asked_.truth)
        return;
    asked_ = request;
    askedStamp_ = stamp;
    session_->reader().request(
        this, "series", [request, cache = cache_](db::Connection& c) { return readSeries(c, *cache, request); },
        [this](ResultSeries series) { showSeries(std::move(series)); });
}

void ResultsPage::showSeries(ResultSeries series) {
    detail_->setSets(series.sets);
    detail_->clearThreshold();
    riskRows_ = series.visible.empty() ? 0 : series.visible.front().question.size();
    const QString none = tr("Check a finished run in the list.");
    for (PlotView* plot : std::initializer_list<PlotView*>{reliability_, roc_, risk_}) plot->setEmptyText(none);
    histogram_->setEmptyText(tr("Select a finished run in the list."));
    labelShortly(series.visible);
    reliability_->setSeries(series.visible);
    roc_->setSeries(series.visible);
    risk_->setSeries(std::move(series.visible));
    histogram_->setSeries(std::move(series.selected));
}

void ResultsPage::fillSweep() {
    if (!session_ || !session_->data()) return;
    const auto data = session_->data();
    const SweepMetric& metric = kSweepMetrics[std::max(0, metric_->currentIndex())];
    std::set<std::string> methods;
    for (const qint64 id : session_->visibleRuns())
        if (const db::RunRow* run = data->run(id)) methods.insert(run->method);
    std::vector<SweepPoint> points;
    for (const db::RunRow& run : data->runs) {
        if (session_->experiment() != 0 && run.experiment != session_->experiment()) continue;
        if (!methods.contains(run.method) || run.status != RunStatus::Finished) continue;
        const MetricValue value = metricOf(*data, run, session_->setChoice(), metric.name);
        if (!value.defined()) continue;
        SweepPoint point;
        point.method = toQt(run.method);
        if (run.labels > 0) point.budget = run.budget;
        point.labels = run.labels;
        point.seed = run.seed;
        point.value = value.value;
        point.run = run.id;
        point.testSelected = run.selection == "test";
        points.push_back(point);
    }
    SweepOptions options;
    options.metric = tr("%1, %2").arg(QLatin1String(metric.title), setText(session_->setChoice()));
    options.lowerIsBetter = metric.lowerIsBetter;
    if (std::string_view(metric.name) == "auroc") options.reference = 0.5;
    sweep_->setEmptyText(tr("Runs of a checked method appear here as they finish."));
    sweep_->setPoints(std::move(points), options);
}

void ResultsPage::fill(bool on) {
    filled_ = on;
    fill_->setText(on ? tr("Show all plots") : tr("Fill the page with one plot"));
    list_->setVisible(!on);
    detail_->setVisible(!on);
    const bool upper = active_ == panels_[0] || active_ == panels_[1];
    top_->setVisible(!on || upper);
    bottom_->setVisible(!on || !upper);
    for (PlotPanel* panel : panels_) panel->setVisible(!on || panel == active_);
    if (on) active_->plot()->setFocus();
}

bool ResultsPage::back() {
    if (filled_) {
        fill(false);
        return true;
    }
    if (active_->isTable()) {
        active_->setAsTable(false);
        return true;
    }
    return false;
}

void ResultsPage::exportFigure() {
    if (!session_) return;
    auto* dialog =
        new ExportDialog(*active_->plot(), active_->plotName(), *session_->project(), context_.settings, this);
    connect(dialog, &ExportDialog::exported, this, [this](const QString& path) {
        if (session_) emit session_->message(tr("Figure written to %1").arg(path), false);
    });
    dialog->open();
}

void ResultsPage::saveState() {
    if (filled_) fill(false);
    list_->saveState();
    context_.settings.setState(QStringLiteral("results_across_1"), across_->saveState());
    context_.settings.setState(QStringLiteral("results_rows_1"), rows_->saveState());
}

}  // namespace candor::ui
