// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/llm/openblas.h"

#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <vector>

#include "core/llm/machine.h"

namespace candor {

namespace {

using Text = char* (*)();

Text function(const char* name) { return reinterpret_cast<Text>(dlsym(RTLD_DEFAULT, name)); }

// The arguments this program was started with.
std::vector<std::string> arguments() {
    std::ifstream file("/proc/self/cmdline", std::ios::binary);
    std::vector<std::string> result;
    for (std::string argument; std::getline(file, argument, '\0');) result.push_back(argument);
    return result;
}

}  // namespace

std::optional<std::string> openblasCore() {
    const Text core = function("openblas_get_corename");
    return core ? std::optional<std::string>(core()) : std::nullopt;
}

std::string openblasVersion() {
    const Text config = function("openblas_get_config");
    std::istringstream words(config ? config() : "");
    std::string name, version;
    words >> name >> version;
    return name + " " + version;
}

std::optional<std::string> betterOpenblasCore() {
    const auto core = openblasCore();
    if (!core) return std::nullopt;
#if defined(__x86_64__)
    // The names that OpenBLAS gives kernels which use no AVX2.
    static const std::vector<std::string> old = {"Prescott",    "Core2",  "Penryn",  "Dunnington",  "Nehalem",
                                                 "Sandybridge", "Atom",   "Katmai",  "Banias",      "Generic",
                                                 "Barcelona",   "Bobcat", "Opteron", "Opteron_SSE3"};
    if (std::find(old.begin(), old.end(), *core) == old.end()) return std::nullopt;
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl"))
        return "SkylakeX";
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return "Haswell";
#endif
    return std::nullopt;
}

void restartForSpeed() {
    if (std::getenv("CANDOR_RESTARTED")) return;
    const auto core = std::getenv("OPENBLAS_CORETYPE") ? std::nullopt : betterOpenblasCore();
    const bool spins = !std::getenv("GOMP_SPINCOUNT") && !std::getenv("OMP_WAIT_POLICY");
    if (!core && !spins) return;
    const auto texts = arguments();
    if (texts.empty()) return;
    if (core) setenv("OPENBLAS_CORETYPE", core->c_str(), 1);
    if (spins) setenv("GOMP_SPINCOUNT", "1000", 1);
    setenv("CANDOR_RESTARTED", "1", 1);
    std::vector<char*> pointers;
    for (const auto& text : texts) pointers.push_back(const_cast<char*>(text.c_str()));
    pointers.push_back(nullptr);
    execv("/proc/self/exe", pointers.data());  // returns only if it failed: then go on as we are
}

}  // namespace candor
