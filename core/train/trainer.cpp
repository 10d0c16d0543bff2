// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/train/trainer.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>
#include <sstream>

#include "core/error.h"
#include "core/train/adamw.h"
#include "core/train/files.h"
#include "core/train/random.h"

namespace candor {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::size_t kRecent = 8;

double secondsSince(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

std::string fingerprintOf(const Objective& objective, std::size_t size, const TrainSet& training,
                          const TrainSet& heldOut, const TrainOptions& o) {
    std::ostringstream text;
    text.precision(17);
    text << o.stage << ' ' << o.optimiser.lr << ' ' << o.optimiser.batch << ' ' << o.optimiser.microBatch << ' '
         << o.optimiser.weightDecay << ' ' << o.optimiser.warmup << ' ' << o.optimiser.clip << ' ' << o.epochs << ' '
         << o.horizon << ' ' << o.seed << ' ' << o.keepBest << ' ' << o.patience << ' ' << size;
    for (const ParameterBlock& block : objective.blocks()) text << ' ' << block.name << '@' << block.offset;
    std::uint64_t hash = checksum64(text.str());
    for (const TrainSet* set : {&training, &heldOut}) {
        if (o.identity.empty()) hash = checksum64(bytesOf(std::span<const std::int64_t>(set->rows)), hash);
        hash = checksum64(bytesOf(std::span<const float>(set->targets)), hash);
    }
    hash = checksum64(o.identity, hash);
    return std::to_string(hash);
}

class Training {
  public:
    Training(Objective& objective, const TrainSet& training, const TrainSet& heldOut, const TrainOptions& options,
             const TrainCallbacks& callbacks, std::filesystem::path checkpoint, std::stop_token stop)
        : objective_(objective),
          training_(training),
          heldOut_(heldOut),
          options_(options),
          callbacks_(callbacks),
          checkpoint_(std::move(checkpoint)),
          stop_(std::move(stop)),
          optimiser_(objective.blocks(), objective.parameters().size()),
          gradient_(objective.parameters().size()) {
        state_.fingerprint = fingerprintOf(objective, gradient_.size(), training, heldOut, options);
        batches_ = stepsOf(static_cast<std::int64_t>(training.rows.size()), options.optimiser.batch, 1);
        total_ = batches_ * (options.horizon > 0 ? options.horizon : options.epochs);
    }

    TrainResult run() {
        resume();
        saved_ = Clock::now();
        while (!state_.finished && state_.epoch < options_.epochs) epoch();
        if (!state_.finished) {
            state_.finished = true;
            if (options_.keepBest && !state_.best.empty()) put(state_.best);
            save(false);
        }
        return {state_.epoch, state_.steps, state_.bestEpoch, state_.history};
    }

  private:
    void put(const std::vector<float>& values) {
        std::ranges::copy(values, objective_.parameters().begin());
        objective_.parametersChanged();
    }

    void resume() {
        if (checkpoint_.empty() || !std::filesystem::exists(checkpoint_)) return;
        std::optional<TrainState> found;
        try {
            found = loadState(checkpoint_);
        } catch (const Error& error) {
            say(std::string(error.what()) + "; it is replaced");
            return;
        }
        if (found->fingerprint != state_.fingerprint || found->parameters.size() != gradient_.size()) {
            say("checkpoint " + checkpoint_.string() + " is of another training; it is replaced");
            return;
        }
        state_ = std::move(*found);
        put(state_.parameters);
        if (!state_.finished)
            optimiser_.restore(state_.steps, std::move(state_.firstMoment), std::move(state_.secondMoment));
        for (EpochRecord record : state_.history)
            if (callbacks_.epoch) callbacks_.epoch(record, {}, true);
    }

    void epoch() {
        const auto n = static_cast<std::int64_t>(training_.rows.size());
        const auto order = permutation(n, mixSeed(options_.seed, "order", static_cast<std::uint64_t>(state_.epoch)));
        while (state_.batch < batches_) {
            if (stop_.stop_requested()) {
                save(true);
                throw Stopped("stopped in " + options_.stage + " after step " + std::to_string(state_.steps));
            }
            const std::int64_t first = state_.batch * options_.optimiser.batch;
            step(std::span(order).subspan(
                static_cast<std::size_t>(first),
                static_cast<std::size_t>(std::min<std::int64_t>(options_.optimiser.batch, n - first))));
            if (secondsSince(saved_) >= options_.checkpointSeconds) save(true);
        }
        endEpoch();
    }

    void step(std::span<const std::int64_t> places) {
        const auto start = Clock::now();
        std::ranges::fill(gradient_, 0.0F);
        std::vector<std::int64_t> rows;
        std::vector<float> targets;
        double squares = 0;
        const double scale = 1.0 / static_cast<double>(places.size());
        const auto micro = static_cast<std::size_t>(options_.optimiser.microBatch);
        for (std::size_t at = 0; at < places.size(); at += micro) {
            rows.clear();
            targets.clear();
            for (const std::int64_t place : places.subspan(at, std::min(micro, places.size() - at))) {
                rows.push_back(training_.rows[static_cast<std::size_t>(place)]);
                targets.push_back(training_.targets[static_cast<std::size_t>(place)]);
            }
            squares += objective_.accumulate(rows, targets, scale, gradient_);
        }
        StepRecord record{options_.stage, state_.epoch + 1, state_.steps + 1, squares * scale};
        record.gradNorm = clipGradient(gradient_, options_.optimiser.clip);
        record.lr = scheduledRate(options_.optimiser.lr, state_.steps, total_, options_.optimiser.warmup);
        requireFinite(record, places);
        optimiser_.step(objective_.parameters(), gradient_, record.lr, options_.optimiser.weightDecay);
        objective_.parametersChanged();
        ++state_.steps;
        ++state_.batch;
        state_.epochLoss += squares;
        state_.epochRows += static_cast<std::int64_t>(places.size());
        if (state_.recentLosses.size() == kRecent) state_.recentLosses.erase(state_.recentLosses.begin());
        state_.recentLosses.push_back(record.loss);
        record.rate = static_cast<double>(places.size()) / std::max(secondsSince(start), 1e-9);
        if (callbacks_.step) callbacks_.step(record);
    }

    void endEpoch() {
        ++state_.epoch;
        state_.batch = 0;
        EpochRecord record{options_.stage, state_.epoch, state_.steps,
                           state_.epochLoss / static_cast<double>(state_.epochRows)};
        state_.epochLoss = 0;
        state_.epochRows = 0;
        std::vector<double> held;
        if (!heldOut_.rows.empty()) {
            held = objective_.confidences(heldOut_.rows);
            double squares = 0;
            for (std::size_t i = 0; i < held.size(); ++i) squares += std::pow(held[i] - heldOut_.targets[i], 2);
            record.holdoutLoss = squares / static_cast<double>(held.size());
            record.best = record.holdoutLoss < state_.bestLoss;
            if (record.best) {
                state_.bestLoss = record.holdoutLoss;
                state_.bestEpoch = state_.epoch;
                state_.sinceBest = 0;
                if (options_.keepBest)
                    state_.best.assign(objective_.parameters().begin(), objective_.parameters().end());
            } else {
                ++state_.sinceBest;
            }
        }
        if (callbacks_.epoch) callbacks_.epoch(record, held, false);
        state_.history.push_back(record);
        if (options_.keepBest && options_.patience > 0 && state_.sinceBest >= options_.patience) {
            state_.finished = true;
            if (!state_.best.empty()) put(state_.best);
            save(false);
        } else if (secondsSince(saved_) >= options_.checkpointSeconds) {
            save(true);
        }
    }

    void requireFinite(const StepRecord& record, std::span<const std::int64_t> places) const {
        if (std::isfinite(record.loss) && std::isfinite(record.gradNorm)) return;
        std::ostringstream text;
        text << "training diverged: " << options_.stage << " epoch " << record.epoch << " step " << record.step
             << " has loss " << record.loss << " and gradient norm " << record.gradNorm << " at learning rate "
             << record.lr << "; last losses";
        for (const double loss : state_.recentLosses) text << ' ' << loss;
        text << "; rows of the step";
        for (const std::int64_t place : places) text << ' ' << training_.rows[static_cast<std::size_t>(place)];
        text << "; try a lower learning rate or fp32";
        throw Error(text.str());
    }

    // Finished states keep what is needed to take the result over: the parameters and the history.
    void save(bool continuable) {
        if (checkpoint_.empty()) return;
        state_.parameters.assign(objective_.parameters().begin(), objective_.parameters().end());
        if (continuable) {
            state_.firstMoment = optimiser_.firstMoment();
            state_.secondMoment = optimiser_.secondMoment();
        } else {
            state_.firstMoment.clear();
            state_.secondMoment.clear();
            state_.best.clear();
        }
        saveState(checkpoint_, state_);
        saved_ = Clock::now();
        if (callbacks_.checkpoint) callbacks_.checkpoint(state_.steps);
    }

    void say(const std::string& text) const {
        if (callbacks_.message) callbacks_.message(text);
    }

    Objective& objective_;
    const TrainSet& training_;
    const TrainSet& heldOut_;
    const TrainOptions& options_;
    const TrainCallbacks& callbacks_;
    std::filesystem::path checkpoint_;
    std::stop_token stop_;
    AdamW optimiser_;
    std::vector<float> gradient_;
    std::int64_t batches_ = 0, total_ = 0;
    TrainState state_;
    Clock::time_point saved_;
};

void validate(const Objective& objective, const TrainSet& training, const TrainSet& heldOut, const TrainOptions& o) {
    if (training.rows.empty()) throw Error("training: no rows");
    for (const TrainSet* set : {&training, &heldOut}) {
        if (set->rows.size() != set->targets.size())
            throw Error("training: " + std::to_string(set->rows.size()) + " rows but " +
                        std::to_string(set->targets.size()) + " targets");
        for (const std::int64_t row : set->rows)
            if (row < 0 || static_cast<std::size_t>(row) >= objective.rows())
                throw Error("training: row " + std::to_string(row) + " is not among the objective's " +
                            std::to_string(objective.rows()));
    }
    if (o.epochs < 1 || o.optimiser.batch < 1 || o.optimiser.microBatch < 1)
        throw Error("training: epochs, batch and micro_batch must be at least 1");
    if (o.horizon > 0 && o.horizon < o.epochs) throw Error("training: the schedule ends before the last epoch");
}

}  // namespace

std::int64_t stepsOf(std::int64_t rows, int batch, int epochs) { return (rows + batch - 1) / batch * epochs; }

TrainResult train(Objective& objective, const TrainSet& training, const TrainSet& heldOut, const TrainOptions& options,
                  const TrainCallbacks& callbacks, const std::filesystem::path& checkpoint, std::stop_token stop) {
    validate(objective, training, heldOut, options);
    return Training(objective, training, heldOut, options, callbacks, checkpoint, std::move(stop)).run();
}

}  // namespace candor
