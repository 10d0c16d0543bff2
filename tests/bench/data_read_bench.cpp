// SPDX-License-Identifier: GPL-3.0-or-later
// data_read_bench [FILE]: how fast readRecords() goes through a file (default: 100 MB made up for it), beside going
// through its lines alone and parsing them with nlohmann_json, in one run; the checks, the writer and the peak memory.
#include <sys/resource.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/data/checks.h"
#include "core/data/lines.h"
#include "core/data/reader.h"
#include "core/text/match.h"
#include "core/text/normalise.h"
#include "tests/bench/honesty_rows.h"

namespace {

template <typename Work>
double report(const char* what, std::uintmax_t bytes, double plain, const Work& work) {
    const auto start = std::chrono::steady_clock::now();
    const long long rows = work();
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    std::printf("%-22s %8lld rows %7.2f s %8.1f MB/s %6.2f x nlohmann, peak memory %ld MiB\n", what, rows, seconds,
                static_cast<double>(bytes) / 1e6 / seconds, plain > 0 ? plain / seconds : 1.0, usage.ru_maxrss / 1024);
    return seconds;
}

}  // namespace

int main(int argc, char** argv) {
    using namespace candor;
    std::filesystem::path file = argc > 1 ? argv[1] : "";
    const bool made = file.empty();
    if (made) {
        file = std::filesystem::temp_directory_path() / "candor_read_bench.jsonl";
        bench::HonestyRows rows(1);
        std::ofstream out(file, std::ios::binary);
        while (out.tellp() < 100000000) out << rows.next() << "\n";
    }
    const auto bytes = std::filesystem::file_size(file);
    const auto lines = [&](auto&& each) {
        LineReader reader(file);
        Line line;
        long long rows = 0;
        for (; reader.next(line); ++rows) each(line.text);
        return rows;
    };
    const auto records = [&](auto&& each) { return readRecords(file, {}, each).rows; };

    report("lines alone", bytes, 0, [&] { return lines([](std::string_view) {}); });
    report("readRecords", bytes, 0, [&] { return records([](Record&&) {}); });
    std::size_t parsed = 0;
    const double plain = report("nlohmann_json", bytes, 0, [&] {
        return lines([&](std::string_view text) { parsed += nlohmann::json::parse(text.begin(), text.end()).size(); });
    });
    report("readRecords", bytes, plain, [&] { return records([](Record&&) {}); });
    SetChecks checks;
    report("with set checks", bytes, plain,
           [&] { return records([&](Record&& record) { checks.add(record.question, record.gold); }); });
    std::size_t written = 0;
    report("with writing back", bytes, plain,
           [&] { return records([&](Record&& record) { written += toHonestyBench(record).size(); }); });
    std::size_t agreeing = 0;
    report("with contains and core", bytes, plain, [&] {
        return records([&](Record&& record) {
            if (!record.answers || !record.answers->greedy) return;
            const CoreRule rule(record.question);
            const std::string greedy = rule.core(*record.answers->greedy);
            std::vector<std::string> gold;
            for (const std::string& text : record.gold) gold.push_back(normalised(text));
            for (const std::string& sample : record.answers->samples) {
                agreeing += coreAgrees(greedy, rule.core(sample));
                agreeing += containsNormalised(gold, normalised(sample));
            }
        });
    });
    if (made) std::filesystem::remove(file);
}
