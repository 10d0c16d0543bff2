// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <vector>

#include "core/experiment/plan.h"
#include "core/experiment/states.h"
#include "core/train/trainer.h"

namespace candor {

// Where an attempt's records go.
struct TrainingSink {
    std::function<void(const StepRecord&, std::int64_t totalSteps)> step;
    std::function<void(const EpochRecord&)> epoch;
    std::function<void(const std::string& stage, std::int64_t step)> checkpoint;
    std::function<void(const std::string&)> message;
};

// Makes an objective over the questions of an experiment, started from a seed.
using ObjectiveSource = std::function<std::unique_ptr<Objective>(std::uint64_t seed)>;

// Which questions the rows of an objective are: pool row -> objective row, evaluation row -> objective row.
struct RowMap {
    std::vector<std::int64_t> pool, eval;  // -1: not among them
};

struct TrainedRun {
    std::int64_t stage1Epoch = 0, stage2Epochs = 0;  // the epochs whose parameters were kept; 0: no such stage
    int horizon = 0;                                 // epochs that stage 2's schedule is laid out for
    std::vector<float> start;                        // parameters before stage 2
};

// The two stages over one variant of a spec. Not thread safe. Checkpoints lie in folder/stage1 and folder/stage2, named
// by identity; stage 1 is kept for the runs that share it.
class TwoStages {
  public:
    TwoStages(const ExperimentSpec& spec, const ExperimentData& data, RowMap rows, ObjectiveSource source,
              std::filesystem::path folder);

    // Trains one base method; the result is left in objective(). Resumes what was stopped. Throws Stopped, Error.
    TrainedRun train(const Planned& planned, const TrainingSink& sink, std::stop_token stop);

    // Confidences on the run's own labels, each from a training that did not see it (five folds, the schedule and
    // epochs of `done`), in the order of budgetOrder. Leaves objective() as it was. For eli-only, which no label
    // trained: its own.
    std::vector<double> outOfFold(const Planned& planned, const TrainedRun& done, const TrainingSink& sink,
                                  std::stop_token stop);

    std::vector<double> poolConfidences(const std::vector<std::int64_t>& poolRows);
    std::vector<double> evalConfidences(std::stop_token stop);
    Objective& objective() { return *objective_; }
    // Removes the run's stage-2 checkpoints.
    void forget(const Planned& planned) const;

  private:
    void start(int seed);
    void put(const std::vector<float>& parameters);
    std::vector<float> taken() const;
    TrainSet setOf(const std::vector<std::int64_t>& poolRows, bool stage1) const;
    std::vector<std::string> keysOf(const std::vector<std::int64_t>& poolRows) const;
    std::filesystem::path checkpoint(const Planned& planned, const std::string& part = {}) const;
    std::int64_t stage1(const Planned& planned, const TrainingSink& sink, std::stop_token stop);
    std::int64_t stage2(const Planned& planned, const std::vector<float>& from, int horizon, const TrainingSink& sink,
                        std::stop_token stop);
    std::int64_t bestFoldEpoch(const Planned& planned, const std::vector<std::int64_t>& rows,
                               const std::vector<float>& from, int horizon, const TrainingSink& sink,
                               std::stop_token stop);
    TrainOptions stage2Options(const Planned& planned, int horizon) const;

    const ExperimentSpec& spec_;
    const ExperimentData& data_;
    RowMap rows_;
    ObjectiveSource source_;
    std::filesystem::path folder_;
    std::unique_ptr<Objective> objective_;
    std::map<int, std::vector<float>> initial_;  // by seed
};

// The pool rows of a run's budget, in training order.
std::vector<std::int64_t> budgetRows(const Planned& planned, std::size_t pool);

}  // namespace candor
