// SPDX-License-Identifier: GPL-3.0-or-later
#include <nlohmann/json.hpp>
#include <set>

#include "core/error.h"
#include "core/experiment/runner.h"
#include "core/train/files.h"
#include "tests/testing.h"

using namespace candor;

namespace {

const char* kMinimal = R"({"name": "n", "model": "m", "train": ["a"], "eval": {"in": ["a"]}})";

std::string errorOf(const std::string& json) {
    try {
        parseSpec(json);
    } catch (const InputError& error) {
        if (error.code() != "bad_spec") return "code " + error.code();
        return error.what();
    }
    return {};
}

std::string with(const std::string& members) {
    std::string json = kMinimal;
    return json.substr(0, json.size() - 1) + ", " + members + "}";
}

}  // namespace

class ExperimentSpecTest : public QObject {
    Q_OBJECT

  private slots:
    void everyKeyHasADefaultButFour() {
        const ExperimentSpec spec = parseSpec(kMinimal);
        ExperimentSpec plain;
        plain.name = "n";
        plain.model = "m";
        plain.train = plain.evalIn = {"a"};
        QVERIFY(spec == plain);
        for (const char* key : {"name", "model", "train", "eval"}) {
            auto json = nlohmann::json::parse(kMinimal);
            json.erase(key);
            QVERIFY(errorOf(json.dump()).find(std::string("\"") + key + "\" is missing") != std::string::npos);
        }
    }

    void theDesignsExampleIsRead() {
        const ExperimentSpec s = parseSpec(R"({"name": "sweep", "model": "smollm2", "train": ["nq", "pararel"],
            "eval": {"in": ["nq", "pararel"], "out": ["popqa"]},
            "methods": ["eli-only", "cal-only", "elical", "consis-sem", "n-prob", "consis-sem+isotonic"],
            "budgets": [100, 250, 500, "all"], "seeds": [0, 1, 2], "k": 20,
            "labels": {"agreement": "import", "correctness": "import"}, "target": "sample-share",
            "adapter": {"type": "lora", "r": 8, "alpha": 16, "dropout": 0, "targets": ["q_proj", "k_proj", "v_proj",
                        "o_proj", "gate_proj", "up_proj", "down_proj"], "head": "linear"},
            "stage1": {"epochs": 4, "questions": "all"}, "stage2": {"epochs": 6},
            "optimiser": {"lr": 3e-4, "batch": 16, "micro_batch": 16, "weight_decay": 0.1, "warmup": 0.1, "clip": 1.0},
            "selection": {"rule": "holdout", "share": 0.2, "patience": 4}, "read_position": "last", "dtype": "auto"})");
        QCOMPARE(s.budgets, (std::vector<std::int64_t>{100, 250, 500, kAllLabels}));
        QCOMPARE(s.evalOut, std::vector<std::string>{"popqa"});
        QVERIFY(s.selection.rule == SelectionRule::Holdout);
        QVERIFY(s.adapter == AdapterOptions{});
        QVERIFY(s.optimiser == OptimiserOptions{});
    }

    void writtenSpecsAreReadBackEqual() {
        for (const char* extra :
             {"\"preset\": \"small\"", "\"preset\": \"paper\"", "\"k\": [2, 5, 20], \"model\": [\"m\", \"m2\"]",
              "\"stage1\": {\"questions\": [100, \"all\"], \"target\": [\"consistency\", \"n-prob\"], \"epochs\": 3}",
              "\"adapter\": {\"type\": \"head\", \"layer\": [-1, 5]}, \"stage1_seed\": 4",
              "\"optimiser\": {\"lr\": 1e-3}, \"stage2\": {\"optimiser\": {\"batch\": 4}, \"epochs\": {\"50\": 9, "
              "\"all\": 2}}",
              "\"selection\": {\"rule\": \"test\"}, \"target\": [\"greedy\", \"sample-share\"]"}) {
            const ExperimentSpec spec = parseSpec(with(extra));
            const std::string json = specToJson(spec);
            QVERIFY2(parseSpec(json) == spec, json.c_str());
            QCOMPARE(specToJson(parseSpec(json)), json);
        }
        const ExperimentSpec own =
            parseSpec(with("\"stage2\": {\"optimiser\": {\"batch\": 4}}, \"optimiser\": {\"lr\": 1e-3}"));
        QCOMPARE(own.stage2Optimiser->lr, 1e-3);
        QCOMPARE(own.stage2Optimiser->batch, 4);
    }

    void unknownKeysNameTheNearest() {
        const auto names = [](const std::string& members, const char* wrong, const char* right) {
            const std::string error = errorOf(with(members));
            return error.find(wrong) != std::string::npos && error.find(right) != std::string::npos;
        };
        QVERIFY(names("\"budget\": [5]", "\"budget\"", "\"budgets\""));
        QVERIFY(names("\"optimizer\": {}", "\"optimizer\"", "\"optimiser\""));
        QVERIFY(names("\"selection\": {\"patients\": 2}", "selection.patients", "selection.patience"));
        QVERIFY(names("\"methods\": [\"elicl\"]", "elicl", "\"elical\""));
        QVERIFY(names("\"methods\": [\"n-prob+isotonik\"]", "isotonik", "\"isotonic\""));
    }

    void wrongValuesAreNamed() {
        for (const char* members :
             {"\"k\": 0", "\"k\": 2.5", "\"budgets\": [0]", "\"budgets\": []", "\"budgets\": [5, 5]", "\"seeds\": [-1]",
              "\"optimiser\": {\"lr\": 0}", "\"optimiser\": {\"lr\": \"x\"}", "\"selection\": {\"share\": 1}",
              "\"target\": \"shares\"", "\"stage2\": {\"epochs\": 0}", "\"stage2\": {\"epochs\": {\"x\": 1}}",
              "\"adapter\": 3", "\"preset\": \"big\"", "\"dtype\": \"fp8\"", "\"k\": 1e300"})
            QVERIFY2(!errorOf(with(members)).empty(), members);
        QVERIFY(!errorOf("[1]").empty());
        QVERIFY(!errorOf("{").empty());
        QVERIFY(errorOf(with("\"optimiser\": {\"lr\": \"x\"}")).find("optimiser.lr") != std::string::npos);
    }

    void epochsByBudget() {
        const ExperimentSpec s =
            parseSpec(with("\"stage2\": {\"epochs\": {\"default\": 50, \"20000\": 15, \"all\": 10}}"));
        QCOMPARE(s.stage2Epochs.at(1000), 50);
        QCOMPARE(s.stage2Epochs.at(20000), 15);
        QCOMPARE(s.stage2Epochs.at(80000), 15);
        QCOMPARE(s.stage2Epochs.at(kAllLabels), 10);
    }

    void selectionDependsOnTheLabels() {
        QVERIFY(SelectionOptions{}.at(199) == SelectionRule::KFold);
        QVERIFY(SelectionOptions{}.at(200) == SelectionRule::Holdout);
    }

    void identitiesAreStableAndTell() {
        const ExperimentSpec spec =
            parseSpec(with("\"budgets\": [10, \"all\"], \"seeds\": [0, 1], "
                           "\"methods\": [\"elical\", \"eli-only\", \"consis-sem\"]"));
        const auto runs = planRuns(spec, 100);
        QCOMPARE(runs.size(), std::size_t{4 + 2 + 1});
        std::set<std::string> identities;
        for (const PlannedRun& run : runs) identities.insert(run.identity);
        QCOMPARE(identities.size(), runs.size());
        QCOMPARE(planRuns(parseSpec(specToJson(spec)), 100).front().identity, runs.front().identity);
        ExperimentSpec renamed = spec;  // a name and further budgets change no numbers
        renamed.name = "other";
        renamed.budgets.push_back(20);
        QCOMPARE(planRuns(renamed, 100).front().identity, runs.front().identity);
        for (const auto& change : std::vector<std::function<void(ExperimentSpec&)>>{
                 [](auto& s) { s.model = "m3"; }, [](auto& s) { s.optimiser.lr *= 2; },
                 [](auto& s) { s.adapter.r = 4; }, [](auto& s) { s.labels.correctness = "core"; },
                 [](auto& s) { s.stage1Epochs.fallback = 9; }, [](auto& s) { s.evalIn.push_back("z"); },
                 [](auto& s) { s.selection.rule = SelectionRule::Last; }, [](auto& s) { s.dtype = "bf16"; },
                 [](auto& s) { s.k = 5; }}) {
            ExperimentSpec changed = spec;
            change(changed);
            QVERIFY(planRuns(changed, 100).front().identity != runs.front().identity);
        }
    }

    void budgetsBeyondThePoolAreLeftOutAndAllIsKept() {
        const ExperimentSpec spec =
            parseSpec(with("\"budgets\": [10, 100, 101, \"all\"], \"methods\": [\"cal-only\"]"));
        const auto runs = planRuns(spec, 100);
        QCOMPARE(runs.size(), std::size_t{3});
        QCOMPARE(runs.back().labels, 100);
        QCOMPARE(runs.back().budget, kAllLabels);
        QCOMPARE(runs.front().selection, std::string("kfold"));
    }

    void theSchemaKnowsEveryKey() {
        const auto schema = nlohmann::json::parse(readWholeFile(std::filesystem::path(CANDOR_SOURCE_DIR) / "resources" /
                                                                "schema" / "experiment.schema.json"));
        const auto written = nlohmann::json::parse(specToJson(
            parseSpec(with("\"stage1\": {\"optimiser\": {\"lr\": 1}}, \"stage2\": {\"optimiser\": {\"lr\": 1}}"))));
        std::function<void(const nlohmann::json&, const nlohmann::json&)> check = [&](const auto& part,
                                                                                      const auto& value) {
            QVERIFY(part.at("additionalProperties") == false);
            for (const auto& [key, inner] : value.items()) {
                QVERIFY2(part.at("properties").contains(key), key.c_str());
                const auto& sub = part.at("properties").at(key);
                if (inner.is_object() && sub.contains("properties")) check(sub, inner);
            }
        };
        check(schema, written);
    }
};

CANDOR_TEST(ExperimentSpecTest);
#include "experiment_spec_test.moc"
