// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFont>
#include <QString>

#include "ui/theme/theme.h"

namespace candor::ui {

// Everything a plot needs to know about where it is drawn. Lengths are pixels on screen, points on paper (fonts are
// set by pixel size on both, so that no screen's dpi changes a layout).
struct PlotStyle {
    Theme theme;
    QString family;      // empty: the application's
    int label = 12;      // axis titles, direct labels
    int tick = 11;       // ticks, notes, corner texts
    double line = 1.75;  // curves
    double heavy = 3.0;  // full supervision
    double axis = 1.0;   // axes and grid
    double tickLength = 4;
    double marker = 7;  // across
    double pad = 4;
    double gridAlpha = 0.75;
    bool paper = false;
    bool titled = false;  // paper only: the title above
    bool legend = true;   // false: what the figure around says once for all its panels
    QFont font(bool small = false, bool bold = false) const;
};

PlotStyle screenStyle();

}  // namespace candor::ui
