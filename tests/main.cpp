// SPDX-License-Identifier: GPL-3.0-or-later
#include <cstdio>
#include <memory>

#include "tests/testing.h"
#ifdef CANDOR_TEST_WIDGETS
#include <QApplication>
#else
#include <QCoreApplication>
#endif

#ifdef CANDOR_TEST_ENGINE
#include "core/llm/machine.h"
#endif

int main(int argc, char** argv) {
#ifdef CANDOR_TEST_ENGINE
    candor::restartForSpeed();  // as the programs do, so that their numbers can be compared bit for bit
#endif
#ifdef CANDOR_TEST_WIDGETS
    QApplication application(argc, argv);
#else
    QCoreApplication application(argc, argv);
#endif
    if (argc < 2 || !candor::testing::registry().contains(argv[1])) {
        std::fprintf(stderr, "usage: %s TEST [Qt Test options]; tests:\n", argv[0]);
        for (const auto& [name, make] : candor::testing::registry()) std::fprintf(stderr, "  %s\n", name.c_str());
        return 2;
    }
    const std::unique_ptr<QObject> test(candor::testing::registry()[argv[1]]());
    std::vector<char*> rest = {argv[0]};
    rest.insert(rest.end(), argv + 2, argv + argc);
    return QTest::qExec(test.get(), static_cast<int>(rest.size()), rest.data());
}
