// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "core/data/confidence_file.h"
#include "core/experiment/store.h"

namespace candor::db {

class Project;

inline constexpr const char* kImportedExperiment = "imported";  // holds imported runs that no experiment takes

struct ConfidenceOptions {
    std::string method;          // any name
    std::string model;           // whose answers they are about; empty: the project's only one
    std::string experiment;      // name or id; empty: every experiment of the model that evaluates the questions
    std::string dataset, split;  // of rows that do not say theirs
    std::int64_t budget = 0;     // labels as asked for; 0: none, kAllLabels
    std::optional<std::int64_t> labels;  // labels used in all; default: the budget
    int seed = 0;
    bool scores = false;  // no probabilities, whatever their range
    ConfidenceColumns columns;
};

struct ConfidenceReport {
    // rows = matched + unmatchedCount + duplicates + withoutValue + rejectedCount
    std::int64_t rows = 0, matched = 0, unmatchedCount = 0, duplicates = 0, withoutValue = 0, rejectedCount = 0;
    std::int64_t questions = 0;                 // that got a confidence: a text may stand at several
    std::int64_t missingCount = 0;              // questions of the same sets that got none
    std::vector<Rejected> unmatched, rejected;  // the first 100 each; duplicates are among the unmatched list's kind:
    std::vector<Rejected> repeated;             // rows whose question had a confidence already
    std::vector<QuestionKey> missing;           // the first 100
    bool scores = false;                        // kept as scores: ranked metrics only
    bool unchanged = false;                     // everything was there already
    std::vector<std::pair<std::int64_t, std::string>> runs;  // id, experiment
};

// Makes a finished run of each experiment that the confidences belong to, with its metrics. The same again changes
// nothing, more questions under the same (method, budget, seed) are added, another value for a question is an
// InputError ("conflict") and nothing is stored. Throws InputError ("no_match") where no row fits the project.
ConfidenceReport importConfidences(Project& project, const std::filesystem::path& file,
                                   const ConfidenceOptions& options, std::stop_token stop = {});

// The same from (question id, value) pairs of evaluation sets.
using ConfidencePairs = std::vector<std::pair<std::int64_t, double>>;
void storeImportedConfidences(Project& project, const ConfidencePairs& pairs, const std::string& source,
                              const ConfidenceOptions& options, ConfidenceReport& report);

// Runs of the confidence columns that imported rows of a model bring (verbal_confidence, p_true_confidence,
// consistency_confidence): finished, without labels. Returns the methods' names.
std::vector<std::string> storeConfidenceColumns(Project& project, const std::string& dataset, const std::string& split,
                                                const std::string& model);

}  // namespace candor::db
