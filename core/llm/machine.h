// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

namespace candor {

// What the numbers are computed with.
struct MachineReport {
    std::string libtorch;  // "1.13.1"
    std::string blas;      // "OpenBLAS 0.3.21 (Cooperlake)", "MKL", "reference", ...
    std::string device;    // "cpu" or "cuda:0 (name)"
    int threads = 0;
    double fp32Gflops = 0;            // of a product of the sizes that models have, CPU
    double bf16Gflops = 0;            // 0: not measured
    bool bf16Faster = false;          // on this device
    std::vector<std::string> advice;  // sentences for the user; empty: nothing to improve
};

// Sets libtorch's threads (0: all processors), multiplies a known matrix in fp32 and in bf16 and measures both (some
// 20 ms, once a process and thread count). Throws Error with advice if a product is wrong: some BLAS libraries are
// older than the processor. `device` is "auto", "cpu" or "cuda:N"; InputError ("bad_option") for one that is absent.
const MachineReport& prepareMachine(int threads = 0, const std::string& device = "auto");

// Call first in main(), before threads. Where OpenBLAS took this processor for a much older one, or GNU OpenMP would
// spin, both of which are settled by the environment before the libraries load, starts this program again, once, with
// OPENBLAS_CORETYPE and GOMP_SPINCOUNT set. What the user has set stays. Returns if there is nothing to do.
void restartForSpeed();

}  // namespace candor
