// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <vector>

#include "ui/theme/method_style.h"

namespace candor::ui {

// One curve of a PGFPlots figure: rows of the data whose column "series" equals `series`.
struct PgfCurve {
    int series = 0;
    QString name;
    MethodStyle style;
    bool heavy = false, marks = false, flat = false;  // flat: a level across the page, `y` of its only row
    double level = 0;
    QString x, y, lo, hi;  // column names; lo and hi empty: no band
};

// What a plot is in PGFPlots' words. No curves: this plot cannot be said that way.
struct PgfPlot {
    QString xName, yName;
    bool logX = false, logY = false, unitX = false, unitY = false, diagonal = false, legendRight = false;
    std::vector<double> ticks;  // of x where they are no round numbers, with their words; first and last bound the axis
    std::vector<QString> words;
    std::vector<PgfCurve> curves;
};

}  // namespace candor::ui
