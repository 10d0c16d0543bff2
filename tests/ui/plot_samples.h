// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cmath>
#include <cstdint>

#include "ui/plots/plot_view.h"

namespace candor::ui {

// Rows whose confidence is a blend of truth and noise; the same on every machine.
inline PlotSeries sampleSeries(qint64 run, const char* method, qint64 budget, int n, double shift = 0.05) {
    PlotSeries s;
    s.run = run, s.method = QString::fromLatin1(method), s.budget = budget;
    std::uint64_t x = 42 + static_cast<std::uint64_t>(run);
    const auto uniform = [&x] {
        x = 6364136223846793005ull * x + 1442695040888963407ull;
        return static_cast<double>(x >> 11) / 9007199254740992.0;
    };
    for (int i = 0; i < n; ++i) {
        const double p = uniform();
        s.question.push_back(1000 + i);
        s.correct.push_back(uniform() < p ? 1 : 0);
        s.confidence.push_back(std::min(1.0, std::max(0.0, p + shift + 0.2 * (uniform() - 0.5))));
    }
    return s;
}

inline double at(const FigureData& data, const char* column, std::size_t row) {
    return data.column(QString::fromLatin1(column))->number.at(row);
}

}  // namespace candor::ui
