// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/data/record.h"
#include "core/experiment/spec.h"
#include "core/train/records.h"

namespace candor {

enum class Role : std::uint8_t { Train = 0, Eval = 1 };          // stored: do not renumber
enum class Domain : std::uint8_t { None = 0, In = 1, Out = 2 };  // stored: do not renumber
enum class RunStatus : std::uint8_t {                            // stored: do not renumber
    Planned = 0,
    Queued = 1,
    Running = 2,
    Finished = 3,
    Failed = 4,
    Stopped = 5,
    Interrupted = 6
};

// One question as training and evaluation see it, under the chosen model, label sets and first k samples.
struct Item {
    std::int64_t id = 0;  // database id of the question
    QuestionKey key;
    std::string question;
    std::optional<double> consistency;  // agreeing / valid verdicts
    std::optional<double> sampleShare;  // correct / valid verdicts
    std::optional<bool> greedyCorrect;
    std::optional<double> nProb;                         // exp(mean token log-probability)
    std::optional<double> prob;                          // exp(sum)
    std::vector<std::pair<std::string, double>> scores;  // of other training-free methods, by name ("verbal-0", ...)
};

// One planned run. `identity` is a stable hash of everything that determines its numbers: equal means done already.
struct PlannedRun {
    std::string method;
    std::int64_t budget = kAllLabels;  // as asked; 0: the method uses no labels
    std::int64_t labels = 0;           // labels it will use in all, training and selection together
    int seed = 0;
    std::string selection;  // "holdout", "kfold", "last", "test", "none"
    std::string identity;
    std::string settings;  // JSON: what else determines it, for "only what differs"
};

// One number. `set` is "dataset/split", or "in-domain" / "out-of-domain" with `average` "weighted" or "macro".
struct MetricRecord {
    std::string set, average, name;
    double value = std::numeric_limits<double>::quiet_NaN();
    std::optional<double> lo, hi;
    std::int64_t n = 0;
    std::string undefinedReason;  // not empty: undefined, value ignored
};

struct StoredRun {
    std::int64_t id = 0;
    RunStatus status = RunStatus::Planned;
};

// What the runner needs stored and read. db implements it; calls are made from the job's thread.
// Everything is durable when the call returns. Throws Error.
class ExperimentStore {
  public:
    virtual ~ExperimentStore() = default;

    // Items of "dataset" (all its splits of `role`) or "dataset/split", by split and row. Throws InputError if absent.
    virtual std::vector<Item> items(const std::string& set, Role role, const std::string& model,
                                    const LabelChoice& labels, int k) = 0;
    virtual std::int64_t experiment(const ExperimentSpec& spec) = 0;             // finds or makes
    virtual StoredRun run(std::int64_t experiment, const PlannedRun& plan) = 0;  // finds by identity or makes

    virtual std::int64_t beginAttempt(std::int64_t run) = 0;  // takes the lock, sets running
    virtual void recordSteps(std::int64_t attempt, std::span<const StepRecord> steps) = 0;
    virtual void recordEpoch(std::int64_t attempt, const EpochRecord& epoch) = 0;
    // Several at once: a store whose every write costs a sync overrides it with one transaction.
    virtual void recordEpochs(std::int64_t attempt, std::span<const EpochRecord> epochs) {
        for (const EpochRecord& epoch : epochs) recordEpoch(attempt, epoch);
    }
    virtual void recordProvenance(std::int64_t run, const std::string& json) = 0;
    virtual void recordSubset(std::int64_t run, std::span<const std::int64_t> questionIds) = 0;  // training order
    virtual void storeConfidences(std::int64_t run, std::span<const std::int64_t> questionIds,
                                  std::span<const double> confidences) = 0;                  // replaces the run's
    virtual void storeMetrics(std::int64_t run, std::span<const MetricRecord> metrics) = 0;  // replaces the run's
    virtual void endAttempt(std::int64_t attempt, RunStatus status, const std::string& message) = 0;

    virtual std::filesystem::path folder() const = 0;  // NAME.candor.d, exists
};

}  // namespace candor
