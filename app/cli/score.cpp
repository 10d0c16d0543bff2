// SPDX-License-Identifier: GPL-3.0-or-later
#include <iostream>
#include <memory>

#include "app/cli/cli.h"
#include "app/cli/table.h"
#include "core/confidence/scorer.h"
#include "core/error.h"

namespace candor::app {
namespace {

struct Arguments {
    std::filesystem::path model, adapter;
    std::string readPosition = "last", file;
};

void score(const Cli& cli, const Arguments& arguments) {
    const auto questions = readQuestions(arguments.file);
    EngineOptions options;
    options.device = cli.device;
    options.dtype = cli.dtype.empty() ? "fp32" : cli.dtype;
    options.threads = cli.threads;
    options.readPosition = arguments.readPosition;
    options.batch = cli.batch;
    Scorer scorer(arguments.model, arguments.adapter, options);
    for (const std::string& warning : scorer.warnings()) std::cerr << "candor-cli: " << warning << "\n";
    const auto confidences = scorer.confidences(questions, cli.progress(), cli.stop);
    nlohmann::ordered_json all = nlohmann::ordered_json::array();
    for (std::size_t i = 0; i < confidences.size(); ++i) {
        const nlohmann::ordered_json row = {{"index", i}, {"confidence", confidences[i]}};
        if (cli.json)
            all.push_back(row);
        else
            std::cout << row.dump() << "\n";
    }
    if (cli.json) std::cout << all.dump(2) << "\n";
}

}  // namespace

void addScore(Cli& cli) {
    const auto arguments = std::make_shared<Arguments>();
    CLI::App* sub = cli.command("score", "confidences for questions, no project needed; one JSON line each",
                                [&cli, arguments] { score(cli, *arguments); });
    sub->add_option("--model", arguments->model, "a Hugging Face model folder")
        ->required()
        ->check(CLI::ExistingDirectory);
    sub->add_option("--adapter", arguments->adapter, "a PEFT adapter folder with its head")
        ->required()
        ->check(CLI::ExistingDirectory);
    sub->add_option("--read-position", arguments->readPosition, "last, eos or padded")
        ->check(CLI::IsMember({"last", "eos", "padded"}))
        ->capture_default_str();
    sub->add_option("file", arguments->file, "JSONL with `question`, plain text, or - for standard input")->required();
}

}  // namespace candor::app
