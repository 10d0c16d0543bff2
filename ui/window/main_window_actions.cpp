// SPDX-License-Identifier: GPL-3.0-or-later
#include <QApplication>
#include <QFileDialog>
#include <QToolButton>

#include "ui/window/main_window.h"
#include "ui/window/overlay.h"
#include "ui/window/rail.h"

namespace candor::ui {

namespace {

void askFile(QWidget* parent, const QString& title, bool create, const std::function<void(const QString&)>& then) {
    auto* dialog = new QFileDialog(parent, title);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(create ? QFileDialog::AcceptSave : QFileDialog::AcceptOpen);
    dialog->setFileMode(create ? QFileDialog::AnyFile : QFileDialog::ExistingFile);
    dialog->setNameFilters({QObject::tr("Candor projects (*.candor)"), QObject::tr("All files (*)")});
    dialog->setDefaultSuffix(QStringLiteral("candor"));
    QObject::connect(dialog, &QFileDialog::fileSelected, parent, then);
    dialog->open();
}

}  // namespace

void MainWindow::makeActions() {
    const QString project = tr("Project"), edit = tr("Edit"), going = tr("Go"), view = tr("View"), help = tr("Help");
    example_ = actions_->add(project, tr("Open the example"), QKeySequence(QStringLiteral("Ctrl+Shift+E")),
                             [this] { openExample(); });
    example_->setEnabled(static_cast<bool>(services_.openExample));
    open_ = actions_->add(project, tr("Open a project..."), QKeySequence::Open, [this] {
        askFile(this, tr("Open a project"), false, [this](const QString& path) { openProject(path); });
    });
    create_ = actions_->add(project, tr("New project..."), QKeySequence::New, [this] {
        askFile(this, tr("New project"), true, [this](const QString& path) { createProject(path); });
    });
    close_ = actions_->add(project, tr("Close the project"), QKeySequence(QStringLiteral("Ctrl+W")),
                           [this] { closeProject(); });
    actions_->add(project, tr("Quit"), QKeySequence(QStringLiteral("Ctrl+Q")), [this] { close(); });

    undo_ = actions_->add(edit, tr("Undo"), QKeySequence(QStringLiteral("Ctrl+Z")), [this] {
        if (session_) session_->undo().undo();
    });
    redo_ = actions_->add(edit, tr("Redo"), QKeySequence(QStringLiteral("Ctrl+Shift+Z")), [this] {
        if (session_) session_->undo().redo();
    });

    const QString names[] = {tr("Data"), tr("Experiments"), tr("Results"), tr("Questions"), tr("Figures")};
    for (int place = 0; place < PlaceCount; ++place)
        places_.push_back(actions_->add(going, names[place], QKeySequence(QStringLiteral("Ctrl+%1").arg(place + 1)),
                                        [this, place] { go(static_cast<Place>(place)); }));
    goTo_ = actions_->add(going, tr("Go to..."), QKeySequence(QStringLiteral("Ctrl+K")), [this] { palette_->open(); });

    actions_->add(view, tr("Light"), QKeySequence(QStringLiteral("Ctrl+Alt+L")),
                  [this] { setTheme(ThemeMode::Light); });
    actions_->add(view, tr("Dark"), QKeySequence(QStringLiteral("Ctrl+Alt+D")), [this] { setTheme(ThemeMode::Dark); });
    actions_->add(view, tr("As the system"), QKeySequence(QStringLiteral("Ctrl+Alt+S")),
                  [this] { setTheme(ThemeMode::System); });
    actions_->add(view, tr("Collapse or expand the rail"), QKeySequence(QStringLiteral("Ctrl+B")),
                  [this] { emit rail_->collapseAsked(); });
    actions_->add(view, tr("Full screen"), QKeySequence(QStringLiteral("F11")), [this] {
        if (isFullScreen())
            showNormal();
        else
            showFullScreen();
    });
    actions_->add(view, tr("Open the menu"), QKeySequence(QStringLiteral("F10")),
                  [this] { rail_->menuButton()->showMenu(); });
    QAction* keys = actions_->add(help, tr("Keys"), QKeySequence(QStringLiteral("Ctrl+/")), [this] { sheet_->open(); });
    keys->setShortcuts({QKeySequence(QStringLiteral("Ctrl+/")), QKeySequence(QStringLiteral("F1"))});
}

void MainWindow::setTheme(ThemeMode mode) {
    settings_.setThemeMode(mode);
    applyTheme(*qApp, mode);
}

}  // namespace candor::ui
