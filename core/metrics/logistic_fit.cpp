// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/metrics/logistic_fit.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/metrics/scores.h"
#include "core/metrics/sum.h"

namespace candor {
namespace {

using Vector = std::array<double, 3>;

struct Gradient {
    Vector first{};
    std::array<Vector, 3> second{};
};

double linear(const LogisticRow& row, const Vector& coefficient) {
    return row.offset + row.x[0] * coefficient[0] + row.x[1] * coefficient[1] + row.x[2] * coefficient[2];
}

double lossAt(const std::vector<LogisticRow>& rows, const Vector& coefficient) {
    Sum sum;
    for (const LogisticRow& row : rows) {
        const double z = linear(row, coefficient);
        sum.add(row.correct * softplus(-z) + row.wrong * softplus(z));
    }
    return sum.value();
}

// Plain sums over a few thousand rows, which compensated sums then collect: as exact as needed and much faster.
constexpr std::size_t kChunk = 2048;

Gradient gradientOf(const LogisticRow* first, const LogisticRow* last, const Vector& coefficient) {
    Gradient sum;
    for (const LogisticRow* row = first; row != last; ++row) {
        const double z = linear(*row, coefficient);
        const double e = std::exp(-std::abs(z)), large = 1 / (1 + e), small = e * large;
        const double p = z >= 0 ? large : small, q = z >= 0 ? small : large;
        const double residual = row->wrong * p - row->correct * q, curvature = (row->correct + row->wrong) * p * q;
        for (std::size_t i = 0; i < 3; ++i) {
            sum.first[i] += residual * row->x[i];
            for (std::size_t j = 0; j <= i; ++j) sum.second[i][j] += curvature * row->x[i] * row->x[j];
        }
    }
    return sum;
}

Gradient gradientAt(const std::vector<LogisticRow>& rows, const Vector& coefficient) {
    std::array<Sum, 3> first;
    std::array<std::array<Sum, 3>, 3> second;
    for (std::size_t from = 0; from < rows.size(); from += kChunk) {
        const std::size_t to = std::min(rows.size(), from + kChunk);
        const Gradient part = gradientOf(rows.data() + from, rows.data() + to, coefficient);
        for (std::size_t i = 0; i < 3; ++i) {
            first[i].add(part.first[i]);
            for (std::size_t j = 0; j <= i; ++j) second[i][j].add(part.second[i][j]);
        }
    }
    Gradient gradient;
    for (std::size_t i = 0; i < 3; ++i) {
        gradient.first[i] = first[i].value();
        for (std::size_t j = 0; j <= i; ++j) gradient.second[i][j] = gradient.second[j][i] = second[i][j].value();
    }
    return gradient;
}

// Cholesky; nothing where the matrix is not safely positive.
std::optional<Vector> solve(const Gradient& gradient, std::size_t features) {
    std::array<Vector, 3> lower{};
    for (std::size_t i = 0; i < features; ++i)
        for (std::size_t j = 0; j <= i; ++j) {
            double rest = gradient.second[i][j];
            for (std::size_t k = 0; k < j; ++k) rest -= lower[i][k] * lower[j][k];
            if (i == j && !(rest > 1e-14 * gradient.second[i][i])) return std::nullopt;
            lower[i][j] = i == j ? std::sqrt(rest) : rest / lower[j][j];
        }
    Vector x = gradient.first;
    for (std::size_t i = 0; i < features; ++i) {
        for (std::size_t k = 0; k < i; ++k) x[i] -= lower[i][k] * x[k];
        x[i] /= lower[i][i];
    }
    for (std::size_t i = features; i-- > 0;) {
        for (std::size_t k = i + 1; k < features; ++k) x[i] -= lower[k][i] * x[k];
        x[i] /= lower[i][i];
    }
    return x;
}

double dot(const Vector& a, const Vector& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

double largest(const Vector& values) {
    return std::max({std::abs(values[0]), std::abs(values[1]), std::abs(values[2])});
}

}  // namespace

double logitOfClipped(double confidence) {
    const double p = std::clamp(confidence, kClip, 1 - kClip);
    return std::log(p) - std::log1p(-p);
}

double sigmoid(double x) {
    if (x >= 0) return 1 / (1 + std::exp(-x));
    const double e = std::exp(x);
    return e / (1 + e);
}

double softplus(double x) { return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x))); }

// The loss is convex, so its slope along a step tells whether the step went too far: no value of it is needed.
LogisticFit fitLogistic(const std::vector<LogisticRow>& rows, std::size_t features) {
    LogisticFit fit;
    Gradient gradient = gradientAt(rows, fit.coefficient);
    for (int iteration = 0; iteration < 200 && !fit.converged; ++iteration) {
        const std::optional<Vector> step = solve(gradient, features);
        if (!step) break;
        const double before = dot(gradient.first, *step);
        // The error of the next point is the square of this one's.
        fit.converged = largest(*step) <= 1e-9 * std::max(1.0, largest(fit.coefficient));
        Vector tried{};
        double scale = 1;
        for (int halving = 0; halving < 60; ++halving, scale /= 2) {
            for (std::size_t i = 0; i < features; ++i) tried[i] = fit.coefficient[i] - scale * (*step)[i];
            gradient = gradientAt(rows, tried);
            if (fit.converged || dot(gradient.first, *step) >= -0.9 * before) break;
        }
        if (!(largest(tried) <= 1e8)) break;
        fit.coefficient = tried;
    }
    fit.loss = lossAt(rows, fit.coefficient);
    return fit;
}

bool overlaps(const TieBlocks& rows) {
    if (rows.oneClass()) return false;
    const auto hasCorrect = [](const TieBlock& block) { return block.correct > 0; };
    const auto hasWrong = [](const TieBlock& block) { return block.wrong() > 0; };
    const auto& blocks = rows.blocks;
    const double lowestCorrect = std::find_if(blocks.begin(), blocks.end(), hasCorrect)->confidence;
    const double lowestWrong = std::find_if(blocks.begin(), blocks.end(), hasWrong)->confidence;
    const double highestCorrect = std::find_if(blocks.rbegin(), blocks.rend(), hasCorrect)->confidence;
    const double highestWrong = std::find_if(blocks.rbegin(), blocks.rend(), hasWrong)->confidence;
    return lowestCorrect < highestWrong && lowestWrong < highestCorrect;
}

}  // namespace candor
