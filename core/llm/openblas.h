// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string>

namespace candor {

// OpenBLAS as loaded into this process, found through the dynamic linker: nothing links to it.
std::optional<std::string> openblasCore();  // its kernels, e.g. "Haswell"; nothing: another BLAS
std::string openblasVersion();              // "OpenBLAS 0.3.21"
// The kernels to ask for where it took this processor for a much older one (OpenBLAS 0.3.21 knows no processor of
// 2023 and later); nothing where its choice is good.
std::optional<std::string> betterOpenblasCore();

}  // namespace candor
