// SPDX-License-Identifier: GPL-3.0-or-later
#include <memory>

#include "app/cli/cli.h"
#include "app/cli/project.h"
#include "core/data/atomic_file.h"
#include "core/data/writer.h"
#include "core/error.h"
#include "db/connection.h"
#include "db/export.h"
#include "db/project.h"

namespace candor::app {
namespace {

struct Arguments {
    std::filesystem::path project, out;
    db::ExportOptions what;
};

void exportData(const Cli& cli, const Arguments& arguments) {
    const auto project = openProject(arguments.project);
    const auto connection = project->reader();
    AtomicFile file(arguments.out);
    std::int64_t bytes = 0;
    const auto write = [&](const Record& record) {
        const std::string row = toHonestyBench(record) + "\n";
        bytes += static_cast<std::int64_t>(row.size());
        file.write(row);
    };
    const db::ExportReport report = db::exportRecords(*connection, arguments.what, write, cli.progress(), cli.stop);
    if (report.rows == 0)
        throw InputError("nothing_to_export", "\"" + arguments.what.model + "\" answered none of the " +
                                                  std::to_string(report.without) + " questions of " +
                                                  arguments.what.dataset +
                                                  ": nothing was written. `info` lists who "
                                                  "answered what");
    file.commit();
    std::string text = arguments.out.string() + ": " + std::to_string(report.rows) + " rows";
    if (report.without > 0)
        text += ", " + std::to_string(report.without) + " questions without an answer of " + arguments.what.model +
                " left out";
    cli.print({{"file", arguments.out.string()}, {"rows", report.rows}, {"left_out", report.without}, {"bytes", bytes}},
              text + "\n");
}

}  // namespace

void addExportData(Cli& cli) {
    const auto arguments = std::make_shared<Arguments>();
    CLI::App* sub = cli.command("export-data", "writes a dataset as HonestyBench rows, as they came in",
                                [&cli, arguments] { exportData(cli, *arguments); });
    sub->add_option("project", arguments->project, "NAME.candor")->required();
    sub->add_option("--dataset", arguments->what.dataset, "a dataset, or dataset/split")->required();
    sub->add_option("--model", arguments->what.model, "whose answers; without it the questions alone");
    sub->add_option("--labels", arguments->what.labels, "label set of the verdicts")->capture_default_str();
    sub->add_option("--out", arguments->out, "the JSONL file")->required();
}

}  // namespace candor::app
