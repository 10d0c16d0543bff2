// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

#include "core/data/record.h"

namespace candor {

// The record as one HonestyBench row, without a line break: equal as JSON to the row it was read from, unknown fields
// included. A field whose incoming shape is kept in `extra` (core/data/fields.h, kOriginalKey) is written in that shape
// as long as its value still is the record's. Throws InputError ("bad_extra") if `extra` is no JSON object. Pure.
std::string toHonestyBench(const Record& record);

}  // namespace candor
