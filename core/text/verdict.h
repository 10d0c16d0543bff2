// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/data/record.h"

namespace candor {

// The words a judge prompt asks for. Single words, any case; nothing else parses.
struct VerdictWords {
    std::vector<std::string> yes = {"certain"};
    std::vector<std::string> no = {"uncertain"};
};
// For prompts that ask about correctness: models also say the word itself.
VerdictWords correctnessWords();

struct ParsedVerdict {
    Verdict verdict = Verdict::Unparsed;
    bool contradiction = false;  // a later word says the opposite
};

// The first declared word that stands whole in the reply. A word that is negated ("not certain", "un certain") makes
// the reply unparsed, as does an empty or missing one. Pure.
ParsedVerdict parseVerdict(std::string_view reply, const VerdictWords& words = {});
ParsedVerdict parseVerdict(const std::optional<std::string>& reply, const VerdictWords& words = {});

// The paper's rule: yes unless one of its 16 negative phrases occurs; a missing reply is no. So "" and "incorrect" are
// yes.
bool elicalVerdict(const std::optional<std::string>& reply);

}  // namespace candor
