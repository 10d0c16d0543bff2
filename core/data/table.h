// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/data/intake.h"
#include "core/data/lines.h"
#include "core/data/reader.h"

namespace candor {

// Reads CSV or TSV: with a header, or MMLU as distributed. Returns the mapped columns that no row had.
// Throws InputError ("no_question") where the header names no question.
std::vector<std::string> readTable(LineReader& lines, char delimiter, const std::filesystem::path& file,
                                   const ReadOptions& options, Intake& intake);

}  // namespace candor
