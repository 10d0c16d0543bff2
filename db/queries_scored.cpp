// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "db/connection.h"
#include "db/pack.h"
#include "db/queries.h"
#include "db/truth.h"

namespace candor::db {
namespace {

struct Set {
    std::int64_t split = 0;
    std::string name;
    Domain domain = Domain::None;
    std::optional<std::int64_t> answers;
    std::optional<LabelSource> truth;
};

// What the run's experiment evaluates on: names of datasets or of splits.
struct Evaluated {
    std::set<std::string> in, out;

    static std::set<std::string> names(const nlohmann::json& eval, const char* key) {
        std::set<std::string> found;
        if (const auto it = eval.find(key); it != eval.end() && it->is_array())
            for (const auto& name : *it)
                if (name.is_string()) found.insert(name.get<std::string>());
        return found;
    }
    explicit Evaluated(const std::string& spec) {
        const auto json = nlohmann::json::parse(spec, nullptr, false);
        if (!json.is_object() || !json.contains("eval") || !json["eval"].is_object()) return;
        in = names(json["eval"], "in");
        out = names(json["eval"], "out");
    }
};

// In-domain sets first, then out-of-domain ones, each by name.
std::vector<Set> setsOf(Connection& c, std::int64_t run, const std::string& labelSet) {
    Statement r = c.query(
        "SELECT r.model, r.k, r.correctness, e.spec FROM run r LEFT JOIN experiment e ON e.id = "
        "(SELECT min(experiment) FROM experiment_run WHERE run = r.id) WHERE r.id = ?",
        run);
    if (!r.step()) return {};
    const std::string truth = labelSet.empty() ? r.text(2) : labelSet;
    const Evaluated evaluated(r.text(3));
    std::vector<Set> sets;
    Statement s =
        c.query("SELECT s.id, d.name, s.name, s.role, s.domain FROM split s JOIN dataset d ON d.id = s.dataset");
    while (s.step()) {
        const std::string dataset = s.text(1), name = dataset + "/" + s.text(2);
        const bool isEval = s.as<Role>(3) == Role::Eval;
        const auto holds = [&](const std::set<std::string>& names) {
            return names.contains(name) || (isEval && names.contains(dataset));
        };
        const bool in = holds(evaluated.in), out = holds(evaluated.out);
        if (!isEval && !in && !out) continue;
        Set set{s.integer(0), name, in ? Domain::In : out ? Domain::Out : s.as<Domain>(4), {}, {}};
        set.answers = answerSetFor(c, r.text(0), set.split, r.as<int>(1));
        if (set.answers) set.truth = labelSource(c, truth, *set.answers, VerdictPart::Correctness);
        if (set.truth) sets.push_back(std::move(set));
    }
    const auto rank = [](Domain d) { return d == Domain::In ? 0 : d == Domain::Out ? 1 : 2; };
    std::sort(sets.begin(), sets.end(), [&](const Set& a, const Set& b) {
        return std::pair(rank(a.domain), a.name) < std::pair(rank(b.domain), b.name);
    });
    return sets;
}

// The verdict on one greedy answer, 0 or 1.
std::optional<double> verdictOn(Connection& c, const Set& set, std::int64_t question) {
    const auto verdict =
        set.truth->human
            ? c.integer(
                  "SELECT verdict FROM human_label WHERE question = ? AND answer_set = ? AND kind = 0 "
                  "AND sample = -1 ORDER BY id DESC LIMIT 1",
                  question, *set.answers)
            : c.integer("SELECT greedy FROM judgement WHERE label_set = ? AND answer_set = ? AND question = ?",
                        set.truth->labelSet, *set.answers, question);
    if (!verdict || *verdict > 1) return std::nullopt;
    return static_cast<double>(*verdict);
}

}  // namespace

ScoredColumn scored(Connection& c, std::int64_t run, const std::string& labelSet) {
    const Snapshot snapshot(c);
    const std::vector<Set> sets = setsOf(c, run, labelSet);
    std::map<std::int64_t, std::int32_t> indexOf;  // of split ids
    for (const Set& set : sets) indexOf[set.split] = static_cast<std::int32_t>(indexOf.size());
    ScoredColumn column;
    std::vector<std::int32_t> used(sets.size(), 0);
    Statement s = c.query(
        "SELECT x.question, q.split, x.kind, x.value FROM confidence x JOIN question q ON q.id = x.question "
        "WHERE x.run = ? ORDER BY x.question",
        run);
    while (s.step()) {
        const auto found = indexOf.find(s.integer(1));
        if (found == indexOf.end()) continue;
        const auto index = static_cast<std::size_t>(found->second);
        const auto correct = verdictOn(c, sets[index], s.integer(0));
        if (!correct) continue;
        column.question.push_back(s.integer(0));
        column.confidence.push_back(restore(s.realOrNone(3), s.as<Kind>(2)));
        column.correct.push_back(*correct);
        column.set.push_back(found->second);
        used[index] = 1;
    }
    // Sets without a row are left out; the others keep their order.
    std::vector<std::int32_t> renumbered(sets.size(), 0);
    for (std::size_t i = 0; i < sets.size(); ++i) {
        if (!used[i]) continue;
        renumbered[i] = static_cast<std::int32_t>(column.sets.size());
        column.sets.push_back(sets[i].name);
        column.domains.push_back(sets[i].domain);
    }
    for (std::int32_t& index : column.set) index = renumbered[static_cast<std::size_t>(index)];
    return column;
}

}  // namespace candor::db
