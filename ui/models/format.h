// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <cstdint>
#include <string>

#include "core/experiment/store.h"

namespace candor::ui {

inline constexpr int kDisplayLimit = 200;  // characters a cell shows: long ones cost a table its speed

QString toQt(const std::string& utf8);
// One line of at most kDisplayLimit characters, control characters as spaces, "..." where cut.
QString displayText(const QString& text);
inline QString displayText(const std::string& utf8) { return displayText(toQt(utf8)); }

QString dash();                             // en dash: undefined
QString formatMetric(double value);         // three decimals; infinities as signs, NaN as the dash
QString formatSpread(double value);         // "±.012", of the same decimals
QString formatPercent(double share);        // "37.4 %"
QString formatCount(std::int64_t count);    // with the locale's groups
QString formatTime(std::int64_t utcMs);     // local, "2026-11-30 21:05"
QString formatIsoTime(std::int64_t utcMs);  // with offset, for tooltips
QString formatDuration(double seconds);     // "42 s", "3 min", "1 h 20 min"
QString formatBytes(std::int64_t bytes);
QString stageText(const std::string& stage);  // of a job: "stage1" -> "stage 1"
QString statusText(RunStatus status);

}  // namespace candor::ui
