// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <memory>

#include "core/error.h"
#include "db/project.h"

namespace candor::app {

// Opens a project for a command: a file that is absent, foreign or damaged is bad input (exit 2).
inline std::unique_ptr<db::Project> openProject(const std::filesystem::path& file) {
    try {
        return db::Project::open(file);
    } catch (const InputError&) {
        throw;
    } catch (const Error& error) {
        throw InputError("bad_project", error.what(), file.string());
    }
}

}  // namespace candor::app
