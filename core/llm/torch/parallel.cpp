// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/llm/torch/parallel.h"

#include <ATen/TensorIterator.h>

namespace candor {

// at::parallel_for is a template that is serial unless its caller is compiled with the very OpenMP that libtorch
// brings; a TensorIterator's loop over the numbers of the parts runs inside libtorch.
void parallelParts(std::int64_t parts, const std::function<void(std::int64_t)>& run) {
    if (parts <= 1) {
        for (std::int64_t part = 0; part < parts; ++part) run(part);
        return;
    }
    at::Tensor index = at::arange(parts, at::kLong);
    at::TensorIterator iterator =
        at::TensorIteratorConfig().check_all_same_dtype(false).add_output(index).resize_outputs(false).build();
    const auto loop = [&](char** data, const std::int64_t* strides, std::int64_t n) {
        for (std::int64_t i = 0; i < n; ++i) run(*reinterpret_cast<std::int64_t*>(data[0] + i * strides[0]));
    };
    iterator.for_each(loop, 1);
}

}  // namespace candor
