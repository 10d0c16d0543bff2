// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTest>
#include <filesystem>
#include <functional>
#include <map>
#include <string>

// Test classes share executables (linking libtorch often is slow). A file registers its class with
// CANDOR_TEST(Class); ctest runs each file as a test of its own: `test_core metrics_test [Qt Test options]`.
namespace candor::testing {

using Factory = std::function<QObject*()>;

inline std::map<std::string, Factory>& registry() {
    static std::map<std::string, Factory> tests;
    return tests;
}

inline bool add(const char* file, Factory make) {
    registry()[std::filesystem::path(file).stem().string()] = std::move(make);
    return true;
}

// The folder `shared` beside the checkout, or $CANDOR_SHARED; empty where it is absent.
inline std::filesystem::path shared() {
    const char* set = std::getenv("CANDOR_SHARED");
    const std::filesystem::path path = set ? set : std::filesystem::path(CANDOR_SOURCE_DIR) / ".." / "shared";
    return std::filesystem::exists(path / "DESIGN.md") ? std::filesystem::canonical(path) : std::filesystem::path();
}

// The unpacked SmolLM2 folder (tests/run.sh makes it), or empty.
inline std::filesystem::path smollm2() {
    const char* set = std::getenv("CANDOR_SMOLLM2");
    const std::filesystem::path path =
        set ? set : std::filesystem::path(CANDOR_SOURCE_DIR) / "build" / "models" / "smollm2-135m-instruct";
    return std::filesystem::exists(path / "model.safetensors") ? path : std::filesystem::path();
}

}  // namespace candor::testing

#define CANDOR_TEST(Class) \
    static const bool candor_registered_##Class = candor::testing::add(__FILE__, [] { return new Class; })

#define CANDOR_NEED_SHARED() \
    if (candor::testing::shared().empty()) QSKIP("../shared is absent: set CANDOR_SHARED to run this test")
#define CANDOR_NEED_SMOLLM2() \
    if (candor::testing::smollm2().empty()) QSKIP("SmolLM2 is not unpacked: tests/run.sh does it where ../shared is")
