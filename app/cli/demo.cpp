// SPDX-License-Identifier: GPL-3.0-or-later
#include <chrono>
#include <cstdio>
#include <map>
#include <memory>
#include <sstream>

#include "app/cli/cli.h"
#include "app/engine.h"
#include "app/example.h"
#include "app/figures.h"
#include "app/names.h"
#include "db/connection.h"
#include "db/queries.h"

namespace candor::app {
namespace {

struct Row {
    std::map<std::string, std::pair<double, int>> auroc;  // domain -> sum over seeds, seeds
    std::int64_t labels = 0;
};

// Mean weighted AUROC over seeds, a line for each method and budget.
void summarise(db::Connection& connection, std::int64_t experiment, nlohmann::ordered_json& document,
               std::ostream& text) {
    std::map<std::pair<std::string, std::int64_t>, Row> rows;
    for (const db::RunRow& run : db::runs(connection, experiment)) {
        Row& row = rows[{run.method, run.labels}];
        row.labels = run.labels;
        for (const MetricRecord& metric : run.metrics) {
            if (metric.name != "auroc" || metric.average != "weighted" || !metric.undefinedReason.empty()) continue;
            auto& [sum, seeds] = row.auroc[metric.set];
            sum += metric.value, ++seeds;
        }
    }
    char line[160];
    std::snprintf(line, sizeof line, "%-12s %7s %6s  %9s %13s\n", "method", "labels", "seeds", "in-domain",
                  "out-of-domain");
    text << "AUROC, mean over seeds, weighted by questions\n" << line;
    for (const auto& [key, row] : rows) {
        double means[2] = {};
        int seeds = 0;
        for (int domain = 0; domain < 2; ++domain) {
            const auto found = row.auroc.find(domain == 0 ? "in-domain" : "out-of-domain");
            if (found == row.auroc.end()) continue;
            means[domain] = found->second.first / found->second.second;
            seeds = found->second.second;
        }
        document["auroc"].push_back({{"method", key.first},
                                     {"labels", row.labels},
                                     {"seeds", seeds},
                                     {"in_domain", means[0]},
                                     {"out_of_domain", means[1]}});
        std::snprintf(line, sizeof line, "%-12s %7lld %6d  %9.3f %13.3f\n", key.first.c_str(),
                      static_cast<long long>(row.labels), seeds, means[0], means[1]);
        text << line;
    }
}

void demo(const Cli& cli, const std::filesystem::path& file) {
    const auto start = std::chrono::steady_clock::now();
    const auto seconds = [&start] {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    };
    const auto project = db::Project::openOrCreate(file);
    installExample(*project, cli.progress(), cli.stop);
    const ExperimentResult result = runInProject(*project, exampleSpec(), {}, cli.progress(), cli.stop);
    const double trained = seconds();

    const OffscreenApplication application;
    const std::filesystem::path folder = file.parent_path() / (file.stem().string() + "-figures");
    std::vector<std::string> skipped;
    const auto figures = exportAllFigures(*project, folder, skipped);

    nlohmann::ordered_json document = {{"project", file.string()},
                                       {"planned", result.planned},
                                       {"already_done", result.alreadyDone},
                                       {"finished", result.finished},
                                       {"failed", result.failed},
                                       {"seconds", {{"runs", trained}, {"all", seconds()}}},
                                       {"auroc", nlohmann::json::array()},
                                       {"figures", figures},
                                       {"skipped", skipped}};
    std::ostringstream text;
    summarise(*project->reader(), result.experiment, document, text);
    text.precision(3);
    text << "\n"
         << result.finished << " runs in " << trained << " s (" << result.alreadyDone << " were done before)\n"
         << "project " << file.string() << "\nfigures " << folder.string() << " (" << figures.size() << " files)\n";
    for (const std::string& reason : skipped) text << "not drawn: " << reason << "\n";
    cli.print(document, text.str());
}

}  // namespace

void addDemo(Cli& cli) {
    const auto file = std::make_shared<std::filesystem::path>("candor-demo.candor");
    CLI::App* sub = cli.command("demo", "builds the example's project, runs its experiment, exports its figures",
                                [&cli, file] { demo(cli, *file); });
    sub->add_option("project", *file, "NAME.candor")->capture_default_str();
}

}  // namespace candor::app
