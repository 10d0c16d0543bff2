// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>

#include "core/data/record.h"
#include "core/job.h"

namespace candor::db {

class Connection;

struct ExportOptions {
    std::string dataset;            // all its splits in order of import, or "dataset/split"
    std::string model;              // empty: questions and gold answers only
    std::string labels = "import";  // label set whose verdicts are written
};

struct ExportReport {
    std::int64_t rows = 0;     // written
    std::int64_t without = 0;  // questions left out: the model did not answer them
};

// Gives a dataset's rows as an import took them, by split and row: the model's answers of the import, the verdicts of
// `labels`, unknown fields and incoming shapes in `extra` (core/data/writer.h turns them into rows again). Streams;
// reads one state of the project. Throws InputError ("unknown_set", "unknown_model", "unknown_labels"), Stopped.
ExportReport exportRecords(Connection& c, const ExportOptions& options, const std::function<void(const Record&)>& take,
                           const EventSink& events = {}, std::stop_token stop = {});

}  // namespace candor::db
