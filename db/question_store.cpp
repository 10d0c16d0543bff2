// SPDX-License-Identifier: GPL-3.0-or-later
#include "db/question_store.h"

#include <nlohmann/json.hpp>

#include "core/data/checks.h"
#include "db/connection.h"
#include "db/pack.h"

namespace candor::db {
namespace {

constexpr std::int64_t kEmptyGold = 1, kGoldInQuestion = 2, kFunctionWordGold = 4;  // flags on disk

std::int64_t flagsOf(const std::string& question, const std::vector<std::string>& gold) {
    const RowFindings found = checkRow(question, gold);
    return (found.emptyGold || found.noGold ? kEmptyGold : 0) | (found.goldInQuestion ? kGoldInQuestion : 0) |
           (found.functionWordGold ? kFunctionWordGold : 0);
}

void recountOverlap(Connection& c, std::int64_t split) {
    c.run(
        "UPDATE split SET overlap = CASE role WHEN 0 THEN 0 ELSE (SELECT count(*) FROM question q WHERE "
        "q.split = split.id AND EXISTS (SELECT 1 FROM question t JOIN split s ON s.id = t.split "
        "WHERE t.text_hash = q.text_hash AND s.role = 0)) END WHERE id = ?",
        split);
}

}  // namespace

std::optional<SplitRow> findSplit(Connection& c, const std::string& dataset, const std::string& split) {
    Statement s = c.query(
        "SELECT s.id, s.role, s.domain FROM split s JOIN dataset d ON d.id = s.dataset "
        "WHERE d.name = ? AND s.name = ?",
        dataset, split);
    if (!s.step()) return std::nullopt;
    return SplitRow{s.integer(0), s.as<Role>(1), s.as<Domain>(2)};
}

std::int64_t makeSplit(Connection& c, const std::string& dataset, const std::string& split, Role role, Domain domain) {
    const auto found = findSplit(c, dataset, split);
    if (!found) {
        c.run("INSERT INTO dataset(name) VALUES(?) ON CONFLICT DO NOTHING", dataset);
        c.run("INSERT INTO split(dataset, name, role, domain) SELECT id, ?, ?, ? FROM dataset WHERE name = ?", split,
              role, domain, dataset);
        return findSplit(c, dataset, split).value().id;
    }
    const std::string name = dataset + "/" + split;
    if (found->role != role)
        throw InputError("conflict", name + " is " + (found->role == Role::Train ? "a training" : "an evaluation") +
                                         " split in this project: import under another split name, or with that role");
    if (domain == Domain::None || domain == found->domain) return found->id;
    if (found->domain != Domain::None)
        throw InputError("conflict", name + " is " + (found->domain == Domain::In ? "in-domain" : "out-of-domain") +
                                         " in this project: import with that domain, or without one");
    c.run("UPDATE split SET domain = ? WHERE id = ?", domain, found->id);
    return found->id;
}

std::string goldToJson(const std::vector<std::string>& gold) {
    return nlohmann::json(gold).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::vector<std::string> goldFromJson(std::string_view json) {
    return nlohmann::json::parse(json).get<std::vector<std::string>>();
}

std::optional<StoredQuestion> questionAt(Connection& c, std::int64_t split, std::int64_t row) {
    Statement s = c.query("SELECT id, text, gold, extra FROM question WHERE split = ? AND row = ?", split, row);
    if (!s.step()) return std::nullopt;
    return StoredQuestion{s.integer(0), s.text(1), s.text(2), s.text(3)};
}

std::optional<std::int64_t> addQuestion(Connection& c, std::int64_t split, std::int64_t row, const Record& record,
                                        std::int64_t import) {
    const auto extra = record.extra.empty() ? std::nullopt : std::optional(record.extra);
    c.run(
        "INSERT INTO question(split, row, flags, text_hash, gold_hash, import, text, gold, extra) "
        "VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
        split, row, flagsOf(record.question, record.gold), textHash(record.question), setHash(record.gold), import,
        record.question, goldToJson(record.gold), extra);
    if (c.changes() == 0) return std::nullopt;
    return c.lastId();
}

void recountQuestions(Connection& c, std::int64_t split) {
    c.run(
        "UPDATE split SET (rows, duplicates, empty_gold, gold_in_question, function_word_gold) = (SELECT count(*), "
        "count(*) - count(DISTINCT text_hash), coalesce(sum(flags & 1), 0), coalesce(sum((flags >> 1) & 1), 0), "
        "coalesce(sum((flags >> 2) & 1), 0) "
        "FROM question WHERE split = ?1) WHERE id = ?1",
        split);
    c.run(
        "UPDATE split SET conflicting = (SELECT count(*) FROM (SELECT 1 FROM question WHERE split = ?1 "
        "GROUP BY text_hash HAVING min(gold_hash) <> max(gold_hash))) WHERE id = ?1",
        split);
    std::vector<std::int64_t> touched;
    {
        Statement s = c.query(
            "SELECT id FROM split WHERE id = ?1 OR (role = 1 AND (SELECT role FROM split WHERE id = ?1) = 0)", split);
        while (s.step()) touched.push_back(s.integer(0));
    }
    for (const std::int64_t id : touched) {
        recountOverlap(c, id);
        c.run("UPDATE split SET near_duplicates = NULL WHERE id = ?", id);
    }
}

void refreshFlags(Connection& c) {
    Statement all = c.query("SELECT id, text, gold, flags FROM question");
    Statement change = c.query("UPDATE question SET flags = ? WHERE id = ?");
    while (all.step()) {
        const std::int64_t flags = flagsOf(all.text(1), goldFromJson(all.view(2)));
        if (flags == all.integer(3)) continue;
        change.bindAll(flags, all.integer(0));
        change.run();
    }
    c.run(
        "UPDATE split SET (empty_gold, gold_in_question, function_word_gold) = (SELECT coalesce(sum(flags & 1), 0), "
        "coalesce(sum((flags >> 1) & 1), 0), coalesce(sum((flags >> 2) & 1), 0) FROM question q WHERE "
        "q.split = split.id)");
}

}  // namespace candor::db
