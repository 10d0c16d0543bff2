// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plots/smoothing.h"

#include <algorithm>
#include <cmath>

namespace candor::ui {
namespace {

std::vector<QPointF> thinned(const std::vector<QPointF>& points, std::size_t buckets) {
    std::vector<QPointF> kept;
    const double width = double(points.size()) / double(buckets);
    for (std::size_t b = 0; b < buckets; ++b) {
        const auto from = static_cast<std::size_t>(double(b) * width);
        const auto to = std::min(points.size(), static_cast<std::size_t>(double(b + 1) * width));
        if (from >= to) continue;
        std::size_t low = from, high = from;
        for (std::size_t i = from; i < to; ++i) {
            if (points[i].y() < points[low].y()) low = i;
            if (points[i].y() > points[high].y()) high = i;
        }
        kept.push_back(points[std::min(low, high)]);
        if (low != high) kept.push_back(points[std::max(low, high)]);
    }
    return kept;
}

}  // namespace

bool drawable(double value, bool log) { return std::isfinite(value) && std::abs(value) < 1e250 && (!log || value > 0); }

std::vector<double> smoothed(const std::vector<double>& values, double weight, bool log) {
    if (weight <= 0) return values;
    std::vector<double> result;
    result.reserve(values.size());
    double sum = 0, share = 0;
    for (const double v : values) {
        if (!drawable(v, log)) {
            result.push_back(v);
            continue;
        }
        sum = weight * sum + (1 - weight) * v;
        share = weight * share + (1 - weight);
        result.push_back(sum / share);
    }
    return result;
}

std::vector<std::vector<QPointF>> segments(const std::vector<double>& x, const std::vector<double>& y, bool log,
                                           int most) {
    std::vector<std::vector<QPointF>> parts;
    bool open = false;
    for (std::size_t i = 0; i < y.size(); ++i) {
        if (!drawable(y[i], log) || !std::isfinite(x[i])) {
            open = false;
            continue;
        }
        if (!open) parts.emplace_back();
        parts.back().emplace_back(x[i], y[i]);
        open = true;
    }
    if (most > 0 && y.size() > 20000)
        for (auto& part : parts)
            if (part.size() > static_cast<std::size_t>(2 * most)) part = thinned(part, static_cast<std::size_t>(most));
    return parts;
}

}  // namespace candor::ui
