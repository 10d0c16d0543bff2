// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTemporaryDir>
#include <cmath>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/experiment/state_cache.h"
#include "core/experiment/store.h"

namespace candor::testing {

// An ExperimentStore in memory: what a run left is looked at directly.
class FakeStore : public ExperimentStore {
  public:
    struct Run {
        PlannedRun plan;
        RunStatus status = RunStatus::Planned;
        std::string message, provenance;
        std::vector<std::int64_t> subset, questions;
        std::vector<double> confidences;
        std::vector<MetricRecord> metrics;
        std::vector<std::int64_t> attempts;
    };
    struct Attempt {
        std::int64_t run = 0;
        RunStatus status = RunStatus::Running;
        std::vector<StepRecord> steps;
        std::vector<EpochRecord> epochs;
    };

    std::map<std::string, std::vector<Item>> train, eval;  // by "dataset/split"
    std::vector<Run> runs;                                 // id - 1
    std::vector<Attempt> attempts;                         // id - 1
    std::vector<ExperimentSpec> experiments;

    std::vector<Item> items(const std::string& set, Role role, const std::string&, const LabelChoice&, int) override {
        std::vector<Item> found;
        for (const auto& [name, items] : role == Role::Train ? train : eval)
            if (name == set || name.substr(0, name.find('/')) == set)
                found.insert(found.end(), items.begin(), items.end());
        if (found.empty()) throw InputError("unknown_set", "no set " + set);
        return found;
    }
    std::int64_t experiment(const ExperimentSpec& spec) override {
        for (std::size_t i = 0; i < experiments.size(); ++i)
            if (experiments[i] == spec) return static_cast<std::int64_t>(i + 1);
        experiments.push_back(spec);
        return static_cast<std::int64_t>(experiments.size());
    }
    StoredRun run(std::int64_t, const PlannedRun& plan) override {
        for (std::size_t i = 0; i < runs.size(); ++i)
            if (runs[i].plan.identity == plan.identity) return {static_cast<std::int64_t>(i + 1), runs[i].status};
        runs.emplace_back().plan = plan;
        return {static_cast<std::int64_t>(runs.size()), RunStatus::Planned};
    }
    std::int64_t beginAttempt(std::int64_t run) override {
        attempts.emplace_back().run = run;
        at(run).status = RunStatus::Running;
        at(run).attempts.push_back(static_cast<std::int64_t>(attempts.size()));
        return static_cast<std::int64_t>(attempts.size());
    }
    void recordSteps(std::int64_t attempt, std::span<const StepRecord> steps) override {
        auto& all = attempts.at(static_cast<std::size_t>(attempt - 1)).steps;
        all.insert(all.end(), steps.begin(), steps.end());
    }
    void recordEpoch(std::int64_t attempt, const EpochRecord& epoch) override {
        attempts.at(static_cast<std::size_t>(attempt - 1)).epochs.push_back(epoch);
    }
    void recordProvenance(std::int64_t run, const std::string& json) override { at(run).provenance = json; }
    void recordSubset(std::int64_t run, std::span<const std::int64_t> ids) override {
        at(run).subset.assign(ids.begin(), ids.end());
    }
    void storeConfidences(std::int64_t run, std::span<const std::int64_t> ids,
                          std::span<const double> confidences) override {
        at(run).questions.assign(ids.begin(), ids.end());
        at(run).confidences.assign(confidences.begin(), confidences.end());
    }
    void storeMetrics(std::int64_t run, std::span<const MetricRecord> metrics) override {
        at(run).metrics.assign(metrics.begin(), metrics.end());
    }
    void endAttempt(std::int64_t attempt, RunStatus status, const std::string& message) override {
        Attempt& ended = attempts.at(static_cast<std::size_t>(attempt - 1));
        ended.status = status;
        at(ended.run).status = status;
        at(ended.run).message = message;
    }
    std::filesystem::path folder() const override { return dir_.path().toStdString(); }

    const Run* find(const std::string& method, std::int64_t budget, int seed) const {
        for (const Run& run : runs)
            if (run.plan.method == method && run.plan.budget == budget && run.plan.seed == seed) return &run;
        return nullptr;
    }

  private:
    Run& at(std::int64_t id) { return runs.at(static_cast<std::size_t>(id - 1)); }
    QTemporaryDir dir_;
};

inline double metricOf(const FakeStore::Run& run, const std::string& set, const std::string& name,
                       const std::string& average = {}) {
    for (const MetricRecord& m : run.metrics)
        if (m.set == set && m.name == name && m.average == average) return m.value;
    return std::nan("");
}

// A world whose questions have a hidden ability: states are a noisy linear image of it, twenty samples agree with its
// chance shifted by a bias of their set, and are right with its chance. So consistency teaches much of correctness,
// not all. Model "toy", states of layer -1 cached; sets train "a", "b" (`pool` questions together), eval "a", "b", "c".
inline void fillSynthetic(FakeStore& store, int pool, int perEval, unsigned seed = 7, int width = 24) {
    std::mt19937_64 generator(seed);
    std::normal_distribution<double> normal;
    std::vector<double> direction(static_cast<std::size_t>(width));
    for (double& d : direction) d = normal(generator) / std::sqrt(width);
    std::vector<std::string> questions;
    std::vector<float> matrix;
    std::int64_t id = 0;
    const auto share = [&](double p) {
        int hits = 0;
        for (int j = 0; j < 20; ++j) hits += std::uniform_real_distribution<double>()(generator) < p;
        return hits / 20.0;
    };
    const auto add = [&](std::map<std::string, std::vector<Item>>& sets, const std::string& dataset,
                         const std::string& split, int count) {
        for (int i = 0; i < count; ++i) {
            std::vector<double> x(static_cast<std::size_t>(width));
            double z = 0;
            for (std::size_t j = 0; j < x.size(); ++j) z += 3 * (x[j] = normal(generator)) * direction[j];
            const double bias = dataset == "b" ? 1.0 : 0.0;
            const double p = 1 / (1 + std::exp(-(z - 1))), agree = 1 / (1 + std::exp(-(z + bias + 0.5 * x[0])));
            Item item;
            item.id = ++id;
            item.key = {dataset, split, i};
            item.question = "question " + std::to_string(id) + " of " + dataset + "?";
            item.consistency = share(agree);
            item.sampleShare = share(p);
            item.greedyCorrect = std::uniform_real_distribution<double>()(generator) < p;
            item.nProb = 0.2 + 0.6 * *item.consistency;
            item.prob = *item.nProb * *item.nProb;
            questions.push_back(item.question);
            for (const double value : x) matrix.push_back(static_cast<float>(value));
            sets[dataset + "/" + split].push_back(std::move(item));
        }
    };
    add(store.train, "a", "train", pool / 2);
    add(store.train, "b", "train", pool - pool / 2);
    for (const char* dataset : {"a", "b", "c"}) add(store.eval, dataset, "eval", perEval);
    StateInfo info;
    info.key = "toy";
    info.model = "toy";
    info.provenance = R"({"model": "toy"})";
    info.width = width;
    writeStates(statesFile(store.folder(), info.key), info, questions, matrix);
}

}  // namespace candor::testing
