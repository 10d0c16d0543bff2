// SPDX-License-Identifier: GPL-3.0-or-later
#include <iostream>
#include <memory>

#include "app/cli/cli.h"
#include "core/error.h"
#include "core/llm/prompt.h"
#include "core/llm/tokenizer.h"

namespace candor::app {
namespace {

struct Arguments {
    std::filesystem::path model;
    bool chat = false, special = false;
};

void tokenize(const Cli& cli, const Arguments& arguments) {
    const Tokenizer tokenizer(arguments.model);
    const std::optional<Prompt> prompt = arguments.chat ? std::optional<Prompt>(arguments.model) : std::nullopt;
    std::string line;
    for (std::int64_t number = 1; std::getline(std::cin, line); ++number) {
        if (cli.stop.stop_requested()) throw Stopped();
        if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
        const auto json = nlohmann::json::parse(line, nullptr, false);
        if (!json.is_string())
            throw InputError("bad_line", "expected one JSON string a line, got: " + line.substr(0, 80), "-", number);
        const auto text = json.get<std::string>();
        const auto ids = tokenizer.encode(prompt ? prompt->render(text) : text, arguments.special);
        std::cout << nlohmann::json(ids).dump() << "\n";
    }
}

}  // namespace

void addTokenize(Cli& cli) {
    const auto arguments = std::make_shared<Arguments>();
    CLI::App* sub = cli.command("tokenize", "one JSON string a line in, one JSON array of ids a line out",
                                [&cli, arguments] { tokenize(cli, *arguments); });
    sub->add_option("--model", arguments->model, "a Hugging Face model folder")
        ->required()
        ->check(CLI::ExistingDirectory);
    auto* chat = sub->add_flag("--chat", arguments->chat, "wrap each line as a question prompt");
    sub->add_flag("--special", arguments->special, "apply the post-processor")->excludes(chat);
}

}  // namespace candor::app
