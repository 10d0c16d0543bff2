// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/data/record.h"
#include "core/experiment/store.h"

// What windows and commands read. Every function takes a connection of its caller's (Project::reader()) and returns
// values; none waits for the writer.
namespace candor::db {

class Connection;

struct DatasetRow {
    std::string dataset, split;
    Role role = Role::Eval;
    Domain domain = Domain::None;
    std::int64_t rows = 0, duplicates = 0, conflictingDuplicates = 0, emptyGold = 0, goldInQuestion = 0;
    std::int64_t overlap = 0;  // eval rows whose question text also stands in a train split
    std::int64_t functionWordGold = 0;
    std::optional<std::int64_t> nearDuplicates;  // of eval rows; none: not looked for (db/findings.h)
};

struct AnswerSetRow {
    std::int64_t id = 0;
    std::string model, dataset, split;
    int k = 0;
    std::int64_t answered = 0, judged = 0;
    std::optional<double> accuracy, meanSampleShare, meanConsistency;
};

struct ModelRow {
    std::int64_t id = 0;
    std::string name, contentHash, path;
};

struct ExperimentRow {
    std::int64_t id = 0;
    std::string name, spec;      // spec as JSON
    std::int64_t createdMs = 0;  // UTC
    std::int64_t runs = 0, finished = 0;
};

struct RunRow {
    std::int64_t id = 0, experiment = 0;
    std::string experimentName, method, selection, settings, message;
    std::int64_t budget = kAllLabels, labels = 0;  // as asked, and as used
    int seed = 0;
    RunStatus status = RunStatus::Planned;
    std::int64_t createdMs = 0, startedMs = 0, finishedMs = 0;
    std::vector<MetricRecord> metrics;  // all sets and averages
};

struct ConfidenceColumn {
    std::vector<std::int64_t> question;  // ids, ascending
    std::vector<double> confidence;      // NaN and infinities are what was stored
};

struct QuestionRow {
    std::int64_t id = 0;
    QuestionKey key;
    Role role = Role::Eval;
    Domain domain = Domain::None;
    std::string text;
    std::vector<std::string> gold;
};

// Evaluation rows of a run with the truth: what plots and tables are made of. Parallel arrays, by question id.
struct ScoredColumn {
    std::vector<std::int64_t> question;
    std::vector<double> confidence;
    std::vector<double> correct;    // 0 or 1
    std::vector<std::int32_t> set;  // index into sets
    std::vector<std::string> sets;  // "dataset/split"
    std::vector<Domain> domains;    // of sets
};

struct RunConfidence {
    std::int64_t run = 0;
    std::string method;
    std::int64_t budget = kAllLabels;
    int seed = 0;
    double confidence = 0;
};

struct QuestionDetail {
    QuestionRow question;
    std::string model;
    std::optional<AnswerRecord> answers;
    std::optional<LabelRecord> labels;  // of the truth asked for
    std::vector<RunConfidence> confidences;
    std::string extra;  // JSON object of unknown fields
};

std::vector<DatasetRow> datasets(Connection& c);
std::vector<AnswerSetRow> answerSets(Connection& c);
std::vector<ModelRow> models(Connection& c);
std::vector<std::string> labelSets(Connection& c);
std::vector<ExperimentRow> experiments(Connection& c);
std::vector<RunRow> runs(Connection& c, std::optional<std::int64_t> experiment = {});
std::vector<StepRecord> steps(Connection& c, std::int64_t run);    // of the newest attempt, in order
std::vector<EpochRecord> epochs(Connection& c, std::int64_t run);  // of the newest attempt, in order
ConfidenceColumn confidences(Connection& c, std::int64_t run);
// Truth: greedy correctness in `labelSet` ("" = the run's own). Rows without a verdict or confidence are left out.
ScoredColumn scored(Connection& c, std::int64_t run, const std::string& labelSet = {});
std::vector<std::int64_t> subset(Connection& c, std::int64_t run);
std::string provenance(Connection& c, std::int64_t run);
std::optional<QuestionDetail> questionDetail(Connection& c, std::int64_t question, const std::string& model,
                                             const std::string& labelSet = {});
std::vector<QuestionRow> questions(Connection& c, const std::vector<std::int64_t>& ids);

}  // namespace candor::db
