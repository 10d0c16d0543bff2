// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/cli.h"

#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <iostream>
#include <memory>

namespace candor::app {
namespace {

// The moving line of a terminal, or the paced lines of a log.
class ProgressPrinter {
  public:
    void operator()(const Event& event) {
        switch (event.kind) {
            case EventKind::Progress:
                return progress(event);
            case EventKind::Started:
            case EventKind::Checkpoint:
            case EventKind::Metric:
                return;
            case EventKind::Message:
            case EventKind::Finished:
            case EventKind::Stopped:
            case EventKind::Failed:
                break;
        }
        if (event.text.empty()) return;
        if (event.kind == EventKind::Stopped && event.run == 0) return;  // the command ends with that sentence
        if (event.kind == EventKind::Finished && event.run == 0 && event.stage == "import")
            return;  // the report follows
        clear();
        std::fprintf(stderr, "%s\n", event.text.c_str());
    }

  private:
    void progress(const Event& event) {
        const auto now = std::chrono::steady_clock::now();
        const bool ended = event.total > 0 && event.done == event.total;
        if (!ended && now - last_ < (terminal_ ? std::chrono::milliseconds(100) : std::chrono::milliseconds(2000)))
            return;
        if (ended && !terminal_) return;
        last_ = now;
        char line[256];
        const char* what = event.text.empty() ? event.stage.c_str() : event.text.c_str();
        int used = event.total > 0
                       ? std::snprintf(line, sizeof line, "%s %lld/%lld", what, static_cast<long long>(event.done),
                                       static_cast<long long>(event.total))
                       : std::snprintf(line, sizeof line, "%s %lld", what, static_cast<long long>(event.done));
        used = std::min<int>(used, sizeof line - 64);
        if (event.rate > 0) used += std::snprintf(line + used, 32, ", %.4g/s", event.rate);
        if (event.rate > 0 && event.total > event.done)
            std::snprintf(line + used, 32, ", %.0f s left", static_cast<double>(event.total - event.done) / event.rate);
        clear();
        std::fprintf(stderr, terminal_ ? "%s" : "%s\n", line);
        open_ = terminal_;
    }

    void clear() {
        if (open_) std::fputs("\r\033[K", stderr);
        open_ = false;
    }

    bool terminal_ = isatty(STDERR_FILENO) != 0;
    bool open_ = false;
    std::chrono::steady_clock::time_point last_{};
};

}  // namespace

EventSink Cli::progress() const {
    auto printer = std::make_shared<ProgressPrinter>();
    return [printer](const Event& event) { (*printer)(event); };
}

void Cli::print(const nlohmann::ordered_json& document, const std::string& text) const {
    std::cout << (json ? document.dump(2) + "\n" : text) << std::flush;
}

CLI::App* Cli::command(const std::string& name, const std::string& help, std::function<void()> run) {
    CLI::App* sub = parser.add_subcommand(name, help);
    sub->add_flag("--json", json, "print one JSON document");
    sub->add_option("--device", device, "auto, cpu or cuda:N")->capture_default_str();
    sub->add_option("--dtype", dtype, "fp32, bf16 or auto")->check(CLI::IsMember({"fp32", "bf16", "auto"}));
    sub->add_option("--threads", threads, "0: all cores")->check(CLI::Range(0, 1 << 16))->capture_default_str();
    sub->add_option("--batch", batch, "questions a batch; 0: the command's own default")->check(CLI::Range(0, 1 << 30));
    sub->add_option("--seed", seed, "seed of what is drawn")->capture_default_str();
    sub->callback([this, run = std::move(run)] { action = run; });
    return sub;
}

}  // namespace candor::app
