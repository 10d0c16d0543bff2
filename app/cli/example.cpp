// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/example.h"

#include <zstd.h>

#include <fstream>
#include <iterator>
#include <memory>

#include "app/cli/cli.h"
#include "core/confidence/backbone.h"
#include "core/error.h"
#include "core/experiment/state_cache.h"

namespace candor::app {
namespace {

struct Arguments {
    std::filesystem::path model, out = "resources/example/states.bin.zst";
};

void compress(const std::filesystem::path& from, const std::filesystem::path& to) {
    std::ifstream in(from, std::ios::binary);
    const std::string bytes((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
    std::string packed(ZSTD_compressBound(bytes.size()), '\0');
    const auto size = ZSTD_compress(packed.data(), packed.size(), bytes.data(), bytes.size(), 19);
    if (ZSTD_isError(size)) throw Error(std::string("compression failed: ") + ZSTD_getErrorName(size));
    std::ofstream out(to, std::ios::binary);
    out.write(packed.data(), static_cast<std::streamsize>(size));
    if (!out.flush()) throw Error("cannot write " + to.string());
}

void example(const Cli& cli, const Arguments& arguments) {
    const auto questions = exampleQuestions();
    EngineOptions options;
    options.device = cli.device;
    options.dtype = cli.dtype.empty() ? "fp32" : cli.dtype;
    options.threads = cli.threads;
    const auto backbone = openBackbone(arguments.model, options);
    const auto states = backbone->hiddenStates(questions, cli.progress(), cli.stop);

    StateInfo info;
    info.key = backbone->stateKey();
    info.model = exampleSpec().model;
    info.provenance = backbone->provenance();
    info.width = backbone->width();
    info.dtype = StateDtype::Fp16;
    const auto plain = std::filesystem::path(arguments.out).concat(".partial");
    writeStates(plain, info, questions, states);
    compress(plain, arguments.out);
    std::filesystem::remove(plain);
    cli.print({{"questions", questions.size()},
               {"width", info.width},
               {"key", info.key},
               {"file", arguments.out.string()},
               {"bytes", std::filesystem::file_size(arguments.out)}},
              std::to_string(questions.size()) + " states of " + std::to_string(info.width) + " numbers in " +
                  arguments.out.string() + "\n");
}

}  // namespace

void addExample(Cli& cli) {
    const auto arguments = std::make_shared<Arguments>();
    CLI::App* sub = cli.command("example", "rebuilds the embedded example's hidden states from its questions",
                                [&cli, arguments] { example(cli, *arguments); });
    sub->add_option("--model", arguments->model, "folder of SmolLM2-135M-Instruct")
        ->required()
        ->check(CLI::ExistingDirectory);
    sub->add_option("--out", arguments->out, "where to write them; rebuild the program to embed them")
        ->capture_default_str();
}

}  // namespace candor::app
