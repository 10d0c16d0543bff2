// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include <string>
#include <vector>

namespace candor {

enum class MethodKind : std::uint8_t {
    Score,   // training-free: a number that each question has already
    Prior,   // text-prior, set-prior: from the question and the labels alone
    Probe,   // logistic regression on frozen states, or on training-free scores ("features")
    Trained  // eli-only, cal-only, elical
};

// What a method's name says. "consis-sem+isotonic" is the base "consis-sem" and the calibrator "isotonic".
struct Method {
    std::string name, base, calibrator;  // calibrator: empty for none
    MethodKind kind = MethodKind::Score;
    bool usesLabels = false;  // of correctness: has a budget and, with it, a seed
    bool usesStage1 = false;
    bool usesStates = false;  // hidden states, or a language model to adapt
};

// Throws InputError ("bad_spec") for an unknown name, naming the nearest.
Method methodOf(const std::string& name);
const std::vector<std::string>& baseMethods();
const std::vector<std::string>& calibrators();

// The one of `names` with the smallest edit distance to `word`; empty if nothing is near.
std::string nearestName(const std::string& word, const std::vector<std::string>& names);

}  // namespace candor
