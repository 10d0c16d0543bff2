// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/figures.h"

#include <QApplication>
#include <cstdio>

#include "core/error.h"
#include "db/connection.h"
#include "ui/export/figure.h"
#include "ui/figures/figure_request.h"

namespace candor::app {
namespace {

// Drawing to files needs no runtime folder, so a machine without one need not hear of it.
void quiet(QtMsgType, const QMessageLogContext&, const QString& text) {
    if (!text.startsWith(QStringLiteral("QStandardPaths"))) std::fprintf(stderr, "%s\n", qPrintable(text));
}

}  // namespace

OffscreenApplication::OffscreenApplication() {
    if (QCoreApplication::instance()) return;
    // A command draws the same with and without a display.
    qputenv("QT_QPA_PLATFORM", "offscreen");
    qInstallMessageHandler(quiet);
    static int argc = 1;
    static char name[] = "candor-cli";
    static char* argv[] = {name, nullptr};
    application_ = std::make_unique<QApplication>(argc, argv);
}

OffscreenApplication::~OffscreenApplication() = default;

std::vector<std::string> exportAllFigures(const db::Project& project, const std::filesystem::path& folder,
                                          std::vector<std::string>& skipped) {
    struct Wanted {
        const char *figure, *set, *file;
    };
    static constexpr Wanted kAll[] = {
        {"budget-sweep", "in-domain", "budget-sweep-in-domain"},
        {"budget-sweep", "out-of-domain", "budget-sweep-out-of-domain"},
        {"reliability", "in-domain", "reliability-in-domain"},
        {"roc", "in-domain", "roc-in-domain"},
        {"risk-coverage", "in-domain", "risk-coverage-in-domain"},
        {"histogram", "in-domain", "histogram-in-domain"},
    };
    std::error_code failed;
    std::filesystem::create_directories(folder, failed);
    if (failed) throw Error("cannot make the folder " + folder.string() + ": " + failed.message());
    const auto connection = project.reader();
    std::vector<std::string> written;
    for (const Wanted& wanted : kAll) {
        ui::FigureRequest request;
        request.figure = QString::fromLatin1(wanted.figure);
        request.set = QString::fromLatin1(wanted.set);
        try {
            const auto plot = ui::buildFigure(*connection, request);
            for (const char* extension : {".pdf", ".svg", ".png", ".csv"}) {
                const std::string file = (folder / (std::string(wanted.file) + extension)).string();
                written.push_back(ui::exportFigure(*plot, QString::fromStdString(file)).toStdString());
            }
        } catch (const InputError& error) {
            skipped.push_back(std::string(wanted.file) + ": " + error.what());
        }
    }
    return written;
}

}  // namespace candor::app
