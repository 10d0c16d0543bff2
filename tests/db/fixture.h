// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTemporaryDir>
#include <cmath>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "db/connection.h"
#include "db/experiment_store.h"
#include "db/import.h"
#include "db/project.h"
#include "db/queries.h"
#include "tests/testing.h"

// What the tests of db/ share.
namespace candor::db::testing {

// A folder that goes with the object.
struct Place {
    QTemporaryDir dir;
    std::filesystem::path folder() const { return dir.path().toStdString(); }
    std::filesystem::path file() const { return folder() / "test.candor"; }
};

// Row i of a made-up HonestyBench file: k samples, verdicts by a fixed pattern.
inline Record makeRecord(int i, int k = 4) {
    Record r;
    r.question = "question " + std::to_string(i);
    r.gold = {"gold " + std::to_string(i), "other"};
    r.line = i + 1;
    AnswerRecord a;
    a.greedy = "answer " + std::to_string(i);
    a.greedyTokens = {1, 200, i, -1, 128009};
    a.greedyLogprobs = {-0.5, -0.25, -1e-17, -0.1, -std::ldexp(1.0, -40)};
    a.greedyCumulative = -0.85;
    LabelRecord l;
    l.greedyCorrect = i % 3 == 0 ? Verdict::Yes : Verdict::No;
    for (int j = 0; j < k; ++j) {
        a.samples.push_back(j == 0 ? "" : "sample " + std::to_string(j) + "\n\u00e9 of " + std::to_string(i));
        l.sampleCorrect.push_back((i + j) % 2 ? Verdict::Yes : Verdict::No);
        l.agreement.push_back(j == 3 ? Verdict::Unparsed : j < i % 4 ? Verdict::Yes : Verdict::No);
    }
    r.answers = a;
    r.labels = l;
    r.extra = R"({"subject":"s)" + std::to_string(i % 2) + "\"}";
    return r;
}

inline Record questionOnly(Record r) {
    r.answers.reset();
    r.labels.reset();
    return r;
}

// Gives the same records for any file.
inline RecordSource sourceOf(std::vector<Record> records) {
    return [records = std::move(records)](const std::filesystem::path&, const std::function<void(Record &&)>& take) {
        for (const Record& r : records) take(Record(r));
        const auto n = static_cast<std::int64_t>(records.size());
        return ReadReport{n, n, 0, {}};
    };
}

inline std::vector<Record> makeRecords(int n, int k = 4) {
    std::vector<Record> records;
    for (int i = 0; i < n; ++i) records.push_back(makeRecord(i, k));
    return records;
}

inline ImportOptions evalOptions(const std::string& dataset = "nq", const std::string& model = "m") {
    return {dataset, "test", Role::Eval, Domain::In, model, {}};
}

inline ImportReport importInto(Project& project, std::vector<Record> records,
                               const ImportOptions& options = evalOptions()) {
    return importRecords(project, {"made-up.jsonl"}, options, sourceOf(std::move(records)));
}

inline ExperimentSpec makeSpec(const std::string& name = "sweep") {
    ExperimentSpec spec;
    spec.name = name;
    spec.model = "m";
    spec.train = {"train"};
    spec.evalIn = {"nq"};
    spec.k = 4;
    return spec;
}

inline PlannedRun makePlan(const std::string& identity = "id-1") {
    return {"elical", 500, 480, 3, "holdout", identity, R"({"model":"m"})"};
}

inline std::string messageOf(const std::function<void()>& call) {
    try {
        call();
    } catch (const std::exception& e) {
        return e.what();
    }
    return {};
}

}  // namespace candor::db::testing
