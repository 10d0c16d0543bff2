// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <ATen/ATen.h>

#include "core/llm/machine.h"

namespace candor {

at::Device torchDevice(const MachineReport& report);

}  // namespace candor
