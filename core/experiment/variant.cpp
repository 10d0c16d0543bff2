// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/experiment/variant.h"

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>

#include "core/confidence/pt_file.h"
#include "core/error.h"
#include "core/experiment/baselines.h"
#include "core/experiment/posthoc.h"
#include "core/train/files.h"
#include "core/train/mlp_head.h"

namespace candor {
namespace {

std::vector<double> verdictsOf(const ExperimentData& data, const std::vector<std::int64_t>& rows) {
    std::vector<double> correct;
    for (const std::int64_t row : rows)
        correct.push_back(*data.pool[static_cast<std::size_t>(row)].greedyCorrect ? 1 : 0);
    return correct;
}

}  // namespace

namespace {

using Values = std::vector<std::optional<double>>;

Values valuesOf(const std::vector<Item>& items, const std::vector<std::int64_t>& rows,
                const std::function<std::optional<double>(const Item&)>& value) {
    Values values;
    for (const std::int64_t row : rows) values.push_back(value(items[static_cast<std::size_t>(row)]));
    return values;
}

void requireShares(const Values& values, const std::string& what, const std::string& who) {
    const auto outside = std::ranges::count_if(values, [](const auto& v) { return v && !(*v >= 0 && *v <= 1); });
    if (outside > 0)
        throw InputError("bad_labels", who + ": " + std::to_string(outside) + " of " + std::to_string(values.size()) +
                                           " questions have a " + what + " outside [0, 1]");
}

// An answer of no tokens has no probability: n-prob and prob may lack some, not all.
void requireScores(const ExperimentData& data, const Planned& planned) {
    const Method& m = planned.method;
    const auto score = [&m](const Item& item) { return scoreOf(item, m.base); };
    const std::string what = m.base == "consis-sem" ? "consistency" : m.base;
    const bool mayLack = m.base == "n-prob" || m.base == "prob";
    const auto require = [&](const Values& values, const char* where) {
        if (!mayLack || std::ranges::none_of(values, [](const auto& v) { return v.has_value(); }))
            requireAll(values, what, m.name + where);
    };
    Values eval;
    for (const Item& item : data.eval) eval.push_back(score(item));
    require(eval, " on the evaluation questions");
    if (m.usesLabels)
        require(valuesOf(data.pool, budgetRows(planned, data.pool.size()), score), " on the training questions");
}

}  // namespace

void requireLabels(const ExperimentSpec& spec, const ExperimentData& data, const Planned& planned) {
    const Method& m = planned.method;
    const std::string greedy = "correctness of the greedy answer", where = m.name + " on the training questions";
    const std::string target = spec.target == "greedy" ? greedy : "share of correct samples";
    const auto label = [&spec](const Item& item) { return labelOf(item, spec.target); };
    if (m.kind == MethodKind::Score) requireScores(data, planned);
    if (m.usesStage1) {
        const auto rows = stage1Rows(spec, static_cast<std::int64_t>(data.pool.size()), planned.run.seed);
        const Values values =
            valuesOf(data.pool, rows, [&](const Item& item) { return elicitationOf(item, spec.stage1Target); });
        requireAll(values, spec.stage1Target, where);
        requireShares(values, spec.stage1Target, where);
    }
    if (!m.usesLabels) return;
    const auto rows = budgetRows(planned, data.pool.size());
    const bool trainsOnTarget = (m.kind == MethodKind::Trained && m.base != "eli-only") || m.base == "text-prior";
    if (trainsOnTarget) requireAll(valuesOf(data.pool, rows, label), target, where);
    if (!m.calibrator.empty() || m.kind == MethodKind::Probe || m.base == "set-prior")
        requireAll(valuesOf(data.pool, rows, [](const Item& item) { return labelOf(item, "greedy"); }), greedy, where);
    if (planned.run.selection == "test")
        requireAll(valuesOf(data.eval, selectionRows(data), label), target, m.name + " selected on the test sets");
}

Variant::Variant(const ExperimentSpec& spec, const ExperimentData& data, std::vector<const Planned*> pending,
                 std::filesystem::path folder, const BackboneSource& source, EventSink events, std::stop_token stop)
    : spec_(spec),
      data_(data),
      pending_(std::move(pending)),
      folder_(std::move(folder)),
      backbone_(spec, source),
      events_(std::move(events)),
      stop_(std::move(stop)),
      rows_(neededRows()),
      questions_(neededQuestions(rows_)) {}

// Only questions that some pending run touches: a small budget must not cost the states of a large pool.
RowMap Variant::neededRows() const {
    std::vector<bool> needed(data_.pool.size(), false);
    for (const Planned* planned : pending_) {
        if (!planned->method.usesStates) continue;
        if (planned->method.usesStage1)
            for (const std::int64_t row :
                 stage1Rows(spec_, static_cast<std::int64_t>(data_.pool.size()), planned->run.seed))
                needed[static_cast<std::size_t>(row)] = true;
        if (planned->method.usesLabels)
            for (const std::int64_t row : budgetRows(*planned, data_.pool.size()))
                needed[static_cast<std::size_t>(row)] = true;
    }
    RowMap map;
    std::int64_t next = 0;
    for (const bool need : needed) map.pool.push_back(need ? next++ : -1);
    for (std::size_t i = 0; i < data_.eval.size(); ++i) map.eval.push_back(next++);
    return map;
}

std::vector<std::string> Variant::neededQuestions(const RowMap& rows) const {
    std::vector<std::string> questions;
    for (std::size_t i = 0; i < data_.pool.size(); ++i)
        if (rows.pool[i] >= 0) questions.push_back(data_.pool[i].question);
    for (const Item& item : data_.eval) questions.push_back(item.question);
    return questions;
}

const LoadedStates& Variant::states() {
    if (!states_) states_ = loadStates(spec_, folder_, questions_, backbone_, events_, stop_);
    return *states_;
}

TwoStages& Variant::stages() {
    if (stages_) return *stages_;
    ObjectiveSource source;
    if (spec_.adapterType == "head") {
        source = [this, matrix = states().matrix](std::uint64_t seed) {
            return makeHead(spec_.adapter.head, matrix, seed);
        };
    } else {
        source = [this](std::uint64_t seed) { return backbone_.get().lora(spec_.adapter, questions_, seed); };
    }
    stages_ = std::make_unique<TwoStages>(spec_, data_, rows_, std::move(source), folder_);
    return *stages_;
}

RunResult Variant::execute(const Planned& planned, const TrainingSink& sink) {
    const Method& m = planned.method;
    RunResult result;
    nlohmann::json outcome = nlohmann::json::object();
    const std::vector<std::int64_t> rows =
        m.usesLabels ? budgetRows(planned, data_.pool.size()) : std::vector<std::int64_t>();
    std::vector<double> fitOn;
    if (m.kind == MethodKind::Trained) {
        const TrainedRun done = stages().train(planned, sink, stop_);
        if (done.stage1Epoch > 0) outcome["stage1_epoch"] = done.stage1Epoch;
        if (done.stage2Epochs > 0) outcome["stage2_epoch"] = done.stage2Epochs;
        result.confidences = stages().evalConfidences(stop_);
        if (!m.calibrator.empty()) fitOn = stages().outOfFold(planned, done, sink, stop_);
    } else {
        BaselineInput input{data_, spec_, m, rows, planned.run.seed, !m.calibrator.empty()};
        if (m.usesStates) input.states = states().matrix.get();
        input.poolState = &rows_.pool;
        input.evalState = &rows_.eval;
        BaselineResult baseline = runBaseline(input);
        result.confidences = std::move(baseline.eval);
        fitOn = std::move(baseline.budget);
    }
    if (!m.calibrator.empty()) {
        const Calibrated calibrated =
            calibratePostHoc(m.calibrator, fitOn, verdictsOf(data_, rows), result.confidences);
        result.confidences = calibrated.confidences;
        outcome["calibrator"] = nlohmann::json::parse(calibrated.parameters);
    }
    result.outcome = outcome.dump();
    return result;
}

std::string Variant::provenance() {
    if (states_) {
        nlohmann::json json = nlohmann::json::parse(states_->provenance, nullptr, false);
        if (!json.is_object()) json = nlohmann::json::object();
        json["states"] = states_->key;
        return json.dump();
    }
    return backbone_.opened() ? backbone_.get().provenance() : "{}";
}

void Variant::saveAdapter(const std::filesystem::path& folder, const std::string& sidecarJson) {
    Objective& objective = stages().objective();
    if (spec_.adapterType != "head") return backbone_.get().saveAdapter(objective, spec_.adapter, folder, sidecarJson);
    std::vector<TensorView> tensors;
    for (const ParameterBlock& block : objective.blocks()) {
        std::size_t count = 1;
        for (const std::int64_t d : block.shape) count *= static_cast<std::size_t>(d);
        const float* first = objective.parameters().data() + block.offset;
        tensors.push_back({block.name, Dtype::F32, block.shape, reinterpret_cast<const std::byte*>(first), count * 4});
    }
    std::filesystem::create_directories(folder);
    writePt(folder / "vector_head.pt", tensors);
    const std::vector<std::string_view> sidecar = {sidecarJson};
    writeFileAtomically(folder / "honesty_run.json", sidecar);
}

void Variant::finished(const Planned& planned) {
    std::erase(pending_, &planned);
    if (!stages_ || planned.method.kind != MethodKind::Trained || planned.method.base == "eli-only") return;
    if (std::ranges::none_of(pending_,
                             [&](const Planned* p) { return p->trainingIdentity == planned.trainingIdentity; }))
        stages_->forget(planned);
}

}  // namespace candor
