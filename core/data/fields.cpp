// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/fields.h"

#include <simdjson.h>

#include <algorithm>
#include <set>

#include "core/data/json_text.h"
#include "core/error.h"

namespace candor {
namespace {

struct Alias {
    std::string_view name;
    Field field;
};

constexpr Alias kOurs[] = {
    {"gold", Field::Gold},
    {"answers", Field::Gold},
    {"greedy", Field::Greedy},
    {"tokens", Field::Tokens},
    {"token_logprobs", Field::Logprobs},
    {"logprobs", Field::Logprobs},
    {"token_probs", Field::TokenProbs},
    {"cumulative", Field::Cumulative},
    {"cumulative_logprob", Field::Cumulative},
    {"samples", Field::Samples},
    {"correct", Field::Correct},
    {"greedy_correct", Field::Correct},
    {"sample_correct", Field::SampleCorrect},
    {"samples_correct", Field::SampleCorrect},
    {"agreement", Field::Agreement},
};

// Extra fields that have a short name of ours and a usual long one.
constexpr std::pair<std::string_view, std::string_view> kExtraNames[] = {
    {"verbal", "verbal_confidence"}, {"consistency", "consistency_confidence"}, {"p_true", "p_true_confidence"}};

std::optional<Field> fieldOfOurs(std::string_view name) {
    if (const auto field = honestyBenchField(name)) return field;
    const auto* found =
        std::find_if(std::begin(kOurs), std::end(kOurs), [&](const Alias& alias) { return alias.name == name; });
    return found == std::end(kOurs) ? std::nullopt : std::optional(found->field);
}

}  // namespace

std::optional<Field> honestyBenchField(std::string_view key) {
    for (std::size_t i = 0; i + 1 < kFields; ++i)
        if (kHonestyBenchNames[i] == key) return static_cast<Field>(i);
    return std::nullopt;
}

std::string withoutOriginal(const std::string& extra) {
    if (extra.find(kOriginalKey) == std::string::npos) return extra;
    simdjson::dom::parser parser;
    simdjson::dom::object fields;
    if (parser.parse(extra).get(fields) != simdjson::SUCCESS) return extra;
    std::string rest = "{";
    for (const auto [key, value] : fields) {
        if (key == kOriginalKey) continue;
        appendJsonKey(rest, key);
        rest += simdjson::minify(simdjson::dom::element(value));
    }
    return rest.size() > 1 ? rest + "}" : std::string();
}

std::vector<Mapping> resolveMap(const std::vector<std::pair<std::string, std::string>>& map) {
    std::vector<Mapping> mappings;
    std::set<std::string> taken;
    for (const auto& [ours, theirs] : map) {
        if (ours.empty() || theirs.empty())
            throw InputError("bad_map", "map: expected OURS=THEIRS, got \"" + ours + "=" + theirs + "\"");
        Mapping mapping{fieldOfOurs(ours), ours, theirs, false};
        for (const auto& [shortName, longName] : kExtraNames)
            if (shortName == ours) mapping.ours = longName;
        const std::string key = mapping.field ? std::to_string(static_cast<int>(*mapping.field)) : mapping.ours;
        if (!taken.insert(key).second && mapping.field != Field::Gold)
            throw InputError("bad_map", "map: \"" + ours + "\" is given twice; only gold may repeat");
        if (mapping.ours == kOriginalKey)
            throw InputError("bad_map", "map: \"" + ours + "\" is a reserved name; choose another");
        mappings.push_back(std::move(mapping));
    }
    return mappings;
}

}  // namespace candor
