// SPDX-License-Identifier: GPL-3.0-or-later
//
// Metrics on made-up rows, in seconds of processor time of one core. Without arguments: the figures beside their limits
// (spec/cost.md D.4). With --each: every metric by itself. With --write FILE: the million rows as CSV, for
// metrics_sklearn.py, which times the same on scikit-learn.
#include <cstdio>
#include <cstring>
#include <ctime>
#include <fstream>
#include <string>
#include <vector>

#include "core/metrics/bootstrap.h"
#include "core/metrics/delong.h"
#include "core/metrics/metrics.h"
#include "core/metrics/perfect_calibration.h"
#include "core/metrics/random.h"
#include "core/metrics/registry.h"

namespace {

struct Rows {
    std::vector<double> confidence, correct;
    candor::Scored scored() const { return {confidence, correct}; }
};

// Overconfident at both ends: P(correct) = 0.2 + 0.6 confidence; `levels` > 0: that many equal steps of confidence.
Rows makeRows(int n, int levels) {
    Rows rows;
    candor::Lcg random(1);
    for (int i = 0; i < n; ++i) {
        const double u = random.unit(), v = random.unit();
        rows.confidence.push_back(levels > 0 ? static_cast<double>(static_cast<int>(u * (levels + 1))) / levels : u);
        rows.correct.push_back(v < 0.2 + 0.6 * u);
    }
    return rows;
}

double seconds(const auto& work) {
    const std::clock_t start = std::clock();
    work();
    return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

void line(const std::string& what, double measured, double limit) {
    std::printf("%-52s %8.3f s", what.c_str(), measured);
    if (limit > 0) std::printf("   limit %.1f s  %s", limit, measured < limit ? "kept" : "MISSED");
    std::printf("\n");
}

void figures(const Rows& million, const std::string& kind) {
    const candor::Scored rows = million.scored();
    line("1,000,000 rows, " + kind + ": all metrics", seconds([&] { candor::allMetrics(rows); }), 2);
    line("1,000,000 rows, " + kind + ": AUROC with DeLong", seconds([&] { candor::delongInterval(rows); }), 0.5);
}

void resamples(const Rows& rows) {
    candor::BootstrapOptions options;
    const std::vector<std::string> two = {"auroc", "ece_ew10"};
    line("14,000 rows: 1,000 bootstraps of AUROC and ECE",
         seconds([&] { candor::bootstrap(rows.scored(), two, options); }), 1);
    line("14,000 rows: 1,000 bootstraps of all that have one",
         seconds([&] { candor::bootstrap(rows.scored(), candor::bootstrapMetrics(), options); }), 0);
    line("14,000 rows: ECE under perfect calibration, 1,000 draws",
         seconds([&] { candor::perfectCalibration(rows.confidence, rows.correct, {}); }), 0);
    line("14,000 rows: bias-corrected ECE interval",
         seconds([&] { candor::eceInterval(rows.confidence, rows.correct, {}); }), 0);
}

void each(const Rows& million) {
    const candor::Scored rows = million.scored();
    candor::TieBlocks blocks;
    line("tie blocks", seconds([&] { blocks = candor::tieBlocks(rows); }), 0);
    for (const candor::MetricEntry& entry : candor::metricTable()) {
        candor::Metric metric;
        const double time = seconds([&] { metric = candor::evaluate(entry, rows, blocks); });
        std::printf("  %-28s %8.3f s   %.15g\n", entry.name.c_str(), time, metric.value);
    }
}

void write(const Rows& rows, const std::string& file) {
    std::ofstream out(file);
    out.precision(17);
    out << "confidence,correct\n";
    for (std::size_t i = 0; i < rows.confidence.size(); ++i)
        out << rows.confidence[i] << ',' << rows.correct[i] << '\n';
}

}  // namespace

int main(int argc, char** argv) {
    const Rows million = makeRows(1000000, 0);
    if (argc == 3 && std::strcmp(argv[1], "--write") == 0) {
        write(million, argv[2]);
    } else if (argc == 2 && std::strcmp(argv[1], "--each") == 0) {
        each(million);
    } else {
        figures(million, "all different");
        figures(makeRows(1000000, 20), "21 values");
        resamples(makeRows(14000, 0));
    }
    return 0;
}
