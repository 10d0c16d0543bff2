// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/data/record.h"

// Which answers and which verdicts a name stands for.
namespace candor::db {

class Connection;

enum class VerdictPart : std::uint8_t { Correctness = 0, Agreement = 1 };  // stored: do not renumber

// The answer set of a model that covers most of a split, of those with k samples where there are such; the newest of
// equals.
std::optional<std::int64_t> answerSetFor(Connection& c, const std::string& model, std::int64_t split, int k = 0);

// The label set that `name` stands for over an answer set. "import" and "" fall back to the latest judge's where the
// import brought no verdict of that part. "human" is the view of the human log.
struct LabelSource {
    std::int64_t labelSet = 0;
    bool human = false;
};
std::optional<LabelSource> labelSource(Connection& c, const std::string& name, std::int64_t answerSet,
                                       VerdictPart part);

// Verdicts of one label source over one answer set.
std::optional<LabelRecord> labelsOf(Connection& c, const LabelSource& source, std::int64_t answerSet,
                                    std::int64_t question);
}  // namespace candor::db
