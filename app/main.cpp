// SPDX-License-Identifier: GPL-3.0-or-later
#include <QApplication>
#include <QCommandLineParser>
#include <QStandardPaths>

#include "app/services.h"
#include "core/llm/machine.h"
#include "ui/theme/theme.h"
#include "ui/window/main_window.h"

namespace {

// The example's project is an ordinary one that stays between starts.
QString examplePath() {
    const QString folder = QStandardPaths::writableLocation(QStandardPaths::GenericDataLocation);
    return folder + QStringLiteral("/candor/example.candor");
}

}  // namespace

int main(int argc, char** argv) {
    candor::restartForSpeed();
    QApplication application(argc, argv);
    QApplication::setApplicationName(QStringLiteral("candor"));
    QApplication::setApplicationDisplayName(QStringLiteral("Candor"));
    QApplication::setApplicationVersion(QStringLiteral(CANDOR_VERSION));
    QApplication::setDesktopFileName(QStringLiteral("candor"));

    QCommandLineParser parser;
    parser.setApplicationDescription(QStringLiteral("A workbench for honesty alignment."));
    parser.addHelpOption();
    parser.addVersionOption();
    parser.addOption({QStringLiteral("example"), QStringLiteral("open the embedded example")});
    parser.addPositionalArgument(QStringLiteral("project"), QStringLiteral("NAME.candor to open"),
                                 QStringLiteral("[project]"));
    parser.process(application);

    candor::ui::MainWindow window(candor::app::services());
    window.show();
    if (!parser.positionalArguments().isEmpty())
        window.openProject(parser.positionalArguments().constFirst());
    else if (parser.isSet(QStringLiteral("example")))
        window.openExample(examplePath());
    return QApplication::exec();
}
