// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QMainWindow>
#include <memory>
#include <vector>

#include "ui/jobs/job_queue.h"
#include "ui/window/actions.h"
#include "ui/window/services.h"
#include "ui/window/session.h"
#include "ui/window/settings.h"

class QStackedWidget;

namespace candor::ui {

class CloseBar;
class FirstPage;
class Page;
class Palette;
class Rail;
class ShortcutSheet;
class StatusLine;
class ToolLine;

// The one window. Projects are opened on a worker thread; the pages share one Session while a project is open.
// Closing stops jobs at their checkpoint and waits for them; it asks only where work would be lost.
class MainWindow : public QMainWindow {
    Q_OBJECT
  public:
    enum Place { DataPlace, ExperimentsPlace, ResultsPlace, QuestionsPlace, FiguresPlace, PlaceCount };

    explicit MainWindow(Services services, QWidget* parent = nullptr);
    ~MainWindow() override;

    void openProject(const QString& path);  // asynchronous; a failure is said in the status line
    void createProject(const QString& path);
    void openExample(const QString& path = {});  // made if absent; empty: in the user's data folder
    void closeProject();
    void go(Place place);

    Session* session() const { return session_.get(); }
    Page* page(Place place) const { return pages_[static_cast<std::size_t>(place)]; }
    Place place() const { return place_; }
    JobQueue& jobs() { return jobs_; }
    Actions& actions() { return *actions_; }
    StatusLine& status() { return *status_; }

  signals:
    void projectOpened();

  protected:
    void closeEvent(QCloseEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

  private:
    using Opener = std::function<std::unique_ptr<db::Project>()>;
    void makeActions();
    void makePages();
    void open(const QString& title, const QString& path, Opener opener, bool example);
    void adopt(std::shared_ptr<db::Project> project, bool example);
    void setTheme(ThemeMode mode);
    void showToolLine();
    void stopAndClose();
    bool losesWork() const;
    std::vector<std::pair<QString, std::function<void()>>> paletteRuns();

    Services services_;
    Settings settings_;
    JobQueue jobs_;
    std::unique_ptr<Session> session_;
    Actions* actions_;
    Rail* rail_ = nullptr;
    ToolLine* tools_ = nullptr;
    StatusLine* status_ = nullptr;
    CloseBar* closeBar_ = nullptr;
    QStackedWidget* stack_ = nullptr;
    FirstPage* first_ = nullptr;
    Palette* palette_ = nullptr;
    ShortcutSheet* sheet_ = nullptr;
    std::vector<Page*> pages_;
    QAction *example_ = nullptr, *open_ = nullptr, *create_ = nullptr, *close_ = nullptr, *goTo_ = nullptr;
    QAction *undo_ = nullptr, *redo_ = nullptr;
    std::vector<QAction*> places_;
    Place place_ = DataPlace;
    bool closing_ = false;
};

}  // namespace candor::ui
