// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <span>

namespace candor {

// Confidences from the log-probabilities of an answer's tokens, end token included where it was reached (elical.md 6).
// Nothing for an answer of no tokens and for one with NaN or values above 0: undefined, to be counted. Pure.

std::optional<double> nProb(std::span<const double> logprobs);  // exp of the mean; -infinity gives 0
std::optional<double> prob(std::span<const double> logprobs);   // exp of the sum; underflows to 0 for long answers
// The sum itself, which still ranks where prob() underflows; nothing where it is not finite.
std::optional<double> logProb(std::span<const double> logprobs);
// The paper's N-Prob, from the cumulative log-probability and the number of tokens.
std::optional<double> elicalNProb(double cumulative, long tokens);

}  // namespace candor
