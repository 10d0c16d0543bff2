// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/window/services.h"

namespace candor::app {

// The engine behind the window: what `candor` starts with, and what its tests drive.
ui::Services services();

}  // namespace candor::app
