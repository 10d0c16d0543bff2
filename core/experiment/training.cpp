// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/experiment/training.h"

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "core/metrics/metrics.h"
#include "core/train/random.h"
#include "core/train/split.h"

namespace candor {
namespace {

constexpr int kFolds = 5;
constexpr double kStage1Share = 0.05;
constexpr std::size_t kScorePiece = 4096;

template <typename T>
std::vector<T> pick(const std::vector<T>& values, const std::vector<std::int64_t>& places) {
    std::vector<T> picked;
    picked.reserve(places.size());
    for (const std::int64_t place : places) picked.push_back(values[static_cast<std::size_t>(place)]);
    return picked;
}

// Held-out AUROC and ECE against the greedy verdicts where every held-out row has one.
void addHeldOutMetrics(EpochRecord& record, std::span<const double> confidences, const std::vector<double>& correct) {
    if (confidences.empty() || correct.size() != confidences.size()) return;
    const Scored rows{confidences, correct};
    const Metric roc = auroc(rows), ece = metric(rows, "ece_ew10");
    if (roc.defined()) record.holdoutAuroc = roc.value;
    if (ece.defined()) record.holdoutEce = ece.value;
}

TrainCallbacks callbacksOf(const TrainingSink& sink, const std::string& stage, std::int64_t total,
                           const std::vector<double>& heldOutCorrect) {
    TrainCallbacks callbacks;
    if (sink.step) callbacks.step = [&sink, total](const StepRecord& record) { sink.step(record, total); };
    callbacks.epoch = [&sink, &heldOutCorrect](EpochRecord& record, std::span<const double> held, bool) {
        addHeldOutMetrics(record, held, heldOutCorrect);
        if (sink.epoch) sink.epoch(record);
    };
    if (sink.checkpoint) callbacks.checkpoint = [&sink, stage](std::int64_t step) { sink.checkpoint(stage, step); };
    callbacks.message = sink.message;
    return callbacks;
}

std::vector<double> verdictsOf(const std::vector<Item>& items, const std::vector<std::int64_t>& rows) {
    std::vector<double> correct;
    for (const std::int64_t row : rows) {
        const auto& verdict = items[static_cast<std::size_t>(row)].greedyCorrect;
        if (!verdict) return {};
        correct.push_back(*verdict ? 1 : 0);
    }
    return correct;
}

}  // namespace

std::vector<std::int64_t> budgetRows(const Planned& planned, std::size_t pool) {
    auto rows = budgetOrder(static_cast<std::int64_t>(pool), planned.run.seed);
    rows.resize(static_cast<std::size_t>(planned.run.labels));
    return rows;
}

TwoStages::TwoStages(const ExperimentSpec& spec, const ExperimentData& data, RowMap rows, ObjectiveSource source,
                     std::filesystem::path folder)
    : spec_(spec), data_(data), rows_(std::move(rows)), source_(std::move(source)), folder_(std::move(folder)) {}

// Objectives are made once a seed; their parameters are what changes.
void TwoStages::start(int seed) {
    auto found = initial_.find(seed);
    if (!objective_ || found == initial_.end()) {
        std::unique_ptr<Objective> made = source_(mixSeed(static_cast<std::uint64_t>(seed), "init"));
        found = initial_.emplace(seed, std::vector<float>(made->parameters().begin(), made->parameters().end())).first;
        if (!objective_) objective_ = std::move(made);
    }
    put(found->second);
}

void TwoStages::put(const std::vector<float>& parameters) {
    std::ranges::copy(parameters, objective_->parameters().begin());
    objective_->parametersChanged();
}

std::vector<float> TwoStages::taken() const {
    const std::span<float> parameters = objective_->parameters();
    return {parameters.begin(), parameters.end()};
}

TrainSet TwoStages::setOf(const std::vector<std::int64_t>& poolRows, bool stage1) const {
    TrainSet set;
    for (const std::int64_t row : poolRows) {
        const Item& item = data_.pool[static_cast<std::size_t>(row)];
        const auto target = stage1 ? elicitationOf(item, spec_.stage1Target) : labelOf(item, spec_.target);
        set.rows.push_back(rows_.pool[static_cast<std::size_t>(row)]);
        set.targets.push_back(static_cast<float>(target.value()));
    }
    return set;
}

std::vector<std::string> TwoStages::keysOf(const std::vector<std::int64_t>& poolRows) const {
    std::vector<std::string> keys;
    for (const std::int64_t row : poolRows)
        keys.push_back(splitKey(data_.pool[static_cast<std::size_t>(row)].question));
    return keys;
}

std::filesystem::path TwoStages::checkpoint(const Planned& planned, const std::string& part) const {
    return folder_ / "stage2" / (planned.trainingIdentity + part + ".ckpt");
}

std::int64_t TwoStages::stage1(const Planned& planned, const TrainingSink& sink, std::stop_token stop) {
    const int seed = stage1SeedOf(spec_, planned.run.seed);
    const auto rows = stage1Rows(spec_, static_cast<std::int64_t>(data_.pool.size()), planned.run.seed);
    TrainOptions options;
    options.stage = "stage1";
    options.optimiser = spec_.stage1Optimiser.value_or(spec_.optimiser);
    options.epochs = spec_.stage1Epochs.at(spec_.stage1Questions);
    options.seed = mixSeed(static_cast<std::uint64_t>(seed), "stage1");
    options.identity = planned.stage1Identity;
    std::vector<std::int64_t> training = rows, held;
    if (spec_.selection.rule != SelectionRule::Last) {
        const Split split =
            holdOut(keysOf(rows), kStage1Share, mixSeed(static_cast<std::uint64_t>(seed), "stage1-split"));
        training = pick(rows, split.train);
        held = pick(rows, split.heldOut);
        options.keepBest = true;
        options.patience = spec_.selection.patience;
    }
    const TrainSet set = setOf(training, true);
    const auto total = stepsOf(static_cast<std::int64_t>(set.rows.size()), options.optimiser.batch, options.epochs);
    const std::vector<double> noVerdicts;  // stage 1 spends no label, for curves neither
    const TrainResult result =
        candor::train(*objective_, set, setOf(held, true), options, callbacksOf(sink, options.stage, total, noVerdicts),
                      folder_ / "stage1" / (planned.stage1Identity + ".ckpt"), stop);
    return result.bestEpoch > 0 ? result.bestEpoch : result.epochs;
}

TrainOptions TwoStages::stage2Options(const Planned& planned, int horizon) const {
    TrainOptions options;
    options.stage = "stage2";
    options.optimiser = spec_.stage2Optimiser.value_or(spec_.optimiser);
    options.epochs = options.horizon = horizon;
    options.seed = mixSeed(static_cast<std::uint64_t>(planned.run.seed), "stage2");
    options.identity = planned.trainingIdentity;
    return options;
}

// Mean held-out error by epoch over the folds, every label counted once; the first of equal epochs.
std::int64_t TwoStages::bestFoldEpoch(const Planned& planned, const std::vector<std::int64_t>& rows,
                                      const std::vector<float>& from, int horizon, const TrainingSink& sink,
                                      std::stop_token stop) {
    std::vector<EpochRecord> mean(static_cast<std::size_t>(horizon));
    for (EpochRecord& record : mean) record.trainLoss = record.holdoutLoss = 0;
    const auto splits = kFold(keysOf(rows), kFolds, mixSeed(static_cast<std::uint64_t>(planned.run.seed), "split"));
    for (std::size_t f = 0; f < splits.size(); ++f) {
        put(from);
        TrainOptions options = stage2Options(planned, horizon);
        options.stage = "fold" + std::to_string(f + 1);
        const TrainSet held = setOf(pick(rows, splits[f].heldOut), false);
        const TrainResult result =
            candor::train(*objective_, setOf(pick(rows, splits[f].train), false), held, options,
                          {{}, {}, {}, sink.message}, checkpoint(planned, ".fold" + std::to_string(f + 1)), stop);
        const double share = static_cast<double>(held.rows.size()) / static_cast<double>(rows.size());
        for (std::size_t e = 0; e < mean.size(); ++e) {
            mean[e].holdoutLoss += share * result.history[e].holdoutLoss;
            mean[e].trainLoss += result.history[e].trainLoss / static_cast<double>(splits.size());
            mean[e].step = std::max(mean[e].step, result.history[e].step);
        }
    }
    std::size_t best = 0;
    for (std::size_t e = 0; e < mean.size(); ++e) {
        mean[e].stage = "kfold";
        mean[e].epoch = static_cast<std::int64_t>(e + 1);
        mean[e].best = e == 0 || mean[e].holdoutLoss < mean[best].holdoutLoss;
        if (mean[e].best) best = e;
        if (sink.epoch) sink.epoch(mean[e]);
    }
    return static_cast<std::int64_t>(best + 1);
}

std::int64_t TwoStages::stage2(const Planned& planned, const std::vector<float>& from, int horizon,
                               const TrainingSink& sink, std::stop_token stop) {
    const auto rows = budgetRows(planned, data_.pool.size());
    TrainOptions options = stage2Options(planned, horizon);
    std::vector<std::int64_t> training = rows;
    TrainSet held;
    std::vector<double> heldCorrect;
    if (planned.run.selection == "kfold") {
        options.epochs = static_cast<int>(bestFoldEpoch(planned, rows, from, horizon, sink, stop));
    } else if (planned.run.selection == "holdout") {
        const Split split = holdOut(keysOf(rows), spec_.selection.share,
                                    mixSeed(static_cast<std::uint64_t>(planned.run.seed), "split"));
        training = pick(rows, split.train);
        const auto heldRows = pick(rows, split.heldOut);
        held = setOf(heldRows, false);
        heldCorrect = verdictsOf(data_.pool, heldRows);
    } else if (planned.run.selection == "test") {
        const std::vector<std::int64_t> heldRows = selectionRows(data_);
        for (const std::int64_t row : heldRows) {
            const auto i = static_cast<std::size_t>(row);
            held.rows.push_back(rows_.eval[i]);
            held.targets.push_back(static_cast<float>(labelOf(data_.eval[i], spec_.target).value()));
        }
        heldCorrect = verdictsOf(data_.eval, heldRows);
    }
    if (!held.rows.empty()) {
        options.keepBest = true;
        options.patience = spec_.selection.patience;
    }
    put(from);
    const TrainSet set = setOf(training, false);
    const auto total = stepsOf(static_cast<std::int64_t>(set.rows.size()), options.optimiser.batch, options.epochs);
    const TrainResult result =
        candor::train(*objective_, set, held, options, callbacksOf(sink, options.stage, total, heldCorrect),
                      checkpoint(planned), stop);
    return result.bestEpoch > 0 ? result.bestEpoch : result.epochs;
}

TrainedRun TwoStages::train(const Planned& planned, const TrainingSink& sink, std::stop_token stop) {
    TrainedRun done;
    start(planned.method.usesStage1 ? stage1SeedOf(spec_, planned.run.seed) : planned.run.seed);
    if (planned.method.usesStage1) done.stage1Epoch = stage1(planned, sink, stop);
    if (planned.method.base == "eli-only") return done;
    done.start = taken();
    done.horizon = spec_.stage2Epochs.at(planned.run.budget);
    done.stage2Epochs = stage2(planned, done.start, done.horizon, sink, stop);
    return done;
}

std::vector<double> TwoStages::outOfFold(const Planned& planned, const TrainedRun& done, const TrainingSink& sink,
                                         std::stop_token stop) {
    const auto rows = budgetRows(planned, data_.pool.size());
    if (planned.method.base == "eli-only") return poolConfidences(rows);
    const std::vector<float> result = taken();
    std::vector<double> confidences(rows.size());
    const auto splits = kFold(keysOf(rows), kFolds, mixSeed(static_cast<std::uint64_t>(planned.run.seed), "split"));
    for (std::size_t f = 0; f < splits.size(); ++f) {
        put(done.start);
        TrainOptions options = stage2Options(planned, done.horizon);
        options.stage = "cross" + std::to_string(f + 1);
        options.epochs = static_cast<int>(done.stage2Epochs);
        candor::train(*objective_, setOf(pick(rows, splits[f].train), false), {}, options, {{}, {}, {}, sink.message},
                      checkpoint(planned, ".cross" + std::to_string(f + 1)), stop);
        const std::vector<double> held = poolConfidences(pick(rows, splits[f].heldOut));
        for (std::size_t i = 0; i < held.size(); ++i)
            confidences[static_cast<std::size_t>(splits[f].heldOut[i])] = held[i];
    }
    put(result);
    return confidences;
}

std::vector<double> TwoStages::poolConfidences(const std::vector<std::int64_t>& poolRows) {
    return objective_->confidences(pick(rows_.pool, poolRows));
}

std::vector<double> TwoStages::evalConfidences(std::stop_token stop) {
    std::vector<double> all;
    for (std::size_t at = 0; at < rows_.eval.size(); at += kScorePiece) {
        if (stop.stop_requested()) throw Stopped("stopped while confidences were computed");
        const auto piece =
            std::span<const std::int64_t>(rows_.eval).subspan(at, std::min(kScorePiece, rows_.eval.size() - at));
        const std::vector<double> confidences = objective_->confidences(piece);
        all.insert(all.end(), confidences.begin(), confidences.end());
    }
    return all;
}

void TwoStages::forget(const Planned& planned) const {
    std::error_code ignored;  // what stays is found by its name and replaced
    std::filesystem::remove(checkpoint(planned), ignored);
    for (int f = 1; f <= kFolds; ++f)
        for (const char* part : {".fold", ".cross"})
            std::filesystem::remove(checkpoint(planned, part + std::to_string(f)), ignored);
}

}  // namespace candor
