// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/job.h"

// What may be wrong with a question, as something to count, list and filter by.
namespace candor::db {

class Connection;
class Project;

enum class Finding : std::uint8_t {
    Duplicate,             // an earlier row of its split has its text
    ConflictingDuplicate,  // a row of its split has its text and another set of gold answers
    Overlap,               // an evaluation question whose text stands in a training split
    NearDuplicate,         // an evaluation question, token Jaccard >= 0.6 with one of training (updateNearDuplicates)
    EmptyGold,             // a gold answer normalises to nothing, or there is none
    GoldInQuestion,
    FunctionWordGold  // a gold answer of function words only matches nearly any sentence
};
const std::vector<Finding>& allFindings();
const char* nameOf(Finding finding);  // "duplicates", "conflicting_duplicates", "overlap", ... as `info` has them
std::optional<Finding> findingNamed(std::string_view name);

// Looks for near-duplicates of evaluation splits whose count is not up to date; imports make them outdated.
void updateNearDuplicates(Project& project, const EventSink& events = {}, std::stop_token stop = {});

// All conditions must hold. "Without overlap" is {.without = {Finding::Overlap}}.
struct QuestionFilter {
    std::string set = {};  // "dataset", "dataset/split", or empty for all
    std::vector<Finding> with = {}, without = {};
    std::vector<std::pair<std::string, std::string>> facets = {};  // field of the row and its value as text
};
std::vector<std::int64_t> filterQuestions(Connection& c, const QuestionFilter& filter);  // ids, ascending

// A field that no reader knows, with few enough values to filter and group by.
struct Facet {
    std::string name;
    std::vector<std::pair<std::string, std::int64_t>> values;  // and how many questions have it
};
std::vector<Facet> facets(Connection& c, const std::string& set = {}, std::size_t mostValues = 100);

}  // namespace candor::db
