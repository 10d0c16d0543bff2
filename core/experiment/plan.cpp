// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/experiment/plan.h"

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>

#include "core/llm/hash.h"
#include "core/train/files.h"
#include "core/train/random.h"

namespace candor {
namespace {

using nlohmann::json;

// Questions, labels and scores as 64-bit words, hashed once a variant.
class Digester {
  public:
    explicit Digester(const ExperimentData& data) : data_(data) {
        for (const auto& [items, hashes] : {std::pair(&data.pool, &pool_), std::pair(&data.eval, &eval_)}) {
            for (const Item& item : *items) {
                const std::string text = item.key.dataset + '\n' + item.key.split + '\n' +
                                         std::to_string(item.key.row) + '\n' + item.question;
                hashes->push_back({checksum64(text), checksum64(text, 0x9e3779b97f4a7c15ULL)});
            }
        }
    }

    std::string training(const std::vector<std::int64_t>& rows, const ExperimentSpec& spec, const Method& m) const {
        const bool greedy = !m.calibrator.empty() || m.kind == MethodKind::Probe || m.base == "set-prior";
        Sha256 hash;
        for (const std::int64_t row : rows) {
            const Item& item = data_.pool[static_cast<std::size_t>(row)];
            add(hash, pool_[static_cast<std::size_t>(row)]);
            add(hash, labelOf(item, spec.target));
            if (greedy) add(hash, labelOf(item, "greedy"));
            addScores(hash, item, m);
        }
        return hash.hex();
    }

    std::string stage1(const std::vector<std::int64_t>& rows, const ExperimentSpec& spec) const {
        Sha256 hash;
        for (const std::int64_t row : rows) {
            add(hash, pool_[static_cast<std::size_t>(row)]);
            add(hash, elicitationOf(data_.pool[static_cast<std::size_t>(row)], spec.stage1Target));
        }
        return hash.hex();
    }

    std::string evaluation(const ExperimentSpec& spec, const Method& m) const {
        Sha256 hash;
        for (std::size_t i = 0; i < data_.eval.size(); ++i) {
            add(hash, eval_[i]);
            add(hash, labelOf(data_.eval[i], "greedy"));
            if (spec.selection.rule == SelectionRule::Test) add(hash, labelOf(data_.eval[i], spec.target));
            addScores(hash, data_.eval[i], m);
        }
        return hash.hex();
    }

  private:
    using Words = std::array<std::uint64_t, 2>;

    static void add(Sha256& hash, const Words& words) { hash.update(bytesOf(std::span<const std::uint64_t>(words))); }
    static void add(Sha256& hash, std::optional<double> value) {
        const double stored[2] = {value ? 1.0 : 0.0, value.value_or(0)};
        hash.update(bytesOf(std::span<const double>(stored)));
    }
    static void addScores(Sha256& hash, const Item& item, const Method& m) {
        if (m.kind == MethodKind::Score) add(hash, scoreOf(item, m.base));
        if (m.base != "features") return;
        for (const char* name : {"consis-sem", "n-prob", "prob"}) add(hash, scoreOf(item, name));
        for (const auto& [name, value] : item.scores) {
            hash.update(name + '\n');
            add(hash, value);
        }
    }

    const ExperimentData& data_;
    std::vector<Words> pool_, eval_;
};

json optimiserJson(const OptimiserOptions& o) {
    return {{"lr", o.lr},         {"batch", o.batch}, {"micro_batch", o.microBatch}, {"weight_decay", o.weightDecay},
            {"warmup", o.warmup}, {"clip", o.clip}};
}

json budgetJson(std::int64_t budget) { return budget == kAllLabels ? json("all") : json(budget); }

json adapterJson(const ExperimentSpec& s) {
    if (s.adapterType == "head") return {{"type", "head"}, {"head", s.adapter.head}, {"layer", s.layer}};
    return {{"type", "lora"},
            {"r", s.adapter.r},
            {"alpha", s.adapter.alpha},
            {"dropout", s.adapter.dropout},
            {"targets", s.adapter.targets},
            {"head", s.adapter.head}};
}

json stage1Json(const ExperimentSpec& s, int seed) {
    json stage = {{"epochs", s.stage1Epochs.at(s.stage1Questions)},
                  {"questions", budgetJson(s.stage1Questions)},
                  {"target", s.stage1Target},
                  {"seed", stage1SeedOf(s, seed)},
                  {"select", s.selection.rule != SelectionRule::Last},
                  {"patience", s.selection.patience},
                  {"optimiser", optimiserJson(s.stage1Optimiser.value_or(s.optimiser))}};
    if (s.stage1Target == "consistency") stage["agreement"] = s.labels.agreement;
    if (s.stage1Target != "n-prob") stage["k"] = s.k;
    return stage;
}

// What determines a base method's training beside budget, seed and the data: only what it depends on, so that axes
// which do not matter to a method do not multiply it.
json trainingSettings(const ExperimentSpec& s, const Method& m, const PlannedRun& run) {
    json settings = {{"model", s.model}};
    if (m.base == "consis-sem") settings["agreement"] = s.labels.agreement;
    if (m.kind == MethodKind::Score && m.base != "n-prob" && m.base != "prob") settings["k"] = s.k;
    if (m.usesLabels || m.usesStage1) settings["train"] = s.train;
    if (m.usesLabels) {
        settings["correctness"] = s.labels.correctness;
        if (m.kind == MethodKind::Trained || m.base == "text-prior") {
            settings["target"] = s.target;
            if (s.target == "sample-share") settings["k"] = s.k;
        }
    }
    if (m.usesStates) {
        settings["read_position"] = s.readPosition;
        settings["dtype"] = s.dtype;
    }
    if (m.base == "probe") settings["layer"] = s.layer;
    if (m.kind != MethodKind::Trained) return settings;
    settings["adapter"] = adapterJson(s);
    if (m.usesStage1) {
        settings["stage1"] = stage1Json(s, run.seed);
        if (s.stage1Target != "n-prob") settings["k"] = s.k;
    }
    if (m.base == "eli-only") return settings;
    settings["stage2"] = {{"epochs", s.stage2Epochs.at(run.budget)},
                          {"optimiser", optimiserJson(s.stage2Optimiser.value_or(s.optimiser))}};
    settings["selection"] = {{"rule", run.selection}, {"patience", s.selection.patience}};
    if (run.selection == "holdout") settings["selection"]["share"] = s.selection.share;
    return settings;
}

std::string identityOf(const json& what) { return sha256(what.dump()); }

class Planner {
  public:
    Planner(const ExperimentSpec& spec, const ExperimentData* data, std::int64_t pool, std::size_t variant)
        : spec_(spec), pool_(pool), variant_(variant) {
        if (data) digester_.emplace(*data);
    }

    void plan(std::vector<Planned>& all, std::set<std::string>& known) const {
        for (const std::string& name : spec_.methods) {
            const Method method = methodOf(name);
            for (const std::int64_t budget : budgetsOf(method))
                for (const int seed : seedsOf(method)) {
                    Planned planned = make(method, budget, seed);
                    if (known.insert(planned.run.identity).second) all.push_back(std::move(planned));
                }
        }
    }

  private:
    std::vector<std::int64_t> budgetsOf(const Method& m) const {
        if (!m.usesLabels) return {0};
        std::vector<std::int64_t> budgets;
        for (const std::int64_t b : spec_.budgets)
            if (b == kAllLabels || b <= pool_) budgets.push_back(b);
        return budgets;
    }

    std::vector<int> seedsOf(const Method& m) const {
        if (m.usesLabels) return spec_.seeds;
        if (m.kind != MethodKind::Trained) return {0};
        return spec_.stage1Seed ? std::vector<int>{*spec_.stage1Seed} : spec_.seeds;  // eli-only
    }

    Planned make(const Method& method, std::int64_t budget, int seed) const {
        Planned p;
        p.method = method;
        p.variant = variant_;
        PlannedRun& run = p.run;
        run.method = method.name;
        run.budget = budget;
        run.labels = budget == kAllLabels ? pool_ : budget;
        run.seed = seed;
        const bool selects = method.kind == MethodKind::Trained && method.base != "eli-only";
        run.selection = selects ? nameOf(spec_.selection.at(run.labels)) : "none";

        json settings = trainingSettings(spec_, method, run);
        json training = {{"base", method.base}, {"budget", budgetJson(budget)}, {"labels", run.labels},
                         {"seed", seed},        {"settings", settings},         {"version", 1}};
        json whole = settings;
        whole["eval"] = {{"in", spec_.evalIn}, {"out", spec_.evalOut}};
        whole["correctness"] = spec_.labels.correctness;
        json identity = {
            {"method", method.name}, {"settings", whole}, {"training", training}, {"data", dataOf(p, training)}};
        run.settings = whole.dump();
        run.identity = identityOf(identity);
        p.trainingIdentity = identityOf(training);
        return p;
    }

    // Adds digests of the training data to `training`, gives that of the evaluation data.
    json dataOf(Planned& p, json& training) const {
        const Method& m = p.method;
        if (m.usesStage1) {
            json stage1 = {{"settings", stage1Json(spec_, p.run.seed)},
                           {"adapter", adapterJson(spec_)},
                           {"model", spec_.model},
                           {"read_position", spec_.readPosition},
                           {"dtype", spec_.dtype},
                           {"train", spec_.train},
                           {"version", 1}};
            if (digester_) stage1["data"] = digester_->stage1(stage1Rows(spec_, pool_, p.run.seed), spec_);
            p.stage1Identity = identityOf(stage1);
            training["stage1"] = p.stage1Identity;
        }
        if (!digester_) return pool_;
        if (m.usesLabels) {
            auto rows = budgetOrder(pool_, p.run.seed);
            rows.resize(static_cast<std::size_t>(p.run.labels));
            Method base = m;
            base.calibrator.clear();
            training["data"] = digester_->training(rows, spec_, base);
            if (p.run.selection == "test") training["eval"] = digester_->evaluation(spec_, base);
            return {digester_->training(rows, spec_, m), digester_->evaluation(spec_, m)};
        }
        return digester_->evaluation(spec_, m);
    }

    const ExperimentSpec& spec_;
    std::int64_t pool_;
    std::size_t variant_;
    std::optional<Digester> digester_;
};

}  // namespace

std::vector<std::int64_t> budgetOrder(std::int64_t pool, int seed) {
    return permutation(pool, mixSeed(static_cast<std::uint64_t>(seed), "subset"));
}

int stage1SeedOf(const ExperimentSpec& spec, int seed) { return spec.stage1Seed.value_or(seed); }

std::vector<std::int64_t> stage1Rows(const ExperimentSpec& spec, std::int64_t pool, int seed) {
    auto rows = budgetOrder(pool, stage1SeedOf(spec, seed));
    if (spec.stage1Questions != kAllLabels && spec.stage1Questions < pool)
        rows.resize(static_cast<std::size_t>(spec.stage1Questions));
    return rows;
}

std::vector<Planned> planWithData(const ExperimentSpec& spec, const std::vector<ExperimentData>& variants,
                                  std::int64_t pool) {
    std::vector<Planned> all;
    std::set<std::string> known;
    const std::vector<ExperimentSpec> specs = expandAxes(spec);
    for (std::size_t v = 0; v < specs.size(); ++v) {
        const ExperimentData* data = variants.empty() ? nullptr : &variants[v];
        Planner(specs[v], data, data ? static_cast<std::int64_t>(data->pool.size()) : pool, v).plan(all, known);
    }
    return all;
}

std::vector<PlannedRun> planRuns(const ExperimentSpec& spec, std::int64_t pool) {
    std::vector<PlannedRun> runs;
    for (Planned& planned : planWithData(spec, {}, pool)) runs.push_back(std::move(planned.run));
    return runs;
}

}  // namespace candor
