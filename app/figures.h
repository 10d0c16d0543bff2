// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "db/project.h"

class QApplication;

namespace candor::app {

// A QApplication for drawing without a display; one at a time in a process that has none.
class OffscreenApplication {
  public:
    OffscreenApplication();
    ~OffscreenApplication();
    OffscreenApplication(const OffscreenApplication&) = delete;
    OffscreenApplication& operator=(const OffscreenApplication&) = delete;

  private:
    std::unique_ptr<QApplication> application_;
};

// Writes the figures of the newest experiment into `folder` as PDF, SVG, PNG and CSV, and returns their paths.
// What cannot be drawn is named in `skipped` with the reason. Needs an application.
std::vector<std::string> exportAllFigures(const db::Project& project, const std::filesystem::path& folder,
                                          std::vector<std::string>& skipped);

}  // namespace candor::app
