// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <stop_token>
#include <string>
#include <unordered_map>

#include "db/imported_runs.h"

namespace candor::db {

class Connection;

// Finds the questions that rows of a confidence file belong to: by (dataset, split, row) where the row says so, else by
// question text (all questions of that text: a method saw the text alone). Fills the counts of `report`; several values
// for one question count as duplicates, the first one stands. Throws InputError ("no_match") where nothing fits.
struct MatchedConfidences {
    ConfidencePairs pairs;  // by question id
    bool scores = false;    // the file calls them so
};
MatchedConfidences matchConfidences(Connection& c, const std::filesystem::path& file, const ConfidenceOptions& options,
                                    ConfidenceReport& report, std::stop_token stop);

}  // namespace candor::db
