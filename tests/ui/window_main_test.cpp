// SPDX-License-Identifier: GPL-3.0-or-later
#include <QAction>
#include <QApplication>
#include <QLineEdit>
#include <QMenu>
#include <QMimeData>
#include <QPushButton>
#include <QToolButton>
#include <QTreeView>
#include <atomic>

#include "tests/ui/window_fixture.h"
#include "ui/pages/experiments_page.h"
#include "ui/pages/page.h"
#include "ui/pages/results_page.h"
#include "ui/pages/spec_form.h"
#include "ui/theme/theme.h"
#include "ui/window/close_bar.h"
#include "ui/window/overlay.h"
#include "ui/window/rail.h"
#include "ui/window/status_line.h"

using namespace candor;
using namespace candor::ui;
using namespace candor::ui::testing;

namespace {

void key(QWidget& window, const char* sequence) {
    const QKeySequence keys(QString::fromLatin1(sequence));
    const auto combination = keys[0];
    QTest::keyClick(QApplication::focusWidget() ? QApplication::focusWidget() : &window, combination.key(),
                    combination.keyboardModifiers());
}

QPushButton* button(QWidget& window, const QString& text) {
    for (QPushButton* candidate : window.findChildren<QPushButton*>())
        if (candidate->isVisible() && candidate->text() == text) return candidate;
    return nullptr;
}

}  // namespace

class WindowMainTest : public QObject {
    Q_OBJECT
  private slots:
    void init() { place_ = std::make_unique<Place>(); }
    void firstPageOffersTheExample();
    void exampleRunsToResults();
    void stopKeepsAndResumeFinishes();
    void closingWaitsForTheCheckpoint();
    void closingAsksWhereWorkWouldBeLost();
    void destructionWhileRunningJoins();
    void badFileIsSaidInTheStatusLine();
    void droppedProjectOpens();
    void repeatedMessagesAreCounted();
    void paletteFindsAndRuns();
    void everyActionHasAMenuAndAKeyOfItsOwn();
    void controlsHaveNames();
    void escapeBacksOutOneLevel();
    void settingsStay();
    void brokenSettingsAreRenamed();

  private:
    void openExample(MainWindow& window);
    std::unique_ptr<Place> place_;
};

void WindowMainTest::openExample(MainWindow& window) {
    window.resize(1280, 800);
    window.show();
    QApplication::setActiveWindow(&window);
    window.openExample(place_->file("example.candor"));
    QVERIFY(waitOpened(window));
}

void WindowMainTest::firstPageOffersTheExample() {
    MainWindow window(fakeServices());
    window.show();
    QAbstractButton* card = nullptr;
    for (QAbstractButton* b : window.findChildren<QAbstractButton*>())
        if (b->text() == QStringLiteral("Open the example") && b->isVisible()) card = b;
    QVERIFY(card);
    QTest::mouseClick(card, Qt::LeftButton);
    QVERIFY(waitOpened(window));
    QCOMPARE(window.place(), MainWindow::ExperimentsPlace);
    QVERIFY(!card->isVisible());
}

void WindowMainTest::exampleRunsToResults() {
    MainWindow window(fakeServices());
    openExample(window);
    auto* page = static_cast<ExperimentsPage*>(window.page(MainWindow::ExperimentsPlace));
    QTRY_VERIFY(page->startAction()->isEnabled());
    QPushButton* start = button(window, QStringLiteral("Start"));
    QVERIFY(start);
    QSignalSpy queued(&window.jobs(), &JobQueue::jobQueued);
    for (int i = 0; i < 3; ++i) QTest::mouseClick(start, Qt::LeftButton);  // one job, however often it is pressed
    QCOMPARE(queued.count(), 1);
    QTRY_VERIFY_WITH_TIMEOUT(window.jobs().active().empty(), kLong);
    QTRY_VERIFY_WITH_TIMEOUT(page->estimate().contains(QStringLiteral("finished")), kLong);
    window.go(MainWindow::ResultsPlace);
    QTRY_VERIFY(window.session()->visibleRuns().size() == 5);
    QVERIFY(window.session()->selectedRun() != 0);
    QVERIFY(!window.grab().isNull());
}

void WindowMainTest::stopKeepsAndResumeFinishes() {
    Services services = fakeServices();
    std::atomic<int> calls = 0;
    services.runExperiment = [&](const ExperimentSpec& spec, db::Project& project, const EventSink& events,
                                 std::stop_token stop) {
        if (++calls == 1) {
            ExperimentSpec part = spec;  // the first attempt gets as far as one run, then waits to be stopped
            const auto store = db::makeExperimentStore(project);
            const auto experiment = store->experiment(spec);
            const auto plan = planRuns(spec, 60);
            store->beginAttempt(store->run(experiment, plan.front()).id);
            events(happened(EventKind::Checkpoint, 1));
            while (!stop.stop_requested()) std::this_thread::sleep_for(std::chrono::milliseconds(2));
            throw Stopped();
        }
        runSpec(project, spec, events, stop);
    };
    MainWindow window(services);
    openExample(window);
    auto* page = static_cast<ExperimentsPage*>(window.page(MainWindow::ExperimentsPlace));
    QTRY_VERIFY(page->startAction()->isEnabled());
    page->start();
    QVERIFY(page->stopAction()->isEnabled());
    QPushButton* stop = nullptr;
    QTRY_VERIFY((stop = button(*page, QStringLiteral("Stop"))));
    for (int i = 0; i < 5; ++i) QTest::mouseClick(stop, Qt::LeftButton);
    QVERIFY(!page->stopAction()->isEnabled());
    QTRY_VERIFY_WITH_TIMEOUT(window.jobs().active().empty(), kLong);
    QTRY_COMPARE(page->startAction()->text(), QStringLiteral("Resume"));
    QVERIFY(page->startAction()->isEnabled());
    page->start();
    QTRY_VERIFY_WITH_TIMEOUT(window.jobs().active().empty(), kLong);
    QCOMPARE(calls.load(), 2);
}

void WindowMainTest::closingWaitsForTheCheckpoint() {
    Services services = fakeServices();
    std::atomic<bool> stopped = false;
    services.runExperiment = [&](const ExperimentSpec&, db::Project&, const EventSink& events, std::stop_token stop) {
        events(happened(EventKind::Started, 1));
        events(happened(EventKind::Checkpoint, 1));
        while (!stop.stop_requested()) std::this_thread::sleep_for(std::chrono::milliseconds(2));
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
        stopped = true;
        throw Stopped();
    };
    MainWindow window(services);
    openExample(window);
    auto* page = static_cast<ExperimentsPage*>(window.page(MainWindow::ExperimentsPlace));
    QTRY_VERIFY(page->startAction()->isEnabled());
    page->start();
    QTRY_VERIFY(window.jobs().active().front().checkpoint);
    QVERIFY(!window.close());  // not yet: the job stops first
    QVERIFY(window.isVisible());
    QTRY_VERIFY_WITH_TIMEOUT(!window.isVisible(), kLong);
    QVERIFY(stopped);
}

void WindowMainTest::closingAsksWhereWorkWouldBeLost() {
    Services services = fakeServices();
    services.runExperiment = [&](const ExperimentSpec&, db::Project&, const EventSink& events, std::stop_token stop) {
        events(happened(EventKind::Started, 1));
        while (!stop.stop_requested()) std::this_thread::sleep_for(std::chrono::milliseconds(2));
        throw Stopped();
    };
    MainWindow window(services);
    openExample(window);
    auto* page = static_cast<ExperimentsPage*>(window.page(MainWindow::ExperimentsPlace));
    QTRY_VERIFY(page->startAction()->isEnabled());
    page->start();
    QVERIFY(!window.close());
    auto* bar = window.findChild<CloseBar*>();
    QVERIFY(bar->isVisible());
    QTest::mouseClick(button(*bar, QStringLiteral("Keep working")), Qt::LeftButton);
    QVERIFY(!bar->isVisible());
    QVERIFY(!window.jobs().active().empty());
    window.close();
    QTest::mouseClick(button(*bar, QStringLiteral("Stop and close")), Qt::LeftButton);
    QTRY_VERIFY_WITH_TIMEOUT(!window.isVisible(), kLong);
}

void WindowMainTest::destructionWhileRunningJoins() {
    Services services = fakeServices();
    std::atomic<bool> ended = false;
    services.runExperiment = [&](const ExperimentSpec&, db::Project&, const EventSink& events, std::stop_token stop) {
        while (!stop.stop_requested()) events(happened(EventKind::Progress));
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        ended = true;
    };
    {
        MainWindow window(services);
        openExample(window);
        auto* page = static_cast<ExperimentsPage*>(window.page(MainWindow::ExperimentsPlace));
        QTRY_VERIFY(page->startAction()->isEnabled());
        page->start();
        QTest::qWait(50);
    }
    QVERIFY(ended);
}

void WindowMainTest::badFileIsSaidInTheStatusLine() {
    QFile file(place_->file("bad.candor"));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("this is no project");
    file.close();
    MainWindow window(fakeServices());
    window.show();
    window.openProject(file.fileName());
    QTRY_VERIFY_WITH_TIMEOUT(window.status().message().contains(QStringLiteral("bad.candor")), kLong);
    QVERIFY(!window.session());
    for (QWidget* widget : QApplication::topLevelWidgets()) QVERIFY(!widget->isModal() || !widget->isVisible());
}

void WindowMainTest::droppedProjectOpens() {
    db::Project::create(place_->file().toStdString());
    MainWindow window(fakeServices());
    window.show();
    QMimeData data;
    data.setUrls({QUrl::fromLocalFile(place_->file())});
    QDragEnterEvent enter({10, 10}, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(&window, &enter);
    QVERIFY(enter.isAccepted());
    QDropEvent drop(QPointF(10, 10), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(&window, &drop);
    QVERIFY(waitOpened(window));
    QCOMPARE(window.place(), MainWindow::DataPlace);  // empty: data come first
}

void WindowMainTest::repeatedMessagesAreCounted() {
    MainWindow window(fakeServices());
    for (int i = 0; i < 1000; ++i) window.status().say(QStringLiteral("endpoint does not answer"), true);
    QCOMPARE(window.status().messageCount(), 1000);
    window.status().say(QStringLiteral("another"), false);
    QCOMPARE(window.status().messageCount(), 1);
}

void WindowMainTest::paletteFindsAndRuns() {
    QCOMPARE(matchScore(QStringLiteral("res"), QStringLiteral("Results")), 0);
    QCOMPARE(matchScore(QStringLiteral("xyz"), QStringLiteral("Results")), -1);
    QVERIFY(matchScore(QStringLiteral("ndt"), QStringLiteral("Open a project")) < 0);
    MainWindow window(fakeServices());
    openExample(window);
    auto* palette = window.findChild<Palette*>();
    key(window, "Ctrl+K");
    QTRY_VERIFY(palette->isVisible());
    auto* field = palette->findChild<QLineEdit*>();
    QVERIFY(field->hasFocus());
    QTest::keyClicks(field, QStringLiteral("figures"));
    QTest::keyClick(field, Qt::Key_Return);
    QVERIFY(!palette->isVisible());
    QCOMPARE(window.place(), MainWindow::FiguresPlace);
    key(window, "Ctrl+K");
    QTest::keyClick(field, Qt::Key_Escape);
    QVERIFY(!palette->isVisible());
    key(window, "Ctrl+3");
    QCOMPARE(window.place(), MainWindow::ResultsPlace);
}

void WindowMainTest::everyActionHasAMenuAndAKeyOfItsOwn() {
    MainWindow window(fakeServices());
    QCOMPARE(window.actions().clashes(), QStringList());
    QList<QAction*> inMenu;
    for (const QAction* group : window.findChild<Rail*>()->menuButton()->menu()->actions())
        inMenu << group->menu()->actions();
    for (const Actions::Entry& entry : window.actions().entries()) {
        QVERIFY2(!entry.action->shortcut().isEmpty(), qPrintable(entry.action->text()));
        QVERIFY2(inMenu.contains(entry.action), qPrintable(entry.action->text()));
    }
}

void WindowMainTest::controlsHaveNames() {
    MainWindow window(fakeServices());
    openExample(window);
    QStringList nameless;
    for (QWidget* widget : window.findChildren<QWidget*>()) {
        if (widget->focusPolicy() == Qt::NoFocus || widget->inherits("QScrollBar") ||
            widget->objectName().startsWith(QStringLiteral("qt_")))
            continue;
        if (!widget->parentWidget() || widget->parentWidget()->inherits("QComboBox") ||
            widget->parentWidget()->inherits("QAbstractSpinBox"))
            continue;
        const auto* b = qobject_cast<QAbstractButton*>(widget);
        if (!widget->accessibleName().isEmpty() || (b && !b->text().isEmpty())) continue;
        if (widget->inherits("QLabel")) continue;  // its text is its name
        if (widget->inherits("QStackedWidget") || widget->inherits("QSplitter") ||
            widget->metaObject()->className() == QByteArray("QWidget"))
            continue;
        if (widget->inherits("candor::ui::Page") || widget->inherits("QHeaderView") ||
            widget->inherits("QComboBoxListView"))
            continue;
        if (widget->inherits("QScrollArea") && widget->focusPolicy() != Qt::StrongFocus) continue;
        nameless << QLatin1String(widget->metaObject()->className()) + QLatin1Char(' ') + widget->objectName() +
                        QLatin1String(" in ") + QLatin1String(widget->parentWidget()->metaObject()->className());
    }
    QVERIFY2(nameless.isEmpty(), qPrintable(nameless.join(QStringLiteral("; "))));
}

void WindowMainTest::escapeBacksOutOneLevel() {
    db::Project::create(place_->file().toStdString());
    {
        auto project = db::Project::open(place_->file().toStdString());
        importSmall(*project);
        ExperimentSpec spec = smallSpec();
        spec.methods = {"n-prob", "consis-sem"};
        runSpec(*project, spec);
    }
    MainWindow window(fakeServices());
    window.resize(1280, 800);
    window.show();
    QApplication::setActiveWindow(&window);
    window.openProject(place_->file());
    QVERIFY(waitOpened(window));
    QCOMPARE(window.place(), MainWindow::ResultsPlace);
    auto* page = static_cast<ResultsPage*>(window.page(MainWindow::ResultsPlace));
    key(window, "F");
    QVERIFY(page->isFilled());
    key(window, "Escape");
    QVERIFY(!page->isFilled());
    QCOMPARE(window.place(), MainWindow::ResultsPlace);
    const auto before = window.session()->visibleRuns();
    QVERIFY(!before.empty());
    window.session()->askVisible({*before.begin()}, false);
    QVERIFY(window.session()->visibleRuns() != before);
    key(window, "Ctrl+Z");
    QCOMPARE(window.session()->visibleRuns(), before);
}

void WindowMainTest::settingsStay() {
    {
        MainWindow window(fakeServices());
        window.show();
        for (const Actions::Entry& entry : window.actions().entries())
            if (entry.action->text() == QStringLiteral("Dark")) entry.action->trigger();
        emit window.findChild<Rail*>()->collapseAsked();
        openExample(window);
        window.close();
    }
    QVERIFY(QFile::exists(place_->file("config/candor/settings.ini")));
    MainWindow window(fakeServices());
    QVERIFY(theme().dark);
    QVERIFY(window.findChild<Rail*>()->isCollapsed());
    QCOMPARE(window.findChild<Rail*>()->width(), space::railCollapsed);
    QCOMPARE(Settings().recentProjects(), QStringList(place_->file("example.candor")));
    applyTheme(*qApp, ThemeMode::Light);
}

void WindowMainTest::brokenSettingsAreRenamed() {
    QDir().mkpath(place_->file("config/candor"));
    QFile file(place_->file("config/candor/settings.ini"));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("[state\nwindow=@ByteArray(\\x");
    file.close();
    MainWindow window(fakeServices());
    QVERIFY(window.status().message().contains(QStringLiteral("could not be read")));
    QCOMPARE(QDir(place_->file("config/candor")).entryList({QStringLiteral("*.broken-*")}).size(), 1);
}

CANDOR_TEST(WindowMainTest);
#include "window_main_test.moc"
