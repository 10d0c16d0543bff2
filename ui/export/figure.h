// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QSize>
#include <QString>
#include <QStringList>

namespace candor::ui {

class PlotView;
struct PlotStyle;

struct FigureOptions {
    QString preset = QStringLiteral("iclr");  // iclr, neurips, icml, acl, aaai, tmlr, slides
    int columns = 1;                          // 1: one column of the venue, 2: the whole page where it has two
    double width = 0, height = 0;             // inches; 0: the preset's
    double fontSize = 0;                      // points of labels, whole; ticks are 2 less; 0: the preset's
    int dpi = 300;                            // PNG: pixels = inches x dpi
    bool titled = false;                      // papers put titles into captions
    QString format = QStringLiteral("pdf");   // where the path has no known extension: pdf, svg, png, csv, tex
};

QStringList figurePresets();
QStringList figureFormats();

// Throws InputError ("bad_preset") naming the known ones.
QSize figureSize(const PlotView& plot, const FigureOptions& options);  // points (1/72 inch), whole
PlotStyle paperStyle(const FigureOptions& options);

// The file's bytes. Light theme and bundled fonts whatever the screen shows. Needs a QApplication (offscreen is
// enough). Throws InputError ("bad_format", "nothing_to_draw"), Error if what was written is not whole.
QByteArray figureBytes(const PlotView& plot, const QString& format, const FigureOptions& options);

// Writes the figure, with the extension added where it is missing, and returns the path written. `.tex` (PGFPlots)
// puts its numbers beside it as NAME-data.csv. Throws Error naming path and cause (full disk, read-only folder); an old
// file then stays.
QString exportFigure(const PlotView& plot, const QString& path, const FigureOptions& options = {});

// Bytes to a path the same way: memory first, then QSaveFile. For tables and whatever else is exported.
void writeWhole(const QString& path, const QByteArray& bytes);

// C locale, one row a mark; "nan", "inf" as numpy and PGFPlots read them.
QByteArray figureCsv(const PlotView& plot);

}  // namespace candor::ui
