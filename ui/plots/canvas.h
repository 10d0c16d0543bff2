// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <qcustomplot.h>

#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "ui/plots/plot_style.h"
#include "ui/theme/method_style.h"

namespace candor::ui {

enum class Depth { Under, Band, Line, Mark, Label };  // what covers what

// Marks that answer to the pointer. `at` gives axis coordinates; `area`, where set, the mark's rectangle instead.
struct HotSeries {
    QCPAxisRect* rect = nullptr;
    int series = 0;
    int count = 0;
    std::function<QPointF(int)> at;
    std::function<QRectF(int)> area;
    std::function<QString(int)> text;
    std::vector<int> ids = {};  // what PlotView::activate gets instead of the index; empty: the index
};

struct LegendEntry {
    MethodStyle style;
    double width = 1.5;
    bool line = true, marker = false;
    QString text, value;  // value: secondary colour, aligned right
};

struct EndLabel {
    double y = 0;  // axis coordinate
    QColor color;
    QString text;
};

// What plots draw on: one QCustomPlot, of the screen or made for one export, and the style. All drawing of ours goes
// through sketches, which run at paint time in pixels, so that labels know the final layout.
class Canvas {
  public:
    Canvas(QCustomPlot& plot, const PlotStyle& style);

    QCustomPlot& plot;
    PlotStyle style;
    QCPAxisRect* main = nullptr;
    QCPAxisRect* strip = nullptr;  // below main, same x axis; null where a plot has none
    QCPAxis *x = nullptr, *y = nullptr;
    std::vector<HotSeries> hot;
    std::map<const char*, QCPRange> kept;               // screen: ranges that stand still
    std::optional<std::pair<QCPRange, QCPRange>> zoom;  // x and y, chosen by the user
    std::pair<QCPRange, QCPRange> home;                 // what a reset returns to

    void reset();   // empty, with fresh axes in the style
    void finish();  // after build: applies the zoom
    void addStrip(double share);

    void names(const QString& xName, const QString& yName);
    void unitAxis(QCPAxis* axis, double lo = 0, double hi = 1);  // fixed range, ticks at fifths
    // Range around finite values; `key` names what stands still on screen. Room is added where `slack` asks for it.
    void fit(QCPAxis* axis, const char* key, double lo, double hi, double slack = 0);

    void sketch(Depth depth, std::function<void(QCPPainter&)> draw, QCPAxisRect* clip = nullptr);
    void curve(std::vector<QPointF> points, const QPen& pen);  // parametric, as given
    void band(std::vector<QPointF> outline, const QColor& color, double alpha = 0.18);
    void marks(std::vector<QPointF> points, const MethodStyle& style, double size = 0);
    void legend(Qt::Corner corner, std::vector<LegendEntry> entries);  // at most ten, then "and n more"
    void endLabels(std::vector<EndLabel> labels);                      // in the right margin, never overlapping
    void note(Qt::Corner corner, const QStringList& lines);            // small, secondary
    QPointF pixel(double px, double py) const { return QPointF(x->coordToPixel(px), y->coordToPixel(py)); }

  private:
    void styleAxis(QCPAxis* axis, bool grid) const;
    std::vector<std::unique_ptr<QCPLayerable>> sketches_;
};

// Colours of several runs of one method: from light to strong, all at 3:1 or more on the surface.
QColor shade(const QColor& color, int index, int count, const Theme& theme);
QString elide(const QString& text, const QFont& font, double width);
// Three significant digits as the papers write them: "0.842", "12.3", "1.2e-05"; "nan" is an en dash.
QString shortNumber(double value, int digits = 3);

}  // namespace candor::ui
