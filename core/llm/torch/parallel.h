// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <ATen/Parallel.h>
#include <ATen/TensorIterator.h>

#include <algorithm>
#include <cstdint>

namespace candor {

// Calls run(part) for parts [0, parts) on libtorch's threads. at::parallel_for is a template that is serial unless its
// caller is compiled with the very OpenMP that libtorch brings; a TensorIterator's loop runs inside libtorch.
template <class Run>
void parallelParts(std::int64_t parts, const Run& run) {
    if (parts <= 1) {
        for (std::int64_t part = 0; part < parts; ++part) run(part);
        return;
    }
    at::Tensor index = at::arange(parts, at::kLong);
    at::TensorIterator iterator =
        at::TensorIteratorConfig().check_all_same_dtype(false).add_output(index).resize_outputs(false).build();
    iterator.for_each(
        [&](char** data, const std::int64_t* strides, std::int64_t n) {
            for (std::int64_t i = 0; i < n; ++i) run(*reinterpret_cast<std::int64_t*>(data[0] + i * strides[0]));
        },
        1);
}

// Calls run(begin, end) for runs of rows that cover [0, rows), each of at least `least` rows.
template <class Run>
void parallelRows(std::int64_t rows, std::int64_t least, const Run& run) {
    const std::int64_t parts =
        std::clamp<std::int64_t>(rows / std::max<std::int64_t>(least, 1), 1, at::get_num_threads());
    parallelParts(parts, [&](std::int64_t part) { run(rows * part / parts, rows * (part + 1) / parts); });
}

}  // namespace candor
