// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "ui/models/project_data.h"
#include "ui/plots/plot_view.h"

namespace candor::ui {

// Metrics of the selected run on one of its sets, or on several of them.
struct SetMetrics {
    std::string set;  // "dataset/split", "weighted" or "macro"
    bool average = false;
    std::int64_t n = 0;
    int sets = 1;
    std::map<std::string, MetricValue> values;  // auroc, ece_ew10, brier, alignment_elical, accuracy
};
inline constexpr const char* kSetMetrics[] = {"auroc", "ece_ew10", "brier", "alignment_elical", "accuracy"};

// What the plots and the table of sets draw for a selection.
struct ResultSeries {
    std::vector<PlotSeries> visible;  // the selected run first where it is visible
    PlotSeries selected;              // run 0: none
    std::vector<SetMetrics> sets;     // of the selected run
};

// Evaluation rows as read, kept for the next selection. One thread at a time.
class ScoredCache {
  public:
    using Column = std::shared_ptr<const db::ScoredColumn>;
    // `stamp` changes when the run's rows do.
    Column get(db::Connection& connection, std::int64_t run, std::int64_t stamp, const std::string& truth);

  private:
    struct Kept {
        std::int64_t stamp = 0;
        Column column;
    };
    std::map<std::pair<std::int64_t, std::string>, Kept> columns_;
};

struct SeriesRequest {
    std::shared_ptr<const ProjectData> data;
    std::vector<std::int64_t> visible;
    std::int64_t selected = 0;
    SetChoice choice;
    std::string truth;  // "": the runs' own
};
ResultSeries readSeries(db::Connection& connection, ScoredCache& cache, const SeriesRequest& request);

// The method alone where one run of it is shown; else what tells its runs apart. GUI thread.
void labelShortly(std::vector<PlotSeries>& all);

// Rows of the chosen sets.
PlotSeries seriesOf(const db::RunRow& run, const db::ScoredColumn& rows, const SetChoice& choice);
std::vector<SetMetrics> setMetrics(const db::ScoredColumn& rows, const SetChoice& choice);

}  // namespace candor::ui
