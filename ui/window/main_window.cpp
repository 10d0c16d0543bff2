// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/main_window.h"

#include <QApplication>
#include <QCloseEvent>
#include <QDir>
#include <QDragEnterEvent>
#include <QFileInfo>
#include <QMenu>
#include <QMimeData>
#include <QStackedWidget>
#include <QStandardPaths>
#include <QToolButton>
#include <QVBoxLayout>

#include "ui/models/format.h"
#include "ui/pages/data_page.h"
#include "ui/pages/experiments_page.h"
#include "ui/pages/figures_page.h"
#include "ui/pages/questions_page.h"
#include "ui/pages/results_page.h"
#include "ui/theme/method_style.h"
#include "ui/window/close_bar.h"
#include "ui/window/first_page.h"
#include "ui/window/icons.h"
#include "ui/window/overlay.h"
#include "ui/window/rail.h"
#include "ui/window/status_line.h"
#include "ui/window/tool_line.h"

namespace candor::ui {

namespace {

const char* const kPlaceIcons[] = {"data", "experiments", "results", "questions", "figures"};

QString droppedProject(const QMimeData& data) {
    for (const QUrl& url : data.urls())
        if (url.isLocalFile() && url.toLocalFile().endsWith(QStringLiteral(".candor"))) return url.toLocalFile();
    return {};
}

}  // namespace

MainWindow::MainWindow(Services services, QWidget* parent)
    : QMainWindow(parent), services_(std::move(services)), actions_(new Actions(this)) {
    applyTheme(*qApp, settings_.themeMode());
    setWindowTitle(QStringLiteral("Candor"));
    setWindowIcon(QIcon(QStringLiteral(":/icons/candor.svg")));
    setMinimumSize(800, 520);
    setAcceptDrops(true);
    auto* central = new QWidget(this);
    setCentralWidget(central);
    central->setFocusPolicy(Qt::ClickFocus);
    central->setFocus();  // no ring before a key is pressed
    auto* across = new QHBoxLayout(central);
    across->setContentsMargins(0, 0, 0, 0);
    across->setSpacing(0);
    rail_ = new Rail(central);
    across->addWidget(rail_);
    auto* column = new QVBoxLayout;
    column->setSpacing(0);
    across->addLayout(column, 1);

    makeActions();
    tools_ = new ToolLine(goTo_, central);
    stack_ = new QStackedWidget(central);
    first_ = new FirstPage(example_, open_, create_, stack_);
    stack_->addWidget(first_);
    makePages();
    closeBar_ = new CloseBar(central);
    status_ = new StatusLine(jobs_, services_.machine, central);
    column->addWidget(tools_);
    column->addWidget(stack_, 1);
    column->addWidget(closeBar_);
    column->addWidget(status_);

    auto* menu = new QMenu(this);
    actions_->fill(*menu);
    rail_->menuButton()->setMenu(menu);
    palette_ = new Palette(*actions_, central);
    palette_->setExtra([this] { return paletteRuns(); });
    sheet_ = new ShortcutSheet(*actions_, central);

    connect(rail_, &Rail::collapseAsked, this, [this] {
        rail_->setCollapsed(!rail_->isCollapsed());
        settings_.setRailCollapsed(rail_->isCollapsed());
    });
    connect(first_, &FirstPage::recentAsked, this, &MainWindow::openProject);
    connect(closeBar_, &CloseBar::confirmed, this, &MainWindow::stopAndClose);
    connect(&jobs_, &JobQueue::jobFinished, this, [this] {
        if (closing_ && jobs_.active().empty()) close();
    });
    rail_->setCollapsed(settings_.railCollapsed());
    resize(1360, 840);
    if (const QByteArray geometry = settings_.state(QStringLiteral("window")); !geometry.isEmpty())
        restoreGeometry(geometry);
    if (!settings_.problem().isEmpty()) status_->say(settings_.problem(), true);
    closeProject();
}

MainWindow::~MainWindow() {
    for (Page* page : pages_) page->setSession(nullptr);
    session_.reset();
}

void MainWindow::makePages() {
    const PageContext context{*actions_, settings_};
    pages_ = {new DataPage(context, stack_), new ExperimentsPage(context, stack_), new ResultsPage(context, stack_),
              new QuestionsPage(context, stack_), new FiguresPage(context, stack_)};
    for (std::size_t i = 0; i < pages_.size(); ++i) {
        stack_->addWidget(pages_[i]);
        connect(pages_[i], &Page::trailChanged, this, [this, i](const QString& trail) {
            if (static_cast<std::size_t>(place_) == i && session_) tools_->setTrail(trail);
        });
        rail_->addPlace(places_[i], QLatin1String(kPlaceIcons[i]));
    }
}

void MainWindow::open(const QString& title, const QString& path, Opener opener, bool example) {
    auto opened = std::make_shared<std::shared_ptr<db::Project>>();
    const int id = jobs_.start(
        title, [opened, opener](const EventSink&, std::stop_token) { *opened = opener(); }, JobLane::Beside);
    connect(&jobs_, &JobQueue::jobFinished, this, [this, id, opened, path, example](int job, JobState outcome) {
        if (job != id) return;
        if (outcome == JobState::Ok && *opened && !closing_) {
            settings_.addRecentProject(path);
            status_->clearMessage();
            adopt(std::move(*opened), example);
        }
    });
}

void MainWindow::openProject(const QString& path) {
    open(
        tr("Open %1").arg(QFileInfo(path).fileName()), path,
        [file = path.toStdString()] { return db::Project::open(file); }, false);
}

void MainWindow::createProject(const QString& path) {
    const QString file = path.endsWith(QStringLiteral(".candor")) ? path : path + QStringLiteral(".candor");
    open(
        tr("New project %1").arg(QFileInfo(file).fileName()), file,
        [name = file.toStdString()] { return db::Project::create(name); }, false);
}

void MainWindow::openExample(const QString& path) {
    QString file = path;
    if (file.isEmpty())
        file = QStandardPaths::writableLocation(QStandardPaths::GenericDataLocation) +
               QStringLiteral("/candor/example.candor");
    QDir().mkpath(QFileInfo(file).absolutePath());
    open(
        tr("Open the example"), file, [make = services_.openExample, name = file.toStdString()] { return make(name); },
        true);
}

void MainWindow::adopt(std::shared_ptr<db::Project> project, bool example) {
    closeProject();
    const QFileInfo file(QString::fromStdString(project->file().string()));
    session_ = std::make_unique<Session>(std::move(project), services_, jobs_);
    connect(session_.get(), &Session::message, status_,
            [this](const QString& text, bool problem) { status_->say(text, problem); });
    connect(session_.get(), &Session::questionsPicked, this, [this] { go(QuestionsPlace); });
    connect(session_.get(), &Session::runPicked, this, [this] { go(ResultsPlace); });
    connect(session_.get(), &Session::experimentAsked, this, [this] { go(ExperimentsPlace); });
    connect(session_.get(), &Session::importAsked, this, [this] { go(DataPlace); });
    connect(&session_->undo(), &QUndoStack::canUndoChanged, undo_, &QAction::setEnabled);
    connect(&session_->undo(), &QUndoStack::canRedoChanged, redo_, &QAction::setEnabled);
    rail_->setProject(file.completeBaseName(), file.absoluteFilePath());
    setWindowTitle(tr("%1 - Candor").arg(file.completeBaseName()));
    for (Page* page : pages_) page->setSession(session_.get());
    for (QAction* action : places_) action->setEnabled(true);
    rail_->setPlacesEnabled(true);
    close_->setEnabled(true);
    // The page that has something to say: results, else what makes them.
    connect(session_.get(), &Session::dataChanged, this, [this, example, first = true]() mutable {
        if (!std::exchange(first, false)) return;
        const auto data = session_->data();
        const bool results = std::any_of(data->runs.begin(), data->runs.end(),
                                         [](const db::RunRow& r) { return r.status == RunStatus::Finished; });
        go(results ? ResultsPlace : example || !data->datasets.empty() ? ExperimentsPlace : DataPlace);
        emit projectOpened();
    });
}

void MainWindow::closeProject() {
    for (Page* page : pages_) {
        page->saveState();
        page->setSession(nullptr);
    }
    session_.reset();
    for (QAction* action : places_) action->setEnabled(false);
    for (QAction* action : {undo_, redo_, close_}) action->setEnabled(false);
    rail_->setPlacesEnabled(false);
    rail_->setCurrent(-1);
    rail_->setProject({}, {});
    setWindowTitle(QStringLiteral("Candor"));
    first_->setRecent(settings_.recentProjects());
    stack_->setCurrentWidget(first_);
    tools_->setTitle({});
    tools_->setTrail({});
    tools_->setActions({}, nullptr);
    tools_->hide();
}

void MainWindow::go(Place place) {
    if (!session_) return;
    place_ = place;
    rail_->setCurrent(place);
    tools_->setTrail({});
    stack_->setCurrentWidget(page(place));
    showToolLine();
    page(place)->setFocus();
}

void MainWindow::showToolLine() {
    tools_->show();
    tools_->setTitle(page(place_)->title());
    tools_->setActions(page(place_)->toolActions(), page(place_)->primaryAction());
    emit page(place_)->trailChanged(page(place_)->trail());
}

std::vector<std::pair<QString, std::function<void()>>> MainWindow::paletteRuns() {
    std::vector<std::pair<QString, std::function<void()>>> runs;
    if (!session_ || !session_->data()) return runs;
    for (const db::RunRow& run : session_->data()->runs) {
        if (runs.size() >= 2000) break;
        const QString name = tr("Run:  %1, %2 labels, seed %3")
                                 .arg(methodStyle(toQt(run.method)).name, budgetText(run.budget, run.labels))
                                 .arg(run.seed);
        runs.emplace_back(name, [this, id = run.id] {
            if (session_) session_->showRun(id);
        });
    }
    return runs;
}

bool MainWindow::losesWork() const {
    for (const JobInfo& job : jobs_.active()) {
        if (job.state == JobState::Queued) continue;
        if (job.lane == JobLane::Beside || !job.checkpoint) return true;
    }
    return false;
}

void MainWindow::stopAndClose() {
    closing_ = true;
    status_->say(tr("Stopping at the checkpoint, then closing"), false);
    jobs_.stopAll();
    if (jobs_.active().empty()) close();
}

void MainWindow::closeEvent(QCloseEvent* event) {
    if (!jobs_.active().empty()) {
        event->ignore();
        if (closing_) return;
        if (!losesWork()) return stopAndClose();
        const QString job = displayText(jobs_.active().front().title);
        closeBar_->ask(tr("%1 has no checkpoint yet: what it did since it started would be lost.").arg(job));
        return;
    }
    for (Page* page : pages_) page->saveState();
    settings_.setState(QStringLiteral("window"), saveGeometry());
    event->accept();
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
    if (!droppedProject(*event->mimeData()).isEmpty()) event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent* event) {
    const QString path = droppedProject(*event->mimeData());
    if (path.isEmpty()) return;
    event->acceptProposedAction();
    openProject(path);
}

void MainWindow::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Escape && session_) {
        if (closeBar_->isVisible())
            closeBar_->hide();
        else if (!page(place_)->back())
            status_->clearMessage();
        return;
    }
    QMainWindow::keyPressEvent(event);
}

}  // namespace candor::ui
