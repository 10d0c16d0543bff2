// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/data/reader.h"

namespace candor {

enum class Format { JsonLines, Csv, Tsv, PlainText };

// The format by name and by the file's first bytes. Throws InputError ("bad_format") for what no reader takes, saying
// what it is (an archive, a JSON array, UTF-16, another binary file) and what to do.
Format detectFormat(const std::filesystem::path& file, std::string_view head, const ReadOptions& options);

// Whether the first record of a table is a row of MMLU as distributed: no header, options, a letter that names one.
bool looksLikeMmlu(const std::vector<std::string>& fields);
// "anatomy" for anatomy_test.csv.
std::string mmluSubject(const std::filesystem::path& file);

}  // namespace candor
