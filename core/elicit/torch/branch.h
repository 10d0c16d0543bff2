// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/elicit/generator.h"

namespace candor {

// A question in the works and its answers so far.
struct OpenQuestion {
    std::size_t request = 0;
    std::uint64_t key = 0;
    std::vector<std::int32_t> prompt;
    std::vector<std::int32_t> cacheRows;  // of its own, to give back
    std::size_t cacheRowsUsed = 0;
    int maxNewTokens = 0;
    std::size_t open = 0;  // answers that go on
    GeneratedAnswers answers;

    std::int32_t nextRow() { return cacheRows[cacheRowsUsed++]; }
};

// Answers of one question that are equal so far: one history, computed once.
struct Branch {
    static constexpr int kGreedy = -1;

    OpenQuestion* question = nullptr;
    std::vector<std::int32_t> rows;     // cache rows of its history, the token to compute last
    std::vector<std::int32_t> seen;     // ids of prompt and answer, sorted, each once; kept where a penalty asks for it
    std::vector<std::int32_t> pending;  // tokens whose keys are not cached yet, the last ones of the history
    std::vector<int> members;           // samples, or kGreedy
    int generated = 0;
};

}  // namespace candor
