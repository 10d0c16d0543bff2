// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <ATen/Parallel.h>

#include <algorithm>
#include <cstdint>
#include <functional>

namespace candor {

// Calls run(part) for parts [0, parts) on libtorch's threads.
void parallelParts(std::int64_t parts, const std::function<void(std::int64_t)>& run);

// Calls run(begin, end) for runs of rows that cover [0, rows), each of at least `least` rows.
template <class Run>
void parallelRows(std::int64_t rows, std::int64_t least, const Run& run) {
    const std::int64_t parts =
        std::clamp<std::int64_t>(rows / std::max<std::int64_t>(least, 1), 1, at::get_num_threads());
    parallelParts(parts, [&](std::int64_t part) { run(rows * part / parts, rows * (part + 1) / parts); });
}

}  // namespace candor
