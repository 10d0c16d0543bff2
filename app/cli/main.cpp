// SPDX-License-Identifier: GPL-3.0-or-later
#include <pthread.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <thread>

#include "app/cli/cli.h"
#include "core/error.h"
#include "core/llm/machine.h"

namespace {

enum Exit { Done = 0, WorkFailed = 1, BadInput = 2, StoppedBySignal = 130 };

// SIGINT and SIGTERM ask the job to stop at its next safe point; a second one ends the process at once.
sigset_t blockSignals() {
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &signals, nullptr);
    return signals;
}

void stopOnSignals(std::stop_source& source, const sigset_t& signals) {
    std::thread([signals, &source] {
        int which = 0;
        sigwait(&signals, &which);
        std::fputs("\nstopping at the next safe point (again: at once)\n", stderr);
        source.request_stop();
        sigwait(&signals, &which);
        _exit(StoppedBySignal);
    }).detach();
}

int failed(const candor::app::Cli& cli, int code, const std::string& name, const std::exception& error,
           const std::string& file = {}, std::int64_t line = 0) {
    std::string where = file, message = error.what();
    if (line > 0) where += ":" + std::to_string(line);
    if (line == 0 && message.find(file) != std::string::npos) where.clear();  // said once is enough
    // libtorch puts where in its source an exception was raised, and the stack, behind what happened.
    for (const char* tail : {"\nException raised from", "\nframe #"})
        if (const auto at = message.find(tail); at != std::string::npos) message.resize(at);
    std::cerr << "candor-cli: " << (where.empty() ? "" : where + ": ") << message << "\n";
    if (cli.json) {
        nlohmann::ordered_json document = {{"error", name}, {"message", message}};
        document["file"] = file.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(file);
        document["line"] = line > 0 ? nlohmann::ordered_json(line) : nlohmann::ordered_json();
        std::cout << document.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) << "\n";
    }
    return code;
}

int run(candor::app::Cli& cli, int argc, char** argv) {
    try {
        cli.parser.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return cli.parser.exit(error) == 0 ? Done : BadInput;
    }
    try {
        cli.action();
        return Done;
    } catch (const candor::Stopped& stopped) {
        std::cerr << "candor-cli: " << stopped.what() << "\n";
        return StoppedBySignal;
    } catch (const candor::InputError& error) {
        return failed(cli, BadInput, error.code(), error, error.file(), error.line());
    } catch (const std::exception& error) {
        return failed(cli, WorkFailed, "failed", error);
    }
}

}  // namespace

int main(int argc, char** argv) {
    const sigset_t signals = blockSignals();  // before the restart: one that comes during it waits
    candor::restartForSpeed();
    static std::stop_source stop;
    stopOnSignals(stop, signals);
    candor::app::Cli cli;
    cli.stop = stop.get_token();
    cli.parser.require_subcommand(1);
    cli.parser.set_version_flag("--version", "candor " CANDOR_VERSION);
    candor::app::addDemo(cli);
    candor::app::addExample(cli);
    candor::app::addImport(cli);
    candor::app::addImportConfidences(cli);
    candor::app::addExportData(cli);
    candor::app::addRun(cli);
    candor::app::addScore(cli);
    candor::app::addTokenize(cli);
    candor::app::addMetrics(cli);
    candor::app::addCalibrate(cli);
    candor::app::addExport(cli);
    candor::app::addInfo(cli);
    const int code = run(cli, argc, argv);
    std::cout.flush();
    // libtorch's and Qt's global destructors have nothing to save; skipping them keeps a small command quick.
    std::fflush(nullptr);
    _exit(std::cout ? code : WorkFailed);
}
