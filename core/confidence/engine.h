// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>

#include "core/llm/prompt.h"

namespace candor {

// How a language model is run. Words are checked when it is opened (InputError "bad_option").
struct EngineOptions {
    std::string dtype = "auto";    // of the matrix products: "fp32", "bf16", "auto": the faster one on this machine
    std::string device = "auto";   // "cpu", "cuda:N", "auto": cuda:0 where libtorch has one
    int threads = 0;               // 0: all processors
    std::int64_t batchTokens = 0;  // distinct tokens computed together in evaluation; 0: chosen by device
    int batch = 0;                 // questions computed together at most; 0: no limit but batchTokens. With
                                   // readPosition "padded" the rows of one padded batch, in file order; 0: all

    // Where the confidence is read: "last" (the prompt's last token), "eos" (an end-of-turn token appended to it), or
    // "padded" (the last position of a right-padded batch, as the paper's code does: depends on the batch).
    std::string readPosition = "last";
    PromptOptions prompt;
    bool plainOperations = false;  // ATen operations instead of our own kernels, to compare the two
    bool doubleBos = false;  // run the tokenizer's post-processor over the wrapped prompt, as the paper's code does
};

}  // namespace candor
