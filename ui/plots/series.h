// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include "ui/plots/plot_style.h"
#include "ui/plots/plot_view.h"
#include "ui/theme/method_style.h"

namespace candor::ui {

// Throws InputError ("length_mismatch") naming the run.
void checkLengths(const std::vector<PlotSeries>& series);

// One name a run, all distinct: the run's label, else method and budget; equal ones get their seed, then their id.
std::vector<QString> seriesNames(const std::vector<PlotSeries>& series);

// Colour by method, shade by budget within a method (lightest first by budget, then by order).
std::vector<MethodStyle> seriesStyles(const std::vector<PlotSeries>& series, const Theme& theme);

// Why one run cannot be drawn ("40 right, 0 wrong: ..."); empty: it can. `probability` asks for numbers in [0, 1].
QString whyNot(const PlotSeries& series, bool probability, bool bothClasses);

// Fills a FigureData row by row.
class TableBuilder {
  public:
    TableBuilder& text(const char* name, const QString& value);
    TableBuilder& number(const char* name, double value);
    TableBuilder& about(std::size_t index, const PlotSeries& series, const QString& label);  // series, run, label, ...
    FigureData take(const QString& title, const QString& note);

  private:
    FigureColumn& column(const char* name, bool isText);
    std::vector<FigureColumn> columns_;
    std::size_t next_ = 0;  // columns come in the same order in every row: found without a search
};

}  // namespace candor::ui
