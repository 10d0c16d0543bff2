// SPDX-License-Identifier: GPL-3.0-or-later
#include "db/findings.h"

#include <algorithm>
#include <map>

#include "core/data/checks.h"
#include "core/data/fields.h"
#include "db/connection.h"
#include "db/project.h"

namespace candor::db {
namespace {

struct Known {
    Finding finding;
    const char* name;
    const char* condition;  // on question q, split s
};
constexpr Known kFindings[] = {
    {Finding::Duplicate, "duplicates",
     "EXISTS (SELECT 1 FROM question o WHERE o.text_hash = q.text_hash AND o.split = q.split AND o.row < q.row)"},
    {Finding::ConflictingDuplicate, "conflicting_duplicates",
     "EXISTS (SELECT 1 FROM question o WHERE o.text_hash = q.text_hash AND o.split = q.split AND o.gold_hash <> "
     "q.gold_hash)"},
    {Finding::Overlap, "overlap",
     "s.role = 1 AND EXISTS (SELECT 1 FROM question o JOIN split t ON t.id = o.split WHERE o.text_hash = q.text_hash "
     "AND t.role = 0)"},
    {Finding::NearDuplicate, "near_duplicates", "EXISTS (SELECT 1 FROM near_duplicate n WHERE n.question = q.id)"},
    {Finding::EmptyGold, "empty_gold", "q.flags & 1"},
    {Finding::GoldInQuestion, "gold_in_question", "q.flags & 2"},
    {Finding::FunctionWordGold, "function_word_gold", "q.flags & 4"},
};

const Known& known(Finding finding) {
    return *std::find_if(std::begin(kFindings), std::end(kFindings),
                         [&](const Known& k) { return k.finding == finding; });
}

struct Texts {
    std::vector<std::int64_t> ids;
    std::vector<std::string> texts;
};

Texts textsOf(Statement s) {
    Texts result;
    while (s.step()) {
        result.ids.push_back(s.integer(0));
        result.texts.push_back(s.text(1));
    }
    return result;
}

constexpr const char* kInSet = "(?1 = '' OR d.name = ?1 OR d.name || '/' || s.name = ?1)";

}  // namespace

const std::vector<Finding>& allFindings() {
    static const std::vector<Finding> all = [] {
        std::vector<Finding> list;
        for (const Known& k : kFindings) list.push_back(k.finding);
        return list;
    }();
    return all;
}

const char* nameOf(Finding finding) { return known(finding).name; }

std::optional<Finding> findingNamed(std::string_view name) {
    for (const Known& k : kFindings)
        if (name == k.name) return k.finding;
    return std::nullopt;
}

void updateNearDuplicates(Project& project, const EventSink& events, std::stop_token stop) {
    const auto c = project.reader();
    std::vector<std::int64_t> outdated;
    {
        Statement s = c->query("SELECT id FROM split WHERE role = 1 AND near_duplicates IS NULL ORDER BY id");
        while (s.step()) outdated.push_back(s.integer(0));
    }
    if (outdated.empty()) return;
    const Snapshot snapshot(*c);
    const Texts train = textsOf(
        c->query("SELECT q.id, q.text FROM question q JOIN split s ON s.id = q.split WHERE s.role = 0 ORDER BY q.id"));
    std::int64_t done = 0;
    for (const std::int64_t split : outdated) {
        const Texts eval = textsOf(c->query("SELECT id, text FROM question WHERE split = ? ORDER BY id", split));
        const NearDuplicates near = nearDuplicates(train.texts, eval.texts, 0.6, stop);
        project.write([&](Connection& w) {
            w.run("DELETE FROM near_duplicate WHERE question IN (SELECT id FROM question WHERE split = ?)", split);
            for (const NearDuplicate& pair : near.pairs)  // a question may have gone meanwhile
                w.run(
                    "INSERT INTO near_duplicate SELECT ?1, ?2, ?3 WHERE EXISTS (SELECT 1 FROM question WHERE id = ?1) "
                    "AND EXISTS (SELECT 1 FROM question WHERE id = ?2)",
                    eval.ids[static_cast<std::size_t>(pair.eval)], train.ids[static_cast<std::size_t>(pair.train)],
                    pair.jaccard);
            w.run("UPDATE split SET near_duplicates = ? WHERE id = ?", near.evalRows, split);
        });
        if (events)
            events({.kind = EventKind::Progress,
                    .text = "sets searched for near-duplicates",
                    .stage = "near-duplicates",
                    .done = ++done,
                    .total = static_cast<std::int64_t>(outdated.size())});
    }
}

std::vector<std::int64_t> filterQuestions(Connection& c, const QuestionFilter& filter) {
    std::string sql =
        "SELECT q.id FROM question q JOIN split s ON s.id = q.split JOIN dataset d ON d.id = s.dataset WHERE " +
        std::string(kInSet);
    for (const Finding finding : filter.with) sql += " AND (" + std::string(known(finding).condition) + ")";
    for (const Finding finding : filter.without) sql += " AND NOT (" + std::string(known(finding).condition) + ")";
    for (std::size_t i = 0; i < filter.facets.size(); ++i) {
        const std::string name = "?" + std::to_string(2 + 2 * i), value = "?" + std::to_string(3 + 2 * i);
        sql += " AND EXISTS (SELECT 1 FROM json_each(q.extra) j WHERE j.key = " + name +
               " AND j.type <> 'object' AND CAST(j.atom AS TEXT) = " + value + ")";
    }
    Statement s = c.query(sql + " ORDER BY q.id");
    s.bind(1, filter.set);
    int index = 1;
    for (const auto& [name, value] : filter.facets) {
        s.bind(++index, name);
        s.bind(++index, value);
    }
    std::vector<std::int64_t> ids;
    while (s.step()) ids.push_back(s.integer(0));
    return ids;
}

std::vector<Facet> facets(Connection& c, const std::string& set, std::size_t mostValues) {
    std::map<std::string, Facet> found;
    Statement s = c.query(
        "SELECT j.key, CAST(j.atom AS TEXT), count(*) FROM question q JOIN split s ON s.id = q.split JOIN dataset d ON "
        "d.id = s.dataset, json_each(q.extra) j WHERE (?1 = '' OR d.name = ?1 OR d.name || '/' || s.name = ?1) AND "
        "j.key <> ?2 AND j.atom IS NOT NULL GROUP BY 1, 2 ORDER BY 1, 2",
        set, kOriginalKey);
    while (s.step()) {
        Facet& facet = found[s.text(0)];
        facet.name = s.text(0);
        if (facet.values.size() <= mostValues) facet.values.emplace_back(s.text(1), s.integer(2));
    }
    std::vector<Facet> result;
    for (auto& [name, facet] : found)
        if (facet.values.size() <= mostValues) result.push_back(std::move(facet));
    return result;
}

}  // namespace candor::db
