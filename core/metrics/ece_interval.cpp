// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "core/metrics/calibration_error.h"
#include "core/metrics/normal.h"
#include "core/metrics/perfect_calibration.h"
#include "core/metrics/random.h"
#include "core/metrics/sum.h"

namespace candor {
namespace {

// Models between and beyond the confidences (scale 0) and the accuracies seen (scale 1) of the bins.
class ScaledGaps {
  public:
    ScaledGaps(const std::vector<Bin>& bins, const CalibrationDraws& options) : draws_(options.draws) {
        for (const Bin& bin : bins) {
            if (bin.count == 0) continue;
            const auto count = static_cast<double>(bin.count);
            bins_.push_back({count, bin.confidenceSum / count, (bin.correct - bin.confidenceSum) / count});
            rows_ += count;
            seen_ += std::abs(bin.correct - bin.confidenceSum);
        }
        seen_ /= rows_;
        // The same normal numbers at every scale: what is seen then changes smoothly with it.
        Lcg random(options.seed);
        for (std::size_t i = 0; i < bins_.size() * static_cast<std::size_t>(draws_); ++i)
            normals_.push_back(normalQuantile(random.unit() + 0x1p-54));
    }

    double seen() const { return seen_; }
    double trueEce(double scale) const {
        Sum sum;
        for (const Row& bin : bins_) sum.add(bin.count * std::abs(accuracy(bin, scale) - bin.confidence));
        return sum.value() / rows_;
    }
    // Share of draws whose ECE is at least the one seen: rises with the scale.
    double shareAtLeastSeen(double scale) const {
        std::vector<double> shift, spread;
        for (const Row& bin : bins_) {
            const double p = accuracy(bin, scale);
            shift.push_back(bin.count * (p - bin.confidence));
            spread.push_back(std::sqrt(p * (1 - p) * bin.count));
        }
        int atLeast = 0;
        const double* normal = normals_.data();
        for (int draw = 0; draw < draws_; ++draw) {
            double sum = 0;
            for (std::size_t b = 0; b < bins_.size(); ++b) sum += std::abs(shift[b] + spread[b] * *normal++);
            atLeast += sum >= seen_ * rows_ * (1 - 1e-12);
        }
        return static_cast<double>(atLeast) / draws_;
    }
    // The true ECE at which that share reaches `share`; 0 where it has it without any miscalibration.
    double trueEceAt(double share) const {
        double low = 0, high = 1;
        if (shareAtLeastSeen(low) >= share) return 0;
        while (shareAtLeastSeen(high) < share && high < 1024) high *= 2;
        for (int step = 0; step < 40; ++step) {
            const double middle = (low + high) / 2;
            (shareAtLeastSeen(middle) < share ? low : high) = middle;
        }
        return trueEce(high);
    }

  private:
    struct Row {
        double count, confidence, gap;
    };
    static double accuracy(const Row& bin, double scale) {
        return std::clamp(bin.confidence + scale * bin.gap, 0.0, 1.0);
    }

    int draws_;
    std::vector<Row> bins_;
    std::vector<double> normals_;
    double rows_ = 0, seen_ = 0;
};

double debiased(const std::vector<Bin>& bins) {
    // One block a bin is all that the closed form needs.
    std::vector<TieBlock> blocks;
    BinOffsets offsets = {0};
    for (const Bin& bin : bins) {
        if (bin.count == 0) continue;
        const auto count = static_cast<double>(bin.count);
        blocks.push_back({bin.confidenceSum / count, count, bin.correct});
        offsets.push_back(blocks.size());
    }
    return std::max(0.0, expectedCalibrationErrorDebiased(tieBlocks(std::move(blocks)), offsets));
}

}  // namespace

EceInterval eceInterval(std::span<const double> confidence, std::span<const double> correct, const BinOptions& bins,
                        const CalibrationDraws& options) {
    validate({confidence, correct});
    if (options.draws < 1 || !(options.level > 0 && options.level < 1))
        throw InputError("bad_level", "an interval needs a level in (0, 1) and at least one draw, got " +
                                          std::to_string(options.level) + " and " + std::to_string(options.draws));
    const Binning binning = binByConfidence(confidence, correct, bins);
    const ScaledGaps models(binning.bins, options);
    EceInterval result;
    result.ece = models.seen();
    result.debiased = debiased(binning.bins);
    result.lo = models.trueEceAt((1 - options.level) / 2);
    result.median = models.trueEceAt(0.5);
    result.hi = models.trueEceAt((1 + options.level) / 2);
    return result;
}

}  // namespace candor
