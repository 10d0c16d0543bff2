// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>

#include "core/experiment/store.h"

namespace candor::db {

class Project;

// core's storage interface over a project. The project must outlive it.
std::unique_ptr<ExperimentStore> makeExperimentStore(Project& project);

}  // namespace candor::db
