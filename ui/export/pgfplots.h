// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QSize>
#include <QString>

namespace candor::ui {

class PlotView;
struct PlotStyle;

// A tikzpicture that reads `csv`, in the document's own font. Throws InputError ("bad_format") where a plot has no
// such form. Needs \usepackage{pgfplots} and \usepgfplotslibrary{fillbetween}.
QByteArray pgfplots(const PlotView& plot, const QSize& points, const PlotStyle& style, const QString& csv);

// The numbers of a plot as PGFPlots can read them: no text columns, "nan" and "inf" as it spells them.
QByteArray pgfCsv(const PlotView& plot);

// Text for LaTeX: specials escaped.
QString latex(const QString& text);

}  // namespace candor::ui
