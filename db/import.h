// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/data/reader.h"
#include "core/experiment/store.h"
#include "core/job.h"

namespace candor::db {

class Project;

struct ImportOptions {
    std::string dataset, split;
    Role role = Role::Eval;
    Domain domain = Domain::None;
    std::string model;  // needed where the files hold answers
    ReadOptions read;
};

struct ImportReport {
    std::int64_t rows = 0, imported = 0, rejectedCount = 0;  // rows = imported + rejectedCount
    std::vector<Rejected> rejected;                          // the first 100
    std::int64_t duplicates = 0, conflictingDuplicates = 0;  // DESIGN 5, `import`
    std::int64_t unchanged = 0;                              // of the imported: were there already, equal
    std::vector<std::string> methods;  // training-free runs made of confidence columns ("verbal-0", ...)
};

// Streams files into the project in bounded transactions; the same content again changes nothing, other content under
// a key that exists is an InputError ("conflict") and that import stores nothing new. Answers of another model attach
// where row and question are equal. Known confidence columns of a model's rows become finished runs (imported_runs.h).
// An import that takes nothing is an InputError ("nothing_imported") that says why.
ImportReport importFiles(Project& project, const std::vector<std::filesystem::path>& files,
                         const ImportOptions& options, const EventSink& events = {}, std::stop_token stop = {});

// The same from anything that gives records: called once a file, in order, like readRecords. It may be called twice
// for a file (once to compare where the split exists already, once to store).
using RecordSource =
    std::function<ReadReport(const std::filesystem::path& file, const std::function<void(Record&&)>& take)>;
ImportReport importRecords(Project& project, const std::vector<std::filesystem::path>& files,
                           const ImportOptions& options, const RecordSource& source, const EventSink& events = {},
                           std::stop_token stop = {});

}  // namespace candor::db
