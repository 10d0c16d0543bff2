// SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>

#include "core/error.h"
#include "ui/export/figure.h"
#include "ui/plots/plot_style.h"
#include "ui/plots/plot_view.h"
#include "ui/theme/fonts.h"

namespace candor::ui {
namespace {

// Widths and sizes as tueplots has them for the venues' styles; whole: the width of the page where it has two columns.
struct Preset {
    const char* name;
    double column, whole;  // inches
    int base;              // points; ticks and legends are 2 less
    bool serif;
    double aspect;
};

constexpr double kGolden = 0.618;
constexpr Preset kPresets[] = {
    {"iclr", 5.5, 5.5, 9, true, kGolden},     {"neurips", 5.5, 5.5, 9, true, kGolden},
    {"icml", 3.25, 6.75, 8, true, kGolden},   {"acl", 3.03, 6.3, 9, true, kGolden},
    {"aaai", 3.3, 6.975, 9, true, kGolden},   {"tmlr", 6.5, 6.5, 9, true, kGolden},
    {"slides", 4.96, 4.96, 9, false, 0.5625},
};

const Preset& preset(const FigureOptions& options) {
    for (const Preset& p : kPresets)
        if (options.preset == QLatin1String(p.name)) return p;
    throw InputError("bad_preset", "no figure preset is called " + options.preset.toStdString() + "; there are " +
                                       figurePresets().join(QStringLiteral(", ")).toStdString());
}

}  // namespace

QStringList figurePresets() {
    QStringList names;
    for (const Preset& p : kPresets) names << QString::fromLatin1(p.name);
    return names;
}

QStringList figureFormats() {
    return {QStringLiteral("pdf"), QStringLiteral("svg"), QStringLiteral("png"), QStringLiteral("csv"),
            QStringLiteral("tex")};
}

QSize figureSize(const PlotView& plot, const FigureOptions& options) {
    const Preset& p = preset(options);
    const bool whole = options.columns >= 2 || plot.wantsWholeWidth();
    double width = options.width > 0 ? options.width : whole ? p.whole : p.column;
    const double aspect = plot.paperAspect() > 0 ? plot.paperAspect() : p.aspect;
    // A square plot as wide as a single-column page would be as high as a hand: half of the text is enough.
    if (options.width <= 0 && options.height <= 0 && plot.paperAspect() > 0 && width > 4 && !plot.wantsWholeWidth())
        width /= 2;
    const double height = options.height > 0 ? options.height : width * aspect;
    const QSize points(static_cast<int>(std::lround(width * 72)), static_cast<int>(std::lround(height * 72)));
    if (points.width() < 72 || points.height() < 54 || points.width() > 3600 || points.height() > 3600)
        throw InputError("bad_size", "a figure is 1 to 50 inches wide and 0.75 to 50 high, got " +
                                         std::to_string(width) + " x " + std::to_string(height));
    return points;
}

PlotStyle paperStyle(const FigureOptions& options) {
    const Preset& p = preset(options);
    PlotStyle style;
    style.theme = lightTheme();
    style.theme.window = style.theme.surface = Qt::white;
    style.family = p.serif ? bundledSerif() : bundledSans();
    style.label = options.fontSize > 0 ? std::max(4, static_cast<int>(std::lround(options.fontSize))) : p.base;
    style.tick = std::max(4, style.label - 2);
    style.line = 1.0;
    style.heavy = 1.8;
    style.axis = 0.5;
    style.tickLength = 3;
    style.marker = 4.6;
    style.pad = 2;
    style.paper = true;
    style.titled = options.titled;
    return style;
}

}  // namespace candor::ui
