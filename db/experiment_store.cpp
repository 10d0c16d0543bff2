// SPDX-License-Identifier: GPL-3.0-or-later
#include "db/experiment_store.h"

#include <unistd.h>

#include <array>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "db/attempt_lock.h"
#include "db/connection.h"
#include "db/filesystem.h"
#include "db/items.h"
#include "db/pack.h"
#include "db/project.h"

namespace candor::db {
namespace {

// What decides which answers and verdicts a run saw: the run's own settings where they name it (axes of a sweep),
// else its experiment's.
struct Sight {
    std::string model, agreement, correctness;
    std::int64_t k = 0;
};

Sight sightOf(const std::string& spec, const std::string& settings) {
    Sight sight;
    const auto take = [](const nlohmann::json& json, const char* key, std::string& value) {
        if (const auto it = json.find(key); it != json.end() && it->is_string()) value = *it;
    };
    for (const std::string& text : {spec, settings}) {
        const auto json = nlohmann::json::parse(text, nullptr, false);
        if (!json.is_object()) continue;
        take(json, "model", sight.model);
        const auto labels = json.find("labels");
        for (const auto& place : {json, labels == json.end() ? nlohmann::json::object() : *labels}) {
            take(place, "agreement", sight.agreement);
            take(place, "correctness", sight.correctness);
        }
        if (const auto it = json.find("k"); it != json.end() && it->is_number_integer()) sight.k = *it;
    }
    return sight;
}

class Store final : public ExperimentStore {
  public:
    explicit Store(Project& project) : project_(project) {}

    std::vector<Item> items(const std::string& set, Role role, const std::string& model, const LabelChoice& labels,
                            int k) override {
        return readItems(*project_.reader(), set, role, model, labels, k);
    }
    std::int64_t experiment(const ExperimentSpec& spec) override;
    StoredRun run(std::int64_t experiment, const PlannedRun& plan) override;
    std::int64_t beginAttempt(std::int64_t run) override;
    void recordSteps(std::int64_t attempt, std::span<const StepRecord> steps) override;
    void recordEpoch(std::int64_t attempt, const EpochRecord& epoch) override { recordEpochs(attempt, {&epoch, 1}); }
    void recordEpochs(std::int64_t attempt, std::span<const EpochRecord> epochs) override;
    void recordProvenance(std::int64_t run, const std::string& json) override;
    void recordSubset(std::int64_t run, std::span<const std::int64_t> questionIds) override;
    void storeConfidences(std::int64_t run, std::span<const std::int64_t> questionIds,
                          std::span<const double> confidences) override;
    void storeMetrics(std::int64_t run, std::span<const MetricRecord> metrics) override;
    void endAttempt(std::int64_t attempt, RunStatus status, const std::string& message) override;
    std::filesystem::path folder() const override { return project_.folder(); }

  private:
    Project& project_;
};

std::int64_t Store::experiment(const ExperimentSpec& spec) {
    const std::string json = specToJson(spec);
    std::int64_t id = 0;
    project_.write([&](Connection& c) {
        c.run("INSERT INTO experiment(name, spec, created_ms) VALUES(?, ?, ?) ON CONFLICT DO NOTHING", spec.name, json,
              nowMs());
        id = c.integer("SELECT id FROM experiment WHERE spec = ?", json).value();
    });
    return id;
}

StoredRun Store::run(std::int64_t experiment, const PlannedRun& plan) {
    StoredRun stored;
    project_.write([&](Connection& c) {
        const auto spec = c.text("SELECT spec FROM experiment WHERE id = ?", experiment);
        if (!spec) throw Error("experiment " + std::to_string(experiment) + " is not in " + project_.file().string());
        const Sight sight = sightOf(*spec, plan.settings);
        c.run(
            "INSERT INTO run(identity, method, budget, labels, seed, selection, settings, model, k, agreement, "
            "correctness, created_ms) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
            plan.identity, plan.method, plan.budget, plan.labels, plan.seed, plan.selection, plan.settings, sight.model,
            sight.k, sight.agreement, sight.correctness, nowMs());
        Statement s = c.query("SELECT r.id, s.status FROM run r JOIN run_state s ON s.id = r.id WHERE r.identity = ?",
                              plan.identity);
        s.step();
        stored = {s.integer(0), s.as<RunStatus>(1)};
        c.run("INSERT INTO experiment_run(experiment, run) VALUES(?, ?) ON CONFLICT DO NOTHING", experiment, stored.id);
    });
    return stored;
}

// The lock is taken before anybody can see the attempt: an attempt without an end and without a lock is abandoned.
std::int64_t Store::beginAttempt(std::int64_t run) {
    AttemptLocks& locks = project_.attemptLocks();
    const std::string lock = locks.take();
    std::int64_t attempt = 0;
    try {
        project_.write([&](Connection& c) {
            endAbandonedAttempts(c, locks);
            Statement running =
                c.query("SELECT host, pid FROM attempt_state WHERE run = ? AND status = ?", run, RunStatus::Running);
            if (running.step())
                throw Error("run " + std::to_string(run) + " is being executed by process " + running.text(1) + " on " +
                            running.text(0) + ": wait for it, or stop it there");
            c.run("INSERT INTO attempt(run, host, pid, started_ms, lock) VALUES(?, ?, ?, ?, ?)", run, hostName(),
                  ::getpid(), nowMs(), lock);
            attempt = c.lastId();
        });
    } catch (...) {
        locks.drop(lock);
        throw;
    }
    locks.bind(lock, attempt);
    return attempt;
}

void Store::recordSteps(std::int64_t attempt, std::span<const StepRecord> steps) {
    project_.write([&](Connection& c) {
        std::int64_t seq = c.integer("SELECT max(seq) FROM step WHERE attempt = ?", attempt).value_or(0);
        for (const StepRecord& s : steps)
            c.run("INSERT INTO step VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", attempt, ++seq, s.stage, s.epoch, s.step,
                  packKinds(std::array{s.loss, s.gradNorm, s.lr, s.rate}), finite(s.loss), finite(s.gradNorm),
                  finite(s.lr), finite(s.rate));
    });
}

void Store::recordEpochs(std::int64_t attempt, std::span<const EpochRecord> epochs) {
    project_.write([&](Connection& c) {
        std::int64_t seq = c.integer("SELECT max(seq) FROM epoch WHERE attempt = ?", attempt).value_or(0);
        for (const EpochRecord& e : epochs)
            c.run("INSERT INTO epoch VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", attempt, ++seq, e.stage, e.epoch, e.step,
                  e.best, packKinds(std::array{e.trainLoss, e.holdoutLoss, e.holdoutAuroc, e.holdoutEce}),
                  finite(e.trainLoss), finite(e.holdoutLoss), finite(e.holdoutAuroc), finite(e.holdoutEce));
    });
}

void Store::recordProvenance(std::int64_t run, const std::string& json) {
    project_.write(
        [&](Connection& c) { c.run("INSERT INTO provenance(run, at_ms, json) VALUES(?, ?, ?)", run, nowMs(), json); });
}

void Store::recordSubset(std::int64_t run, std::span<const std::int64_t> questionIds) {
    const std::string packed = packIntegers(questionIds);
    project_.write([&](Connection& c) {
        c.run(
            "INSERT INTO subset(run, questions) VALUES(?, ?) ON CONFLICT DO UPDATE SET questions = excluded.questions",
            run, Blob{packed});
    });
}

void Store::storeConfidences(std::int64_t run, std::span<const std::int64_t> questionIds,
                             std::span<const double> confidences) {
    if (questionIds.size() != confidences.size())
        throw Error("run " + std::to_string(run) + ": " + std::to_string(confidences.size()) + " confidences for " +
                    std::to_string(questionIds.size()) + " questions, expected one each");
    project_.write([&](Connection& c) {
        c.run("DELETE FROM confidence WHERE run = ?", run);
        Statement insert = c.query("INSERT INTO confidence(run, question, kind, value) VALUES(?, ?, ?, ?)");
        for (std::size_t i = 0; i < confidences.size(); ++i) {
            insert.bindAll(run, questionIds[i], kindOf(confidences[i]), finite(confidences[i]));
            insert.run();
        }
    });
}

void Store::storeMetrics(std::int64_t run, std::span<const MetricRecord> metrics) {
    project_.write([&](Connection& c) {
        c.run("DELETE FROM metric WHERE run = ?", run);
        std::int64_t seq = 0;
        for (const MetricRecord& m : metrics) {
            const double lo = m.lo.value_or(0), hi = m.hi.value_or(0);
            const std::array numbers{m.value, lo, hi};
            c.run(
                "INSERT INTO metric(run, seq, \"set\", average, name, n, kinds, value, lo, hi, reason) "
                "VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                run, ++seq, m.set, m.average, m.name, m.n, packKinds(numbers), finite(m.value),
                m.lo ? finite(lo) : std::nullopt, m.hi ? finite(hi) : std::nullopt, m.undefinedReason);
        }
    });
}

void Store::endAttempt(std::int64_t attempt, RunStatus status, const std::string& message) {
    project_.write([&](Connection& c) {
        c.run("INSERT INTO attempt_end(attempt, status, message, at_ms) VALUES(?, ?, ?, ?)", attempt, status, message,
              nowMs());
    });
    project_.attemptLocks().release(attempt);
}

}  // namespace

std::unique_ptr<ExperimentStore> makeExperimentStore(Project& project) { return std::make_unique<Store>(project); }

}  // namespace candor::db
