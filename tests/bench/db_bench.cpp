// SPDX-License-Identifier: GPL-3.0-or-later
// How a project carries the paper's scale. Usage: db_bench FOLDER [QUESTIONS=560000] [SAMPLES=20]
// Writes a HonestyBench file of made-up rows in FOLDER, imports it through core's reader, and measures size and reads.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <random>

#include "db/connection.h"
#include "db/experiment_store.h"
#include "db/import.h"
#include "db/project.h"
#include "db/queries.h"

using namespace candor;
using namespace candor::db;

namespace {

double seconds(const std::function<void()>& work) {
    const auto start = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

std::string words(std::mt19937& random, int count) {
    static constexpr const char* list[] = {"the",  "river",  "capital", "novel", "was",   "written", "by",
                                           "in",   "Madrid", "a",       "born",  "film",  "1987",    "director",
                                           "song", "city",   "named",   "after", "actor", "of"};
    std::string text;
    for (int i = 0; i < count; ++i) text += (i ? " " : "") + std::string(list[random() % std::size(list)]);
    return text;
}

// Answers of about 40 words and tokens, as 7B models give them.
void writeFile(const std::filesystem::path& file, int questions, int samples) {
    std::mt19937 random(7);
    std::ofstream out(file);
    for (int i = 0; i < questions; ++i) {
        out << R"({"question": ")" << words(random, 9) << ' ' << i << R"(", "answer": ["Madrid", "the city"], )"
            << R"("greedy_response": [")" << words(random, 40) << R"("], "greedy_correctness": )" << i % 2
            << R"(, "greedy_cumulative_logprobs": [-12.345678], "greedy_tokens": [[)";
        for (int t = 0; t < 45; ++t) out << (t ? ", " : "") << random() % 150000;
        out << R"(]], "greedy_logprobs": [[)";
        for (int t = 0; t < 45; ++t) out << (t ? ", " : "") << "-0." << 100000 + random() % 900000;
        out << R"(]], "sampling_response": [)";
        for (int s = 0; s < samples; ++s) out << (s ? ", \"" : "\"") << words(random, 40) << '"';
        for (const char* name : {"sampling_correctness", "consistency_judgement"}) {
            out << R"(], ")" << name << R"(": [)";
            for (int s = 0; s < samples; ++s) out << (s ? ", " : "") << random() % 2;
        }
        out << "]}\n";
    }
}

double megabytes(const std::filesystem::path& file) {
    return static_cast<double>(std::filesystem::file_size(file)) / 1e6;
}

void measureRuns(Project& project) {
    const auto store = makeExperimentStore(project);
    ExperimentSpec spec;
    spec.name = "bench", spec.model = "m", spec.train = {"bench"}, spec.evalIn = {"bench"};
    const auto experiment = store->experiment(spec);
    const auto c = project.reader();
    const auto rows = std::min<std::int64_t>(70000, c->integer("SELECT max(id) FROM question").value_or(0));
    std::vector<std::int64_t> ids;
    for (std::int64_t id = 1; id <= rows; ++id) ids.push_back(id);
    const std::vector<double> values(ids.size(), 0.123456789);
    const auto run = store->run(experiment, {"elical", 1000, 1000, 0, "holdout", "first", "{}"}).id;
    std::printf("store %lld confidences   %8.3f s\n", static_cast<long long>(rows),
                seconds([&] { store->storeConfidences(run, ids, values); }));
    std::printf("read them                %8.3f s\n", seconds([&] { confidences(*c, run); }));
    std::printf("scored()                 %8.3f s\n", seconds([&] { scored(*c, run); }));
    project.write([&](Connection& w) {
        for (int i = 0; i < 5000; ++i) {
            w.run(
                "INSERT INTO run(identity, method, budget, labels, seed, selection, settings, model, k, agreement, "
                "correctness, created_ms) VALUES(?, 'elical', 500, 500, ?, 'holdout', '{}', 'm', 20, 'import', "
                "'import', 1)",
                "bench-" + std::to_string(i), i);
            const auto id = w.lastId();
            w.run("INSERT INTO experiment_run VALUES(?, ?)", experiment, id);
            for (int m = 0; m < 40; ++m)
                w.run("INSERT INTO metric VALUES(?, ?, 'dataset/test', '', 'auroc', 100, 0, 0.5, 0.4, 0.6, '')", id, m);
        }
    });
    std::printf("list 5000 runs x 40      %8.3f s\n", seconds([&] { runs(*c); }));
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 2) return std::fprintf(stderr, "usage: db_bench FOLDER [QUESTIONS] [SAMPLES]\n"), 2;
    const std::filesystem::path folder = argv[1], jsonl = folder / "bench.jsonl", file = folder / "bench.candor";
    const int questions = argc > 2 ? std::atoi(argv[2]) : 560000, samples = argc > 3 ? std::atoi(argv[3]) : 20;
    writeFile(jsonl, questions, samples);
    std::filesystem::remove(file);
    const auto project = Project::create(file);
    const ImportOptions options{"bench", "train", Role::Eval, Domain::In, "m", {}};
    const double parse = seconds([&] { readRecords(jsonl, {}, [](Record&&) {}); });
    const double import = seconds([&] { importFiles(*project, {jsonl}, options); });
    const double again = seconds([&] { importFiles(*project, {jsonl}, options); });
    std::printf("file %.0f MB; parsed alone %.0f MB/s, imported %.0f MB/s, again %.0f MB/s\n", megabytes(jsonl),
                megabytes(jsonl) / parse, megabytes(jsonl) / import, megabytes(jsonl) / again);
    project->write([](Connection&) {});
    std::printf("project / file           %8.3f\n", megabytes(file) / megabytes(jsonl));
    const auto c = project->reader();
    std::mt19937 random(1);
    double worst = 0;
    const double all = seconds([&] {
        for (int i = 0; i < 1000; ++i)
            worst =
                std::max(worst, seconds([&] { questionDetail(*c, 1 + static_cast<int>(random() % questions), "m"); }));
    });
    std::printf("detail of a question     %8.3f ms (mean), %.3f ms (worst of 1000)\n", all, worst * 1e3);
    std::printf("datasets()               %8.3f s\n", seconds([&] { datasets(*c); }));
    std::printf("answerSets()             %8.3f s\n", seconds([&] { answerSets(*c); }));
    const auto store = makeExperimentStore(*project);
    std::printf("items()                  %8.3f s\n", seconds([&] { store->items("bench", Role::Eval, "m", {}, 20); }));
    measureRuns(*project);
    return 0;
}
