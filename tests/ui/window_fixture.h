// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <cmath>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/experiment/runner.h"
#include "db/connection.h"
#include "db/experiment_store.h"
#include "db/import.h"
#include "db/project.h"
#include "db/queries.h"
#include "tests/testing.h"
#include "ui/window/main_window.h"

// What the tests of the window share: a made-up project, and an engine without a language model.
namespace candor::ui::testing {

// States from hashed letters of the question, so that heads have something to learn from.
class LetterBackbone : public Backbone {
  public:
    std::string provenance() const override { return R"({"model": "letters"})"; }
    std::string stateKey(int) const override { return "letters-24"; }
    int width() const override { return 24; }
    std::vector<float> hiddenStates(std::span<const std::string> questions, const EventSink&, std::stop_token,
                                    int) override {
        std::vector<float> states(questions.size() * 24);
        for (std::size_t i = 0; i < questions.size(); ++i)
            for (std::size_t j = 0; j + 1 < questions[i].size(); ++j) {
                const auto hash =
                    static_cast<std::size_t>(questions[i][j]) * 31 + static_cast<std::size_t>(questions[i][j + 1]);
                states[i * 24 + hash % 24] += 0.3f;
            }
        return states;
    }
    std::unique_ptr<Objective> lora(const AdapterOptions&, std::span<const std::string>, std::uint64_t) override {
        throw Error("the letters have no adapter");
    }
    void saveAdapter(Objective&, const AdapterOptions&, const std::filesystem::path&, const std::string&) override {
        throw Error("the letters have no adapter");
    }
};

// Question i of a set: easy ones are right and consistent, hard ones wrong.
inline Record record(const std::string& set, int i, int k = 8) {
    const bool easy = i % 3 != 0;
    Record r;
    r.question = std::string(easy ? "Which easy river of " : "Which hard xyzzy zzz of ") + set + " has number " +
                 std::to_string(i) + "?";
    r.gold = {"gold " + std::to_string(i)};
    r.line = i + 1;
    AnswerRecord a;
    LabelRecord l;
    const bool right = easy ? i % 7 != 0 : i % 9 == 0;
    a.greedy = right ? "It is gold " + std::to_string(i) : "It is another one";
    a.greedyTokens = {1, 2, 3};
    a.greedyLogprobs = {-0.1, right ? -0.2 : -1.5, -0.05};
    a.greedyCumulative = right ? -0.35 : -1.65;
    l.greedyCorrect = right ? Verdict::Yes : Verdict::No;
    for (int j = 0; j < k; ++j) {
        const bool agrees = easy ? j % 4 != 3 : j % 3 == i % 3;
        a.samples.push_back(agrees ? *a.greedy : "sample " + std::to_string(j));
        l.agreement.push_back(agrees ? Verdict::Yes : Verdict::No);
        l.sampleCorrect.push_back(right == agrees ? Verdict::Yes : Verdict::No);
    }
    r.answers = a;
    r.labels = l;
    return r;
}

inline void import(db::Project& project, const std::string& dataset, const std::string& split, Domain domain,
                   int rows) {
    db::ImportOptions options;
    options.dataset = dataset;
    options.split = split;
    options.role = split == "train" ? Role::Train : Role::Eval;
    options.domain = domain;
    options.model = "letters";
    db::importRecords(project, {"made-up"}, options,
                      [&](const std::filesystem::path&, const std::function<void(Record &&)>& take) {
                          ReadReport report;
                          for (int i = 0; i < rows; ++i) take(record(dataset + " " + split, i));
                          report.rows = report.kept = rows;
                          return report;
                      });
}

inline ExperimentSpec smallSpec() {
    return parseSpec(
        R"({"name": "small", "model": "letters", "train": ["rivers"], "eval": {"in": ["rivers"], "out": ["towns"]},
        "methods": ["eli-only", "cal-only", "elical", "consis-sem", "n-prob"], "budgets": [20, "all"], "seeds": [0, 1], "k": 8,
        "adapter": {"type": "head"}, "stage1": {"epochs": 2}, "stage2": {"epochs": 2},
        "optimiser": {"lr": 0.01, "batch": 16, "micro_batch": 16}, "selection": {"rule": "last"}})");
}

inline void importSmall(db::Project& project, int rows = 60) {
    import(project, "rivers", "train", Domain::In, rows);
    import(project, "rivers", "test", Domain::In, rows);
    import(project, "towns", "test", Domain::Out, rows);
}

inline void runSpec(db::Project& project, const ExperimentSpec& spec, const EventSink& events = {},
                    std::stop_token stop = {}) {
    const auto store = db::makeExperimentStore(project);
    runExperiment(
        spec, *store, [](const ExperimentSpec&) { return std::make_shared<LetterBackbone>(); }, events, stop);
}

inline Event happened(EventKind kind, std::int64_t run = 0) {
    Event event;
    event.kind = kind;
    event.run = run;
    return event;
}

inline Services fakeServices() {
    Services services;
    services.runExperiment = [](const ExperimentSpec& spec, db::Project& project, const EventSink& events,
                                std::stop_token stop) { runSpec(project, spec, events, stop); };
    services.openExample = [](const std::filesystem::path& file) {
        auto project = db::Project::openOrCreate(file);
        importSmall(*project);
        return project;
    };
    services.exampleSpec = smallSpec;
    services.machine = QStringLiteral("CPU, 2 threads");
    return services;
}

// A folder for project and settings; settings of the machine's user are neither read nor written.
struct Place {
    QTemporaryDir dir;
    Place() {
        qputenv("XDG_CONFIG_HOME", (dir.path() + QStringLiteral("/config")).toUtf8());
        qputenv("XDG_DATA_HOME", (dir.path() + QStringLiteral("/data")).toUtf8());
    }
    QString file(const char* name = "test.candor") const { return dir.filePath(QLatin1String(name)); }
};

constexpr int kLong = 60000;  // ms, for work on a busy machine

inline bool waitOpened(MainWindow& window) {
    QSignalSpy opened(&window, &MainWindow::projectOpened);
    return opened.count() > 0 || opened.wait(kLong);
}

}  // namespace candor::ui::testing
