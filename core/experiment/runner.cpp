// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/experiment/runner.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/experiment/attempt.h"
#include "core/experiment/evaluate.h"
#include "core/experiment/plan.h"
#include "core/experiment/variant.h"

namespace candor {
namespace {

using nlohmann::json;

class Runner {
  public:
    Runner(const ExperimentSpec& spec, ExperimentStore& store, const BackboneSource& source, const EventSink& events,
           std::stop_token stop)
        : spec_(spec),
          specs_(expandAxes(spec)),
          store_(store),
          source_(source),
          events_(events),
          stop_(std::move(stop)) {}

    ExperimentResult run() {
        for (const ExperimentSpec& one : specs_) data_.push_back(loadData(one, store_));
        planned_ = planWithData(spec_, data_);
        if (planned_.empty())
            throw InputError("bad_spec", "the experiment plans no run: every budget is larger than the pool");
        result_.planned = static_cast<int>(planned_.size());
        result_.experiment = store_.experiment(spec_);
        const auto pending = pendingRuns();
        for (const auto& [variant, runs] : pending)
            for (const Planned* p : runs) requireLabels(specs_[variant], data_[variant], *p);
        say(EventKind::Started,
            std::to_string(planned_.size()) + " runs, " + std::to_string(result_.alreadyDone) + " done");
        for (const auto& [variant, runs] : pending) runVariant(variant, runs);
        say(EventKind::Finished,
            std::to_string(result_.finished) + " runs finished, " + std::to_string(result_.failed) + " failed");
        return result_;
    }

  private:
    // What is not finished, by variant; runs of one seed stand together because they share stage 1.
    std::map<std::size_t, std::vector<const Planned*>> pendingRuns() {
        std::map<std::size_t, std::vector<const Planned*>> pending;
        for (const Planned& planned : planned_) {
            const StoredRun stored = store_.run(result_.experiment, planned.run);
            ids_[&planned] = stored.id;
            if (stored.status == RunStatus::Finished) {
                ++result_.alreadyDone;
            } else if (stored.status == RunStatus::Running) {
                say(EventKind::Message, planned.run.method + " is being run by another process and is left to it");
            } else {
                pending[planned.variant].push_back(&planned);
            }
        }
        for (auto& [variant, runs] : pending)
            std::ranges::stable_sort(runs, [](const Planned* a, const Planned* b) {
                const bool trainedA = a->method.kind == MethodKind::Trained,
                           trainedB = b->method.kind == MethodKind::Trained;
                return std::pair(trainedA, a->run.seed) < std::pair(trainedB, b->run.seed);
            });
        return pending;
    }

    void runVariant(std::size_t v, const std::vector<const Planned*>& runs) {
        Variant variant(specs_[v], data_[v], runs, store_.folder(), source_, events_, stop_);
        for (const Planned* planned : runs) {
            if (stop_.stop_requested()) throwStopped();
            progress();
            execute(variant, data_[v], *planned);
        }
        progress();
    }

    void execute(Variant& variant, const ExperimentData& data, const Planned& planned) {
        const std::int64_t id = ids_.at(&planned);
        if (takenByAnother(planned)) return;
        Attempt attempt(store_, id, events_);
        try {
            const RunResult result = variant.execute(planned, attempt.sink());
            storeResult(variant, data, planned, id, result);
            attempt.end(RunStatus::Finished, {});
            variant.finished(planned);
            ++result_.finished;
        } catch (const Stopped& stopped) {
            attempt.end(RunStatus::Stopped, stopped.what());
            throwStopped();
        } catch (const std::exception& error) {  // the other runs go on; std::bad_alloc is among these
            attempt.end(RunStatus::Failed, error.what());
            ++result_.failed;
        }
    }

    // Two processes may work on one experiment: each run is looked at again before it is begun.
    bool takenByAnother(const Planned& planned) {
        const RunStatus status = store_.run(result_.experiment, planned.run).status;
        if (status == RunStatus::Finished) ++result_.alreadyDone;
        if (status == RunStatus::Running)
            say(EventKind::Message, planned.run.method + " is being run by another process and is left to it");
        return status == RunStatus::Finished || status == RunStatus::Running;
    }

    void storeResult(Variant& variant, const ExperimentData& data, const Planned& planned, std::int64_t id,
                     const RunResult& result) {
        const std::string provenance = provenanceOf(variant, data, planned, result);
        if (planned.method.kind == MethodKind::Trained && planned.method.calibrator.empty())
            variant.saveAdapter(store_.folder() / "runs" / std::to_string(id), provenance);
        store_.recordProvenance(id, provenance);
        if (planned.method.usesLabels) {
            std::vector<std::int64_t> subset;
            for (const std::int64_t row : budgetRows(planned, data.pool.size()))
                subset.push_back(data.pool[static_cast<std::size_t>(row)].id);
            store_.recordSubset(id, subset);
        }
        std::vector<std::int64_t> questions;
        for (const Item& item : data.eval) questions.push_back(item.id);
        store_.storeConfidences(id, questions, result.confidences);
        const std::vector<MetricRecord> metrics = evaluate(data, result.confidences);
        store_.storeMetrics(id, metrics);
        for (const MetricRecord& m : metrics) {
            if (m.average != "weighted" || !m.undefinedReason.empty() || !events_) continue;
            Event event;
            event.kind = EventKind::Metric;
            event.run = id;
            event.stage = "evaluate";
            event.text = m.name + " " + m.set;
            event.value = m.value;
            events_(event);
        }
    }

    std::string provenanceOf(Variant& variant, const ExperimentData& data, const Planned& planned,
                             const RunResult& result) const {
        const PlannedRun& run = planned.run;
        json model = json::parse(variant.provenance(), nullptr, false);
        if (!model.is_object()) model = json::object();
        const json provenance = {{"method", run.method},
                                 {"budget", run.budget == kAllLabels ? json("all") : json(run.budget)},
                                 {"labels_used", run.labels},
                                 {"seed", run.seed},
                                 {"selection", run.selection},
                                 {"identity", run.identity},
                                 {"stage1_identity", planned.stage1Identity},
                                 {"pool", data.pool.size()},
                                 {"settings", json::parse(run.settings)},
                                 {"outcome", json::parse(result.outcome)},
                                 {"order", "mt19937_64, Fisher-Yates; seeds by splitmix64 of seed, purpose and epoch"},
                                 {"model", model}};
        return provenance.dump();
    }

    void progress() const {
        if (!events_) return;
        Event event;
        event.kind = EventKind::Progress;
        event.stage = "runs";
        event.done = result_.alreadyDone + result_.finished + result_.failed;
        event.total = result_.planned;
        events_(event);
    }

    void say(EventKind kind, const std::string& text) const {
        if (!events_) return;
        Event event;
        event.kind = kind;
        event.text = text;
        events_(event);
    }

    [[noreturn]] void throwStopped() const {
        const std::string text =
            "stopped after " + std::to_string(result_.finished) + " runs; run the experiment again to go on";
        say(EventKind::Stopped, text);
        throw Stopped(text);
    }

    const ExperimentSpec& spec_;
    std::vector<ExperimentSpec> specs_;
    ExperimentStore& store_;
    const BackboneSource& source_;
    EventSink events_;
    std::stop_token stop_;
    std::vector<ExperimentData> data_;
    std::vector<Planned> planned_;
    std::map<const Planned*, std::int64_t> ids_;
    ExperimentResult result_;
};

}  // namespace

ExperimentResult runExperiment(const ExperimentSpec& spec, ExperimentStore& store, const BackboneSource& backbone,
                               const EventSink& events, std::stop_token stop) {
    return Runner(spec, store, backbone, events, std::move(stop)).run();
}

}  // namespace candor
