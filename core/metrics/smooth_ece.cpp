// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/metrics/smooth_ece.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "core/metrics/sum.h"

namespace candor {
namespace {

constexpr double kLeastWidth = 1e-3;
constexpr std::size_t kMostPoints = 1 << 14;  // more distinct confidences are shared out to this many grid points

struct Residual {
    double at, mass;  // mass: sum of (confidence - correct) / n
};

// Each confidence is split between its two neighbours on the grid, which keeps mass and mean.
std::vector<Residual> onGrid(const TieBlocks& rows) {
    std::vector<Residual> points(kMostPoints + 1);
    for (std::size_t i = 0; i < points.size(); ++i) points[i] = {static_cast<double>(i) / kMostPoints, 0};
    for (const TieBlock& block : rows.blocks) {
        const double place = block.confidence * kMostPoints;
        const auto left = std::min(static_cast<std::size_t>(place), kMostPoints - 1);
        const double share = place - static_cast<double>(left);
        const double mass = (block.count * block.confidence - block.correct) / rows.count;
        points[left].mass += (1 - share) * mass;
        points[left + 1].mass += share * mass;
    }
    return points;
}

std::vector<Residual> residuals(const TieBlocks& rows) {
    if (rows.blocks.size() > kMostPoints) return onGrid(rows);
    std::vector<Residual> points;
    points.reserve(rows.blocks.size());
    for (const TieBlock& block : rows.blocks)
        points.push_back({block.confidence, (block.count * block.confidence - block.correct) / rows.count});
    return points;
}

// The reflected Gaussian is the Neumann heat kernel: cosine mode m decays by exp(-(m pi s)^2 / 2). So the residuals
// are needed only through their cosine coefficients, as many as still matter at a width.
class SmoothedResiduals {
  public:
    explicit SmoothedResiduals(const TieBlocks& rows) : points_(residuals(rows)) {
        for (const Residual& point : points_) {
            twiceCosine_.push_back(2 * std::cos(std::numbers::pi * point.at));
            now_.push_back(point.mass);  // mass x cos(m pi at), by the recurrence of Chebyshev polynomials
            before_.push_back(point.mass * std::cos(std::numbers::pi * point.at));  // m = -1 equals m = 1
        }
    }

    // Integral over t in [0, 1] of |smoothed residual at t|.
    double meanAbsolute(double width) {
        const auto modes = static_cast<std::size_t>(8.7 / (std::numbers::pi * width)) + 2;  // exp(-8.7^2/2) = 4e-17
        extend(modes);
        std::vector<double> decayed(modes);
        for (std::size_t m = 0; m < modes; ++m) {
            const double decay = static_cast<double>(m) * std::numbers::pi * width;
            decayed[m] = (m == 0 ? 1 : 2) * coefficients_[m] * std::exp(-decay * decay / 2);
        }
        return integrateAbsolute(decayed, std::clamp(static_cast<int>(200 / width), 2000, 20000));
    }

  private:
    void extend(std::size_t modes) {
        while (coefficients_.size() < modes) {
            Sum sum;
            for (double term : now_) sum.add(term);
            coefficients_.push_back(sum.value());
            for (std::size_t i = 0; i < now_.size(); ++i) {
                const double next = twiceCosine_[i] * now_[i] - before_[i];
                before_[i] = now_[i];
                now_[i] = next;
            }
        }
    }

    // Clenshaw's recurrence at `Lanes` points side by side, so that the compiler can use vectors.
    static constexpr int Lanes = 8;
    static void evaluate(const std::vector<double>& series, const double (&twiceCosine)[Lanes],
                         double (&value)[Lanes]) {
        double next[Lanes] = {}, afterNext[Lanes] = {};
        for (std::size_t m = series.size(); m-- > 1;)
            for (int lane = 0; lane < Lanes; ++lane) {
                const double here = series[m] + twiceCosine[lane] * next[lane] - afterNext[lane];
                afterNext[lane] = next[lane];
                next[lane] = here;
            }
        for (int lane = 0; lane < Lanes; ++lane)
            value[lane] = series[0] + twiceCosine[lane] / 2 * next[lane] - afterNext[lane];
    }

    // Trapezoids on `cells` cells; a cell in which the sign changes is cut where the straight line crosses zero.
    static double integrateAbsolute(const std::vector<double>& series, int cells) {
        std::vector<double> at;
        for (int i = 0; i <= cells; i += Lanes) {
            double twiceCosine[Lanes], value[Lanes];
            for (int lane = 0; lane < Lanes; ++lane)
                twiceCosine[lane] = 2 * std::cos(std::numbers::pi * (i + lane) / cells);
            evaluate(series, twiceCosine, value);
            at.insert(at.end(), value, value + Lanes);
        }
        Sum sum;
        for (std::size_t i = 0; i < static_cast<std::size_t>(cells); ++i) {
            const double a = std::abs(at[i]), b = std::abs(at[i + 1]);
            const bool crosses = (at[i] < 0) != (at[i + 1] < 0) && a + b > 0;
            sum.add(crosses ? (a * a + b * b) / (2 * (a + b)) : (a + b) / 2);
        }
        return sum.value() / cells;
    }

    std::vector<Residual> points_;
    std::vector<double> twiceCosine_, now_, before_;
    std::vector<double> coefficients_;
};

}  // namespace

double smoothCalibrationError(const TieBlocks& rows) {
    SmoothedResiduals smoothed(rows);
    // The excess meanAbsolute(s) - s falls in s and is not above 0 at 1: halve until it is positive, then close in by
    // the Illinois rule. Small widths are dear, and this never goes below half the answer.
    double high = 1, excessHigh = smoothed.meanAbsolute(high) - high;
    if (excessHigh >= 0) return 1;
    double low = high, excessLow = excessHigh;
    while (excessLow < 0 && low > kLeastWidth) {
        high = low;
        excessHigh = excessLow;
        low = std::max(low / 2, kLeastWidth);
        excessLow = smoothed.meanAbsolute(low) - low;
    }
    if (excessLow <= 0) return low + excessLow;
    for (int step = 0; step < 100 && high - low > 1e-13; ++step) {
        const double middle = std::clamp((low * excessHigh - high * excessLow) / (excessHigh - excessLow), low, high);
        const double excess = smoothed.meanAbsolute(middle) - middle;
        if (std::abs(excess) < 1e-14) return middle;
        if (excess > 0) {
            low = middle;
            excessLow = excess;
            excessHigh /= 2;
        } else {
            high = middle;
            excessHigh = excess;
            excessLow /= 2;
        }
    }
    return low + (high - low) / 2;
}

}  // namespace candor
