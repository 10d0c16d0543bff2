// SPDX-License-Identifier: GPL-3.0-or-later
// Questions a second of LoRA training and of confidences, as bench/hf_peft.py of the reference measures them: batches
// of consecutive rows of a JSONL file, the first batch not counted, median of the rest.
//   engine_bench MODEL QUESTIONS.jsonl [train|score|both] [fp32|bf16|both] [threads] [batch] [batches] [plain]
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string>
#include <vector>

#include "core/confidence/backbone.h"
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

void measure(Objective& objective, const std::string& what, const std::string& dtype, std::size_t batch,
             std::size_t batches) {
    candor::AdamW optimiser(objective.blocks(), objective.parameters().size());
    std::vector<double> seconds;
    for (std::size_t i = 0; i < batches && (i + 1) * batch <= objective.rows(); ++i) {
        std::vector<std::int64_t> rows(batch);
        std::iota(rows.begin(), rows.end(), static_cast<std::int64_t>(i * batch));
        const auto start = std::chrono::steady_clock::now();
        if (what == "train")
            trainStep(objective, optimiser, rows);
        else
            objective.confidences(rows);
        seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    }
    if (seconds.size() < 2) {
        std::printf("%s %s: too few questions for 2 batches of %zu\n", what.c_str(), dtype.c_str(), batch);
        return;
    }
    std::sort(seconds.begin() + 1, seconds.end());
    const auto rate = [&](double s) { return static_cast<double>(batch) / s; };
    std::printf("%s %s batch=%zu: median %.2f questions/s, best %.2f\n", what.c_str(), dtype.c_str(), batch,
                rate(seconds[1 + (seconds.size() - 1) / 2]), rate(seconds[1]));
    std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
    candor::restartForSpeed();
    if (argc < 3) {
        std::fprintf(stderr,
                     "usage: engine_bench MODEL QUESTIONS.jsonl [train|score|both] [fp32|bf16|both] [threads] [batch] "
                     "[batches] [plain]\n");
        return 2;
    }
    const auto word = [&](int at, const char* fallback) { return std::string(argc > at ? argv[at] : fallback); };
    const std::string what = word(3, "both"), dtypes = word(4, "both");
    candor::EngineOptions options;
    options.device = "cpu";
    options.threads = std::atoi(word(5, "0").c_str());
    options.plainOperations = word(8, "") == "plain";
    const auto batch = std::stoul(word(6, "16")), batches = std::stoul(word(7, "8"));
    auto questions = readQuestions(argv[2]);
    questions.resize(std::min(questions.size(), batch * batches));
    for (const std::string dtype : {"fp32", "bf16"}) {
        if (dtypes != "both" && dtypes != dtype) continue;
        options.dtype = dtype;
        const auto backbone = candor::openBackbone(argv[1], options);
        const auto objective = backbone->lora({}, questions, 0);
        for (const std::string task : {"train", "score"})
            if (what == "both" || what == task) measure(*objective, task, dtype, batch, batches);
    }
    const auto& machine = candor::prepareMachine(options.threads, "cpu");
    std::printf("%s, %s, %d threads, products fp32 %.0f bf16 %.0f GF/s\n", machine.libtorch.c_str(),
                machine.blas.c_str(), machine.threads, machine.fp32Gflops, machine.bf16Gflops);
    for (const auto& advice : machine.advice) std::printf("%s\n", advice.c_str());
    return 0;
}
