// SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>
#include <fstream>

#include "core/error.h"
#include "core/experiment/runner.h"
#include "core/train/linear_head.h"
#include "tests/core/fake_store.h"
#include "tests/testing.h"

using namespace candor;
using candor::testing::FakeStore;
using candor::testing::fillSynthetic;
using candor::testing::metricOf;

namespace {

ExperimentSpec toySpec() {
    return parseSpec(R"({"preset": "small", "name": "toy", "model": "toy", "train": ["a", "b"],
        "eval": {"in": ["a", "b"], "out": ["c"]}, "budgets": [40, "all"], "seeds": [0, 1],
        "stage1": {"epochs": 12}, "stage2": {"epochs": 8}, "optimiser": {"lr": 0.02}})");
}

ExperimentResult run(const ExperimentSpec& spec, FakeStore& store, std::stop_token stop = {},
                     const EventSink& events = {}) {
    return runExperiment(spec, store, {}, events, stop);
}

const FakeStore::Run& finished(const FakeStore& store, const std::string& method, std::int64_t budget, int seed) {
    const FakeStore::Run* run = store.find(method, budget, seed);
    if (!run) throw Error("no run of " + method);
    if (run->status != RunStatus::Finished) throw Error(method + " is not finished: " + run->message);
    return *run;
}

// A language model for LoRA experiments: its adapter is a head on the toy states, and saving leaves a file to look at.
class ToyBackbone : public Backbone {
  public:
    explicit ToyBackbone(const std::filesystem::path& folder) : cache_(StateCache::open(statesFile(folder, "toy"))) {}
    std::string provenance() const override { return R"({"model": "toy backbone"})"; }
    std::string stateKey(int) const override { return "toy"; }
    int width() const override { return cache_.info().width; }
    std::vector<float> hiddenStates(std::span<const std::string> questions, const EventSink&, std::stop_token,
                                    int) override {
        return cache_.read(questions);
    }
    std::unique_ptr<Objective> lora(const AdapterOptions&, std::span<const std::string> questions,
                                    std::uint64_t seed) override {
        ++objectives;
        asked = questions.size();
        auto matrix = std::make_shared<StateMatrix>();
        matrix->rows = questions.size();
        matrix->width = static_cast<std::size_t>(width());
        matrix->values = cache_.read(questions);
        return std::make_unique<LinearHead>(matrix, seed);
    }
    void saveAdapter(Objective& objective, const AdapterOptions&, const std::filesystem::path& folder,
                     const std::string& sidecar) override {
        std::filesystem::create_directories(folder);
        std::ofstream(folder / "adapter.txt") << objective.parameters()[0] << ' ' << sidecar;
    }
    int objectives = 0;
    std::size_t asked = 0;

  private:
    StateCache cache_;
};

}  // namespace

class ExperimentRunnerTest : public QObject {
    Q_OBJECT

  private slots:
    void eliCalBeatsCalOnlyWithFewLabels() {
        FakeStore store;
        fillSynthetic(store, 600, 300);
        const ExperimentResult result = run(toySpec(), store);
        QCOMPARE(result.failed, 0);
        QCOMPARE(result.planned, 2 + 4 + 4 + 2);
        QCOMPARE(result.finished, result.planned);
        double elical = 0, calOnly = 0;
        for (const int seed : {0, 1}) {
            elical += metricOf(finished(store, "elical", 40, seed), "in-domain", "auroc", "weighted") / 2;
            calOnly += metricOf(finished(store, "cal-only", 40, seed), "in-domain", "auroc", "weighted") / 2;
        }
        QVERIFY2(elical > calOnly + 0.02, qPrintable(QString("%1 against %2").arg(elical).arg(calOnly)));
        const FakeStore::Run& all = finished(store, "elical", kAllLabels, 0);
        QCOMPARE(all.plan.labels, 600);
        QCOMPARE(all.plan.selection, std::string("holdout"));
        QCOMPARE(finished(store, "elical", 40, 0).plan.selection, std::string("kfold"));
        QCOMPARE(all.confidences.size(), std::size_t{900});
        QVERIFY(std::filesystem::exists(store.folder() / "runs" / std::to_string(&all - store.runs.data() + 1) /
                                        "vector_head.pt"));
    }

    void budgetsAreNested() {
        FakeStore store;
        fillSynthetic(store, 120, 30);
        run(toySpec(), store);
        const auto& few = finished(store, "cal-only", 40, 1).subset;
        const auto& all = finished(store, "elical", kAllLabels, 1).subset;
        QCOMPARE(few.size(), std::size_t{40});
        QCOMPARE(all.size(), std::size_t{120});
        QVERIFY(std::equal(few.begin(), few.end(), all.begin()));
        QVERIFY(few != finished(store, "cal-only", 40, 0).subset);
    }

    void secondRunDoesNothing() {
        FakeStore store;
        fillSynthetic(store, 120, 30);
        run(toySpec(), store);
        const std::size_t attempts = store.attempts.size();
        const ExperimentResult again = run(toySpec(), store);
        QCOMPARE(again.alreadyDone, again.planned);
        QCOMPARE(again.finished, 0);
        QCOMPARE(store.attempts.size(), attempts);
    }

    void changedLabelsAreANewRun() {
        FakeStore store;
        fillSynthetic(store, 120, 30);
        ExperimentSpec spec = toySpec();
        spec.methods = {"eli-only", "cal-only"};
        spec.budgets = {40};
        run(spec, store);
        const std::int64_t used = finished(store, "cal-only", 40, 0).subset.front();
        for (auto& [name, items] : store.train)
            for (Item& item : items)
                if (item.id == used) item.sampleShare = 1 - *item.sampleShare;
        const ExperimentResult again = run(spec, store);
        QVERIFY(again.finished >= 1);     // cal-only of seed 0 at the least
        QVERIFY(again.alreadyDone >= 2);  // eli-only uses no label of correctness
        QCOMPARE(again.finished + again.alreadyDone, again.planned);
    }

    void stopAndResumeGiveTheSameNumbers() {
        ExperimentSpec spec = toySpec();
        spec.methods = {"elical", "elical+platt"};
        spec.seeds = {3};
        FakeStore whole;
        fillSynthetic(whole, 220, 40);
        int steps = 0;
        const auto count = [&](const Event& e) { steps += e.kind == EventKind::Metric && e.text == "train_loss"; };
        run(spec, whole, {}, count);
        QVERIFY(steps > 20);
        for (int stopAt = 1; stopAt < steps; stopAt += 3) {
            FakeStore store;
            fillSynthetic(store, 220, 40);
            std::stop_source source;
            int seen = 0;
            const auto stopper = [&](const Event& e) {
                if (e.kind == EventKind::Metric && e.text == "train_loss" && ++seen == stopAt) source.request_stop();
            };
            QVERIFY_EXCEPTION_THROWN(run(spec, store, source.get_token(), stopper), Stopped);
            QVERIFY(std::ranges::any_of(store.runs, [](const auto& r) { return r.status == RunStatus::Stopped; }));
            run(spec, store);
            for (const std::int64_t budget : {std::int64_t{40}, kAllLabels})
                for (const char* method : {"elical", "elical+platt"})
                    QCOMPARE(finished(store, method, budget, 3).confidences,
                             finished(whole, method, budget, 3).confidences);
        }
    }

    void budgetLargerThanThePoolIsLeftOut() {
        FakeStore store;
        fillSynthetic(store, 60, 20);
        ExperimentSpec spec = toySpec();
        spec.methods = {"cal-only"};
        spec.seeds = {0};
        spec.budgets = {40, 61, kAllLabels};
        QCOMPARE(run(spec, store).planned, 2);
        spec.budgets = {61};
        QVERIFY_EXCEPTION_THROWN(run(spec, store), InputError);
    }

    void oneClassSetIsUndefinedNotAFailure() {
        FakeStore store;
        fillSynthetic(store, 60, 20);
        for (Item& item : store.eval["c/eval"]) item.greedyCorrect = false;
        ExperimentSpec spec = toySpec();
        spec.methods = {"consis-sem"};
        QCOMPARE(run(spec, store).finished, 1);
        for (const MetricRecord& m : store.runs.front().metrics) {
            const bool concerned = m.name == "auroc" && (m.set == "c/eval" || m.set == "out-of-domain");
            if (concerned) QVERIFY2(!m.undefinedReason.empty(), qPrintable(QString::fromStdString(m.set)));
            if (m.name == "accuracy" && m.set == "c/eval") QCOMPARE(m.value, 0.0);
            if (m.name == "auroc" && m.set == "in-domain") QVERIFY(m.undefinedReason.empty());
        }
    }

    void missingLabelsAreNamed() {
        FakeStore store;
        fillSynthetic(store, 60, 20);
        for (std::size_t i = 0; i < 3; ++i) store.train["a/train"][i].sampleShare.reset();
        ExperimentSpec spec = toySpec();
        spec.budgets = {kAllLabels};
        try {
            run(spec, store);
            QFAIL("no error");
        } catch (const InputError& error) {
            const QString text = error.what();
            QVERIFY2(text.contains("3 of 60") && text.contains("judge"), qPrintable(text));
        }
        QVERIFY(store.attempts.empty());
    }

    void everyMethodRuns() {
        FakeStore store;
        fillSynthetic(store, 160, 60);
        ExperimentSpec spec = toySpec();
        spec.seeds = {0};
        spec.budgets = {60, kAllLabels};
        spec.methods = {"eli-only",
                        "cal-only",
                        "elical",
                        "consis-sem",
                        "n-prob",
                        "prob",
                        "probe",
                        "features",
                        "text-prior",
                        "set-prior",
                        "consis-sem+isotonic",
                        "elical+temperature",
                        "probe+platt",
                        "eli-only+beta",
                        "n-prob+logistic"};
        const ExperimentResult result = run(spec, store);
        for (const auto& r : store.runs)
            QVERIFY2(r.status == RunStatus::Finished,
                     qPrintable(QString::fromStdString(r.plan.method + ": " + r.message)));
        QCOMPARE(result.planned, 1 + 3 + 2 * 11);
        QVERIFY(metricOf(finished(store, "probe", kAllLabels, 0), "in-domain", "auroc", "weighted") > 0.6);
        // Isotonic calibration repairs what the biased set breaks, without reordering within a set much.
        QVERIFY(metricOf(finished(store, "consis-sem+isotonic", kAllLabels, 0), "b/eval", "ece_ew10") <
                metricOf(finished(store, "consis-sem", 0, 0), "b/eval", "ece_ew10"));
    }

    void axesMultiplyOnlyWhatTheyConcern() {
        ExperimentSpec spec = toySpec();
        spec.axes.stage1Questions = {100};
        const auto runs = planRuns(spec, 600);
        // eli-only 2 x 2 seeds, elical 2 x 2 seeds x 2 budgets; cal-only 4, consis-sem and n-prob once.
        QCOMPARE(runs.size(), std::size_t{4 + 8 + 4 + 2});
    }

    void selectionOnTheTestSetIsMarked() {
        FakeStore store;
        fillSynthetic(store, 60, 20);
        ExperimentSpec spec = toySpec();
        spec.methods = {"cal-only"};
        spec.selection.rule = SelectionRule::Test;
        run(spec, store);
        for (const auto& r : store.runs) {
            QCOMPARE(r.status, RunStatus::Finished);
            QCOMPARE(r.plan.selection, std::string("test"));
            QVERIFY(QString::fromStdString(r.provenance).contains("\"selection\":\"test\""));
        }
    }

    void loraTrainsThroughTheBackboneAndIsSaved() {
        FakeStore lora, head;
        fillSynthetic(lora, 120, 30);
        fillSynthetic(head, 120, 30);
        ExperimentSpec spec = toySpec();
        spec.methods = {"eli-only", "cal-only", "elical"};
        spec.budgets = {40};
        run(spec, head);
        spec.adapterType = "lora";
        const auto model = std::make_shared<ToyBackbone>(lora.folder());
        const ExperimentResult result = runExperiment(spec, lora, [&](const ExperimentSpec&) { return model; }, {}, {});
        QCOMPARE(result.finished, 6);
        QCOMPARE(model->objectives, 2);  // one a seed
        for (const char* method : {"cal-only", "elical"})
            QCOMPARE(finished(lora, method, 40, 1).confidences, finished(head, method, 40, 1).confidences);
        const FakeStore::Run& saved = finished(lora, "elical", 40, 1);
        std::ifstream file(lora.folder() / "runs" / std::to_string(&saved - lora.runs.data() + 1) / "adapter.txt");
        std::string text((std::istreambuf_iterator<char>(file)), {});
        QVERIFY(text.find("\"labels_used\":40") != std::string::npos);
        QVERIFY(text.find("toy backbone") != std::string::npos);
    }

    void aSmallBudgetTouchesFewQuestions() {
        FakeStore store;
        fillSynthetic(store, 300, 20);
        ExperimentSpec spec = toySpec();
        spec.adapterType = "lora";
        spec.methods = {"cal-only"};
        spec.budgets = {40};
        spec.seeds = {0};
        const auto model = std::make_shared<ToyBackbone>(store.folder());
        runExperiment(spec, store, [&](const ExperimentSpec&) { return model; }, {}, {});
        QCOMPARE(model->asked, std::size_t{40 + 60});
    }

    void aFailedRunDoesNotEndTheOthersAndIsTriedAgain() {
        FakeStore store;
        fillSynthetic(store, 60, 20);
        ExperimentSpec spec = toySpec();
        spec.adapterType = "lora";
        spec.methods = {"cal-only", "consis-sem"};
        spec.budgets = {40};
        spec.seeds = {0};
        const BackboneSource none = [](const ExperimentSpec&) -> std::shared_ptr<Backbone> {
            throw Error("no such folder");
        };
        ExperimentResult result = runExperiment(spec, store, none, {}, {});
        QCOMPARE(result.failed, 1);
        QCOMPARE(result.finished, 1);
        const auto model = std::make_shared<ToyBackbone>(store.folder());
        result = runExperiment(spec, store, [&](const ExperimentSpec&) { return model; }, {}, {});
        QCOMPARE(result.finished, 1);
        QCOMPARE(result.alreadyDone, 1);
    }

    void whatAnotherProcessFinishedMeanwhileIsNotRepeated() {
        FakeStore store;
        fillSynthetic(store, 60, 20);
        ExperimentSpec spec = toySpec();
        spec.methods = {"consis-sem", "n-prob", "prob"};
        const auto other = [&](const Event& e) {
            if (e.kind != EventKind::Finished || e.run != 1) return;
            store.runs.at(1).status = RunStatus::Finished;
            store.runs.at(2).status = RunStatus::Running;
        };
        const ExperimentResult result = run(spec, store, {}, other);
        QCOMPARE(result.finished, 1);
        QCOMPARE(result.alreadyDone, 1);
        QCOMPARE(store.attempts.size(), std::size_t{1});
    }

    void anAttemptHoldsItsSteps() {
        FakeStore store;
        fillSynthetic(store, 120, 30);
        ExperimentSpec spec = toySpec();
        spec.methods = {"elical"};
        spec.budgets = {kAllLabels};
        spec.selection.rule = SelectionRule::Last;
        spec.seeds = {0};
        run(spec, store);
        const FakeStore::Attempt& attempt = store.attempts.front();
        QCOMPARE(attempt.steps.size(), std::size_t{4 * 12 + 4 * 8});  // 120 rows in batches of 32
        QCOMPARE(attempt.epochs.size(), std::size_t{12 + 8});
        QCOMPARE(attempt.steps.front().stage, std::string("stage1"));
        QCOMPARE(attempt.steps.front().lr, 0.0);
        QCOMPARE(attempt.steps.back().stage, std::string("stage2"));
        QCOMPARE(attempt.steps.back().step, 32);
        QCOMPARE(attempt.steps.back().epoch, 8);
    }

    void mlpHeadsTrainToo() {
        FakeStore store;
        fillSynthetic(store, 120, 30);
        ExperimentSpec spec = toySpec();
        spec.methods = {"elical"};
        spec.budgets = {kAllLabels};
        spec.adapter.head = "mlp";
        const ExperimentResult result = run(spec, store);
        QCOMPARE(result.finished, 2);
        QVERIFY(metricOf(store.runs.front(), "in-domain", "auroc", "weighted") > 0.6);
    }

    void answersWithoutProbabilityAreCountedNotFatal() {
        FakeStore store;
        fillSynthetic(store, 60, 20);
        store.eval["a/eval"][3].nProb.reset();
        ExperimentSpec spec = toySpec();
        spec.methods = {"n-prob"};
        QCOMPARE(run(spec, store).finished, 1);
        for (const MetricRecord& m : store.runs.front().metrics)
            if (m.set == "a/eval") QCOMPARE(m.n, 19);
        QVERIFY(std::isnan(store.runs.front().confidences[3]));
        for (Item& item : store.eval["a/eval"]) item.consistency.reset();
        spec.methods = {"consis-sem"};
        QVERIFY_EXCEPTION_THROWN(run(spec, store), InputError);
    }

    void damagedStatesAreReportedAndNeedTheModel() {
        FakeStore store;
        fillSynthetic(store, 60, 20);
        const auto file = statesFile(store.folder(), "toy");
        std::filesystem::resize_file(file, 40);
        ExperimentSpec spec = toySpec();
        spec.methods = {"cal-only"};
        spec.seeds = {0};
        const ExperimentResult result = run(spec, store);
        QCOMPARE(result.failed, result.planned);
        QVERIFY(QString::fromStdString(store.runs.front().message).contains("toy"));
    }
};

CANDOR_TEST(ExperimentRunnerTest);
#include "experiment_runner_test.moc"
