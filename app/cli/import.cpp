// SPDX-License-Identifier: GPL-3.0-or-later
#include <memory>
#include <sstream>

#include "app/cli/cli.h"
#include "core/error.h"
#include "db/import.h"
#include "db/project.h"

namespace candor::app {
namespace {

struct Arguments {
    std::filesystem::path project;
    std::vector<std::filesystem::path> files;
    std::string dataset, split, role, domain, model, map;
};

db::ImportOptions optionsOf(const Arguments& arguments) {
    db::ImportOptions options;
    options.dataset = arguments.dataset;
    options.split = arguments.split;
    options.role = arguments.role == "train" ? Role::Train : Role::Eval;
    options.domain = arguments.domain == "in" ? Domain::In : arguments.domain == "out" ? Domain::Out : Domain::None;
    options.model = arguments.model;
    std::stringstream pairs(arguments.map);
    for (std::string pair; std::getline(pairs, pair, ',');) {
        const auto equals = pair.find('=');
        if (equals == std::string::npos || equals == 0 || equals + 1 == pair.size())
            throw InputError("bad_usage", "--map wants OURS=THEIRS pairs separated by commas, got '" + pair + "'");
        options.read.map.emplace_back(pair.substr(0, equals), pair.substr(equals + 1));
    }
    return options;
}

void import(const Cli& cli, const Arguments& arguments) {
    const auto options = optionsOf(arguments);
    const auto project = db::Project::openOrCreate(arguments.project);
    const db::ImportReport report = db::importFiles(*project, arguments.files, options, cli.progress(), cli.stop);

    nlohmann::ordered_json document = {{"rows", report.rows},
                                       {"imported", report.imported},
                                       {"rejected_count", report.rejectedCount},
                                       {"rejected", nlohmann::ordered_json::array()},
                                       {"duplicates", report.duplicates},
                                       {"conflicting_duplicates", report.conflictingDuplicates},
                                       {"unchanged", report.unchanged}};
    std::ostringstream text;
    text << "rows " << report.rows << "\nimported " << report.imported << "\nrejected " << report.rejectedCount
         << "\nduplicates " << report.duplicates << "\nconflicting duplicates " << report.conflictingDuplicates
         << "\nunchanged " << report.unchanged << "\n";
    if (!report.methods.empty()) {
        document["methods"] = report.methods;
        text << "confidence columns kept as runs:";
        for (const std::string& method : report.methods) text << " " << method;
        text << "\n";
    }
    for (const Rejected& row : report.rejected) {
        document["rejected"].push_back({{"file", row.file}, {"line", row.line}, {"reason", row.reason}});
        text << "  " << row.file << ":" << row.line << ": " << row.reason << "\n";
    }
    cli.print(document, text.str());
}

}  // namespace

void addImport(Cli& cli) {
    const auto arguments = std::make_shared<Arguments>();
    CLI::App* sub = cli.command("import", "reads questions or HonestyBench rows into a project",
                                [&cli, arguments] { import(cli, *arguments); });
    sub->add_option("project", arguments->project, "NAME.candor; made if absent")->required();
    sub->add_option("files", arguments->files, "JSONL, CSV or TSV files")->required()->check(CLI::ExistingFile);
    sub->add_option("--dataset", arguments->dataset, "name of the set")->required();
    sub->add_option("--split", arguments->split, "name of the split")->required();
    sub->add_option("--role", arguments->role, "train or eval")->required()->check(CLI::IsMember({"train", "eval"}));
    sub->add_option("--domain", arguments->domain, "in or out")->check(CLI::IsMember({"in", "out"}));
    sub->add_option("--model", arguments->model, "who gave the answers, where the files hold some");
    sub->add_option("--map", arguments->map, "OURS=THEIRS,... for foreign field names; dots descend");
}

}  // namespace candor::app
