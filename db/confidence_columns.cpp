// SPDX-License-Identifier: GPL-3.0-or-later
#include <nlohmann/json.hpp>

#include "db/answer_store.h"
#include "db/connection.h"
#include "db/imported_runs.h"
#include "db/project.h"
#include "db/question_store.h"

namespace candor::db {
namespace {

// Columns that public answer files bring, and the method that each is.
struct Column {
    const char* name;
    const char* method;
};
constexpr Column kColumns[] = {
    {"verbal_confidence", "verbal-0"}, {"p_true_confidence", "p-true"}, {"consistency_confidence", "consis-sem"}};

// A number, or the mean of a list of numbers (one an answer); nothing for anything else.
std::optional<double> valueOf(const nlohmann::json& value) {
    if (value.is_number()) return value.get<double>();
    if (!value.is_array() || value.empty()) return std::nullopt;
    double sum = 0;
    std::size_t count = 0;
    for (const auto& one : value)
        if (one.is_number()) sum += one.get<double>(), ++count;
    return count > 0 ? std::optional(sum / static_cast<double>(count)) : std::nullopt;
}

}  // namespace

std::vector<std::string> storeConfidenceColumns(Project& project, const std::string& dataset, const std::string& split,
                                                const std::string& model) {
    const auto reader = project.reader();
    const auto place = findSplit(*reader, dataset, split);
    const auto set = importedAnswerSet(*reader, model);
    if (!place || !set) return {};
    std::vector<ConfidencePairs> pairs(std::size(kColumns));
    {
        const Snapshot snapshot(*reader);
        Statement s = reader->query(
            "SELECT q.id, coalesce(a.extra, q.extra) FROM question q JOIN answer a ON a.question = q.id AND "
            "a.answer_set = ? WHERE q.split = ? AND instr(coalesce(a.extra, q.extra), '_confidence\"') > 0",
            *set, place->id);
        while (s.step()) {
            const auto extra = nlohmann::json::parse(s.view(1), nullptr, false);
            if (!extra.is_object()) continue;
            for (std::size_t i = 0; i < std::size(kColumns); ++i) {
                const auto it = extra.find(kColumns[i].name);
                if (it == extra.end()) continue;
                if (const auto value = valueOf(*it)) pairs[i].emplace_back(s.integer(0), *value);
            }
        }
    }
    std::vector<std::string> methods;
    for (std::size_t i = 0; i < std::size(kColumns); ++i) {
        if (pairs[i].empty()) continue;
        ConfidenceOptions options;
        options.method = kColumns[i].method;
        options.model = model;
        options.experiment = kImportedExperiment;
        ConfidenceReport report;
        storeImportedConfidences(project, pairs[i], std::string("column ") + kColumns[i].name, options, report);
        methods.emplace_back(kColumns[i].method);
    }
    return methods;
}

}  // namespace candor::db
