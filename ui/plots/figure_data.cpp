// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plots/figure_data.h"

#include <algorithm>
#include <cmath>

#include "ui/plots/canvas.h"

namespace candor::ui {

int FigureData::rows() const {
    std::size_t most = 0;
    for (const FigureColumn& c : columns)
        most = std::max(most, c.isText ? static_cast<std::size_t>(c.text.size()) : c.number.size());
    return static_cast<int>(most);
}

const FigureColumn* FigureData::column(const QString& name) const {
    const auto found =
        std::find_if(columns.begin(), columns.end(), [&](const FigureColumn& c) { return c.name == name; });
    return found == columns.end() ? nullptr : &*found;
}

QString FigureData::cell(int row, int column, int digits) const {
    const FigureColumn& c = columns[static_cast<std::size_t>(column)];
    if (c.isText) return row < c.text.size() ? c.text[row] : QString();
    if (row >= static_cast<int>(c.number.size())) return {};
    const double value = c.number[static_cast<std::size_t>(row)];
    if (std::isfinite(value) && value == std::rint(value) && std::abs(value) < 1e15)
        return QString::number(static_cast<qint64>(value));
    return shortNumber(value, digits);
}

}  // namespace candor::ui
