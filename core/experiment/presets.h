// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

namespace candor {

// Presets are experiment files without name, model and sets: {"preset": "small", ...} starts from one, and every key
// that stands beside it wins. "paper": the published values; "small": a head on cached states, for two cores.
const std::vector<std::string>& presetNames();
std::string presetJson(const std::string& name);  // name is one of presetNames()

}  // namespace candor
