// SPDX-License-Identifier: GPL-3.0-or-later
// Questions a second of LoRA training and of confidences, as bench/hf_peft.py of the reference measures them: batches
// of consecutive rows of a JSONL file, the first batch not counted, median of the rest.
//   engine_bench MODEL QUESTIONS.jsonl [train|score|set|states|generate|all] [fp32|bf16|both] [threads] [batch]
//   [batches] [plain]
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string>
#include <vector>

#include "core/confidence/backbone.h"
#include "core/elicit/generator.h"
#include "core/llm/machine.h"
#include "core/train/adamw.h"

using candor::Objective;

namespace {

std::vector<std::string> readQuestions(const char* file) {
    std::ifstream stream(file);
    std::vector<std::string> questions;
    for (std::string line; std::getline(stream, line);)
        if (!line.empty()) questions.push_back(nlohmann::json::parse(line)["question"].get<std::string>());
    return questions;
}

void trainStep(Objective& objective, candor::AdamW& optimiser, const std::vector<std::int64_t>& rows) {
    std::vector<float> gradient(objective.parameters().size()), targets(rows.size(), 0.5F);
    for (std::size_t i = 0; i < targets.size(); ++i) targets[i] = static_cast<float>(i % 5) / 4;
    objective.accumulate(rows, targets, 1.0 / static_cast<double>(rows.size()), gradient);
    candor::clipGradient(gradient, 1);
    optimiser.step(objective.parameters(), gradient, 3e-4, 0.1);
    objective.parametersChanged();
}

struct Setting {
    std::string what, dtype;
    std::size_t batch = 16;
};

// Times step(i) for i = 0 .. rounds - 1 of `questions` questions each and prints all but the first.
template <class Step>
void measure(const Setting& setting, std::size_t rounds, std::size_t questions, const Step& step) {
    std::vector<double> seconds;
    double cpu = 0;  // of the process, all threads: what a busy machine distorts least
    for (std::size_t i = 0; i < rounds; ++i) {
        const auto start = std::chrono::steady_clock::now();
        const auto clock = std::clock();
        step(i);
        seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
        if (i > 0) cpu += static_cast<double>(std::clock() - clock) / CLOCKS_PER_SEC;
    }
    if (rounds < 2) {
        std::printf("%s %s: too few questions for 2 rounds\n", setting.what.c_str(), setting.dtype.c_str());
        return;
    }
    std::sort(seconds.begin() + 1, seconds.end());
    const auto rate = [&](double s) { return static_cast<double>(questions) / s; };
    std::printf("%s %s batch=%zu: median %.2f questions/s, best %.2f, %.1f CPU ms a question\n", setting.what.c_str(),
                setting.dtype.c_str(), setting.batch, rate(seconds[1 + (seconds.size() - 1) / 2]), rate(seconds[1]),
                1e3 * cpu / static_cast<double>((rounds - 1) * questions));
    std::fflush(stdout);
}

// train, score: batches of consecutive rows. set: all rows in one call, batches of the engine's choice, twice.
// states: hidden states without an adapter, by batches.
void measureTask(candor::TorchBackbone& backbone, const std::vector<std::string>& questions, const Setting& setting) {
    const std::size_t batch = setting.batch, rounds = questions.size() / batch;
    const auto objective = backbone.lora({}, questions, 0);
    candor::AdamW optimiser(objective->blocks(), objective->parameters().size());
    std::vector<std::int64_t> all(questions.size());
    std::iota(all.begin(), all.end(), 0);
    const auto rows = [&](std::size_t i) {
        return std::vector<std::int64_t>(all.begin() + static_cast<std::ptrdiff_t>(i * batch),
                                         all.begin() + static_cast<std::ptrdiff_t>((i + 1) * batch));
    };
    if (setting.what == "train")
        measure(setting, rounds, batch, [&](auto i) { trainStep(*objective, optimiser, rows(i)); });
    if (setting.what == "score") measure(setting, rounds, batch, [&](auto i) { objective->confidences(rows(i)); });
    if (setting.what == "set") measure(setting, 2, all.size(), [&](auto) { objective->confidences(all); });
    if (setting.what == "states")
        measure(setting, rounds, batch,
                [&](auto i) { backbone.hiddenStates(std::span(questions).subspan(i * batch, batch), {}, {}); });
}

// One greedy and 20 sampled answers a question, 24 new tokens at most, no penalty, as bench/hf_peft.py generates them;
// then all questions in one call.
void measureGeneration(const char* model, const candor::EngineOptions& engine,
                       const std::vector<std::string>& questions, Setting setting) {
    candor::Generator generator(model, engine);
    candor::GenerationOptions options;
    options.maxNewTokens = 24;
    options.decoding.repetitionPenalty = 1;
    std::vector<candor::GenerationRequest> requests;
    for (std::size_t i = 0; i < questions.size(); ++i) requests.push_back({questions[i], i, {}});
    std::size_t tokens = 0;
    const auto count = [&](std::size_t, const candor::GeneratedAnswers& answers) {
        tokens += answers.greedy.tokens.size();
        for (const auto& answer : answers.samples) tokens += answer.tokens.size();
    };
    measure(setting, requests.size() / setting.batch, setting.batch, [&](std::size_t i) {
        generator.generate(std::span(requests).subspan(i * setting.batch, setting.batch), options, count);
    });
    std::printf("%.1f tokens a question\n", static_cast<double>(tokens) / static_cast<double>(requests.size()));
    setting.what = "generate-set";
    measure(setting, 2, requests.size(), [&](auto) { generator.generate(requests, options, count); });
}

}  // namespace

int main(int argc, char** argv) {
    candor::restartForSpeed();
    if (argc < 3) {
        std::fprintf(stderr,
                     "usage: engine_bench MODEL QUESTIONS.jsonl [train|score|set|states|generate|all] [fp32|bf16|both] "
                     "[threads] [batch] "
                     "[batches] [plain]\n");
        return 2;
    }
    const auto word = [&](int at, const char* fallback) { return std::string(argc > at ? argv[at] : fallback); };
    const std::string what = word(3, "all"), dtypes = word(4, "both");
    candor::EngineOptions options;
    options.device = "cpu";
    options.threads = std::atoi(word(5, "0").c_str());
    options.plainOperations = word(8, "") == "plain";
    options.batch = std::atoi(word(6, "16").c_str());
    const auto batch = std::stoul(word(6, "16")), batches = std::stoul(word(7, "8"));
    auto questions = readQuestions(argv[2]);
    questions.resize(std::min(questions.size(), batch * batches));
    for (const std::string dtype : {"fp32", "bf16"}) {
        if (dtypes != "both" && dtypes != dtype) continue;
        options.dtype = dtype;
        if (what == "all" || what == "generate")
            measureGeneration(argv[1], options, questions, {"generate", dtype, batch});
        if (what == "generate") continue;
        const auto backbone = candor::openBackbone(argv[1], options);
        for (const std::string task : {"train", "score", "set", "states"})
            if (what == "all" || what == task) measureTask(*backbone, questions, {task, dtype, batch});
    }
    const auto& machine = candor::prepareMachine(options.threads, "cpu");
    std::printf("%s, %s, %d threads, products fp32 %.0f bf16 %.0f GF/s\n", machine.libtorch.c_str(),
                machine.blas.c_str(), machine.threads, machine.fp32Gflops, machine.bf16Gflops);
    for (const auto& advice : machine.advice) std::printf("%s\n", advice.c_str());
    return 0;
}
