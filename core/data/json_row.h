// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/data/reader.h"

namespace candor {

// Turns JSON objects into Records. One thread at a time; buffers are reused from row to row.
class JsonRows {
  public:
    // With `keepShapes` a row's fields that a Record would not write back equal are kept in its `extra`
    // (kOriginalKey). Mapped rows have foreign names and are never written back as they came.
    explicit JsonRows(const ReadOptions& options, bool keepShapes = true);
    ~JsonRows();

    // `text` must be readable LineReader::kPadding bytes past its end. False: `reason` says why there is no record.
    bool parse(std::string_view text, Record& record, std::string& reason);

    // Their names in the map that no row had so far.
    std::vector<std::string> unseen() const;

  private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace candor
