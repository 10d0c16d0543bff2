// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/experiment/methods.h"

#include <algorithm>
#include <numeric>

#include "core/error.h"

namespace candor {
namespace {

std::size_t editDistance(const std::string& a, const std::string& b) {
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 0; i < a.size(); ++i) {
        std::size_t diagonal = row[0]++;
        for (std::size_t j = 0; j < b.size(); ++j) {
            const std::size_t above = row[j + 1];
            row[j + 1] = std::min({above + 1, row[j] + 1, diagonal + (a[i] == b[j] ? 0U : 1U)});
            diagonal = above;
        }
    }
    return row.back();
}

MethodKind kindOf(const std::string& base) {
    if (base == "eli-only" || base == "cal-only" || base == "elical") return MethodKind::Trained;
    if (base == "probe" || base == "features") return MethodKind::Probe;
    if (base == "text-prior" || base == "set-prior") return MethodKind::Prior;
    return MethodKind::Score;
}

[[noreturn]] void unknown(const std::string& what, const std::string& word, const std::vector<std::string>& names) {
    const std::string near = nearestName(word, names);
    std::string message = "unknown " + what + " \"" + word + "\"";
    if (!near.empty()) message += ": did you mean \"" + near + "\"?";
    message += " Known are";
    for (const std::string& name : names) message += " " + name;
    throw InputError("bad_spec", message);
}

}  // namespace

const std::vector<std::string>& baseMethods() {
    static const std::vector<std::string> names = {
        "eli-only",  "cal-only",    "elical",     "consis-sem",       "n-prob", "prob",     "verbal-0",
        "verbal-10", "p-true",      "consis-lex", "semantic-entropy", "probe",  "features", "text-prior",
        "set-prior", "thermometer", "daca"};
    return names;
}

const std::vector<std::string>& calibrators() {
    static const std::vector<std::string> names = {"temperature", "platt", "logistic", "isotonic", "beta"};
    return names;
}

std::string nearestName(const std::string& word, const std::vector<std::string>& names) {
    std::string best;
    std::size_t distance = std::max<std::size_t>(2, word.size() / 2) + 1;
    for (const std::string& name : names) {
        const std::size_t d = editDistance(word, name);
        if (d < distance) {
            distance = d;
            best = name;
        }
    }
    return best;
}

Method methodOf(const std::string& name) {
    Method m;
    m.name = name;
    const std::size_t plus = name.find('+');
    m.base = name.substr(0, plus);
    if (plus != std::string::npos) m.calibrator = name.substr(plus + 1);
    if (std::ranges::find(baseMethods(), m.base) == baseMethods().end()) unknown("method", m.base, baseMethods());
    if (plus != std::string::npos && std::ranges::find(calibrators(), m.calibrator) == calibrators().end())
        unknown("calibrator", m.calibrator, calibrators());
    m.kind = kindOf(m.base);
    m.usesLabels = !m.calibrator.empty() || (m.kind != MethodKind::Score && m.base != "eli-only");
    m.usesStage1 = m.base == "eli-only" || m.base == "elical";
    m.usesStates = m.kind == MethodKind::Trained || m.base == "probe";
    return m;
}

}  // namespace candor
