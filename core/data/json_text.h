// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>

namespace candor {

// Append JSON text. Strings must be UTF-8; a double is written with the fewest digits that read back equal, always as a
// fraction; infinities become the strings "Infinity" and "-Infinity", NaN null.
void appendJsonString(std::string& json, std::string_view text);
void appendJsonNumber(std::string& json, double value);

// Appends `"key":` to an object under construction, with a comma where it is not the first ("{" begins it).
void appendJsonKey(std::string& json, std::string_view key);

// Whether the text is a JSON number as it stands ("007", "1." and "nan" are none).
bool isJsonNumber(std::string_view text);

}  // namespace candor
