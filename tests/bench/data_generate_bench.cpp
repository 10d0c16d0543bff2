// SPDX-License-Identifier: GPL-3.0-or-later
// data_generate_bench FILE MB [SEED]: writes a HonestyBench-like file of at least that size.
#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "tests/bench/honesty_rows.h"

int main(int argc, char** argv) {
    if (argc < 3) {
        std::fprintf(stderr, "usage: %s FILE MB [SEED]\n", argv[0]);
        return 2;
    }
    const auto wanted = std::strtoll(argv[2], nullptr, 10) * 1000000;
    candor::bench::HonestyRows rows(argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 1);
    std::ofstream file(argv[1], std::ios::binary);
    long long bytes = 0, count = 0;
    while (bytes < wanted && file) {
        const std::string row = rows.next() + "\n";
        file << row;
        bytes += static_cast<long long>(row.size());
        ++count;
    }
    file.close();
    if (!file) {
        std::fprintf(stderr, "%s: cannot write\n", argv[1]);
        return 1;
    }
    std::printf("%lld rows, %lld bytes\n", count, bytes);
}
