// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <stop_token>
#include <string>

#include "core/job.h"

namespace candor::app {

// What every command shares: common flags, the stop token of SIGINT and SIGTERM, and where results go.
// A command registers itself on the parser and sets `action`; main runs it and turns exceptions into exit codes.
struct Cli {
    CLI::App parser{"Candor: how likely is a language model to be right, and how well does it know it?"};
    std::function<void()> action;
    std::stop_token stop;

    bool json = false;
    std::string device = "auto", dtype;  // dtype empty: the command's own default
    int threads = 0;                     // 0: all cores
    int batch = 0;                       // 0: the command's own default
    std::uint64_t seed = 0;

    // Prints a job's progress to stderr: one line that moves on a terminal, a line every two seconds elsewhere.
    EventSink progress() const;
    // One JSON document with --json, else `text` as it is.
    void print(const nlohmann::ordered_json& document, const std::string& text) const;
    // A subcommand with the common flags; `run` becomes the action when it is chosen.
    CLI::App* command(const std::string& name, const std::string& help, std::function<void()> run);
};

void addDemo(Cli& cli);
void addExample(Cli& cli);
void addImport(Cli& cli);
void addImportConfidences(Cli& cli);
void addExportData(Cli& cli);
void addRun(Cli& cli);
void addScore(Cli& cli);
void addTokenize(Cli& cli);
void addMetrics(Cli& cli);
void addCalibrate(Cli& cli);
void addExport(Cli& cli);
void addInfo(Cli& cli);

}  // namespace candor::app
