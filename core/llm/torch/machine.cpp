// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/llm/machine.h"

#include <ATen/Parallel.h>
#include <malloc.h>
#include <torch/version.h>

#include <chrono>
#include <cmath>
#include <map>
#include <mutex>
#include <thread>

#include "core/error.h"
#include "core/llm/openblas.h"
#include "core/llm/torch/device.h"

namespace candor {

namespace {

// A matrix of small whole numbers: their products and sums are exact in fp32 and in bf16 with fp32 accumulation.
at::Tensor wholeNumbers(std::int64_t rows, std::int64_t columns, std::int64_t step) {
    return (at::arange(rows * columns, at::kLong) * step).remainder(7).sub(3).view({rows, columns});
}

bool multipliesRight(at::ScalarType type) {
    const at::Tensor a = wholeNumbers(67, 193, 5), b = wholeNumbers(193, 95, 3);
    const at::Tensor want = at::mm(a, b);  // integers: no BLAS
    const at::Tensor plain = at::mm(a.to(type), b.to(type)), turned = at::mm(b.t().to(type), a.t().to(type)).t();
    // bf16 results are rounded to 8 bits.
    const auto near = [&](const at::Tensor& got) {
        return at::allclose(got.to(at::kDouble), want.to(at::kDouble), type == at::kFloat ? 0 : 0.01, 1e-3);
    };
    return near(plain) && near(turned);
}

double gflops(at::ScalarType type) {
    const std::int64_t m = 256, k = 512, n = 512;
    const at::Tensor a = at::ones({m, k}).to(type), b = at::ones({n, k}).to(type);
    at::Tensor out = at::mm(a, b.t());
    double best = 1e9;
    for (int i = 0; i < 4 && best > 0; ++i) {
        const auto start = std::chrono::steady_clock::now();
        at::mm_out(out, a, b.t());
        const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
        best = std::min(best, seconds.count());
        if (best > 0.05) break;  // a slow library: one look is enough
    }
    return 2e-9 * static_cast<double>(m * k * n) / best;
}

// Activations come and go by the megabyte: without this each would be mapped, cleared and unmapped by the kernel.
void keepMemory() {
#if defined(__GLIBC__)
    mallopt(M_MMAP_THRESHOLD, 32 << 20);
    mallopt(M_TRIM_THRESHOLD, 256 << 20);
#endif
}

std::string blasName() {
    if (at::globalContext().hasMKL()) return "MKL";
    if (const auto core = openblasCore()) return openblasVersion() + " (" + *core + ")";
    return "unknown BLAS";
}

std::string resolveDevice(const std::string& device) {
    const bool cuda = at::globalContext().hasCUDA();
    if (device == "cpu" || (device == "auto" && !cuda)) return "cpu";
    if (device == "auto") return "cuda:0";
    if (device.rfind("cuda", 0) != 0)
        throw InputError("bad_option", "device \"" + device + "\": expected auto, cpu or cuda:N");
    try {
        const at::Device wanted(device);
        if (cuda && at::zeros({1}, at::TensorOptions(wanted)).numel() == 1)
            return wanted.has_index() ? wanted.str() : "cuda:0";
    } catch (const c10::Error& error) {
        throw InputError("bad_option", "device \"" + device + "\": " + error.what_without_backtrace());
    }
    throw InputError("bad_option",
                     "device \"" + device + "\": this libtorch has no CUDA; use cpu, or build with a CUDA PyTorch");
}

void measure(MachineReport& report) {
    if (!multipliesRight(at::kFloat))
        throw Error(
            "this machine's matrix library (" + report.blas +
            ") multiplies wrongly: it is probably older than the processor. Set OPENBLAS_CORETYPE=Haswell in the "
            "environment, or install a newer OpenBLAS");
    report.fp32Gflops = gflops(at::kFloat);
    try {  // libraries without kernels for this processor throw
        if (multipliesRight(at::kBFloat16)) report.bf16Gflops = gflops(at::kBFloat16);
    } catch (const std::exception&) {
        report.bf16Gflops = 0;
    }
    report.bf16Faster = report.device != "cpu" || report.bf16Gflops > 1.1 * report.fp32Gflops;
    if (report.fp32Gflops < 4.0 * report.threads)
        report.advice.push_back(
            "Matrix products run at " + std::to_string(std::lround(report.fp32Gflops)) + " GF/s with " + report.blas +
            ", far below this processor: install libopenblas0-openmp (the reference BLAS is some 85 times slower)");
    if (const auto better = betterOpenblasCore())
        report.advice.push_back("OpenBLAS runs its " + *openblasCore() +
                                " kernels, this processor has better ones: set OPENBLAS_CORETYPE=" + *better +
                                " before the start");
}

}  // namespace

const MachineReport& prepareMachine(int threads, const std::string& device) {
    static std::mutex mutex;
    static std::map<std::pair<int, std::string>, MachineReport> reports;
    const std::lock_guard lock(mutex);
    const int count = threads > 0 ? threads : static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
    at::set_num_threads(count);
    const std::string where = resolveDevice(device);
    const auto known = reports.find({count, where});
    if (known != reports.end()) return known->second;
    keepMemory();
    MachineReport report;
    report.libtorch = TORCH_VERSION;
    report.blas = blasName();
    report.device = where;
    report.threads = count;
    measure(report);
    return reports.emplace(std::pair(count, where), report).first->second;
}

at::Device torchDevice(const MachineReport& report) { return at::Device(report.device); }

}  // namespace candor
