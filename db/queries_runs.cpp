// SPDX-License-Identifier: GPL-3.0-or-later
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "db/connection.h"
#include "db/pack.h"
#include "db/queries.h"

namespace candor::db {
namespace {

// Columns: set, average, name, n, kinds, value, lo, hi, reason from `first` on.
MetricRecord readMetric(const Statement& s, int first) {
    const std::int64_t kinds = s.integer(first + 4);
    const auto number = [&](int index) -> std::optional<double> {
        const Kind kind = kindAt(kinds, index);
        if (s.isNull(first + 5 + index) && kind == Kind::Plain) return std::nullopt;
        return restore(s.realOrNone(first + 5 + index), kind);
    };
    MetricRecord m;
    m.set = s.text(first);
    m.average = s.text(first + 1);
    m.name = s.text(first + 2);
    m.n = s.integer(first + 3);
    m.value = number(0).value_or(m.value);
    m.lo = number(1);
    m.hi = number(2);
    m.undefinedReason = s.text(first + 8);
    return m;
}

RunRow readRun(const Statement& s) {
    RunRow r;
    r.id = s.integer(0);
    r.method = s.text(1);
    r.budget = s.integer(2);
    r.labels = s.integer(3);
    r.seed = s.as<int>(4);
    r.selection = s.text(5);
    r.settings = s.text(6);
    r.createdMs = s.integer(7);
    r.status = s.as<RunStatus>(8);
    r.message = s.text(9);
    r.startedMs = s.integer(10);
    r.finishedMs = s.integer(11);
    r.experiment = s.integer(12);
    r.experimentName = s.text(13);
    return r;
}

#define CANDOR_RUN_COLUMNS                                                                                            \
    "SELECT r.id, r.method, r.budget, r.labels, r.seed, r.selection, r.settings, r.created_ms, s.status, s.message, " \
    "coalesce(s.started_ms, 0), coalesce(s.ended_ms, 0), e.id, e.name FROM run r JOIN run_state s ON s.id = r.id "

std::vector<RunRow> readRuns(Statement s) {
    std::vector<RunRow> rows;
    while (s.step()) rows.push_back(readRun(s));
    return rows;
}

void addMetrics(Connection& c, std::vector<RunRow>& rows) {
    Statement s = c.query(
        "SELECT \"set\", average, name, n, kinds, value, lo, hi, reason FROM metric WHERE run = ? ORDER BY seq");
    for (RunRow& row : rows) {
        s.bindAll(row.id);
        while (s.step()) row.metrics.push_back(readMetric(s, 0));
        s.reset();
    }
}

}  // namespace

std::vector<ExperimentRow> experiments(Connection& c) {
    std::vector<ExperimentRow> rows;
    Statement s = c.query(
        "SELECT e.id, e.name, e.spec, e.created_ms, count(x.run), coalesce(sum(t.status = ?), 0) FROM experiment e "
        "LEFT JOIN "
        "experiment_run x ON x.experiment = e.id LEFT JOIN run_state t ON t.id = x.run GROUP BY e.id ORDER BY e.id",
        RunStatus::Finished);
    while (s.step()) rows.push_back({s.integer(0), s.text(1), s.text(2), s.integer(3), s.integer(4), s.integer(5)});
    return rows;
}

std::vector<RunRow> runs(Connection& c, std::optional<std::int64_t> experiment) {
    const Snapshot snapshot(c);
    auto rows = experiment
                    ? readRuns(c.query(CANDOR_RUN_COLUMNS "JOIN experiment_run x ON x.run = r.id JOIN experiment e ON "
                                                          "e.id = x.experiment WHERE x.experiment = ? ORDER BY r.id",
                                       *experiment))
                    : readRuns(c.query(CANDOR_RUN_COLUMNS
                                       "JOIN experiment e ON e.id = (SELECT min(experiment) FROM experiment_run "
                                       "WHERE run = r.id) ORDER BY r.id"));
    addMetrics(c, rows);
    return rows;
}

std::vector<StepRecord> steps(Connection& c, std::int64_t run) {
    std::vector<StepRecord> rows;
    Statement s = c.query(
        "SELECT stage, epoch, step, kinds, loss, grad_norm, lr, rate FROM step WHERE attempt = "
        "(SELECT max(id) FROM attempt WHERE run = ?) ORDER BY seq",
        run);
    while (s.step()) {
        const auto number = [&](int i) { return restore(s.realOrNone(4 + i), kindAt(s.integer(3), i)); };
        rows.push_back({s.text(0), s.integer(1), s.integer(2), number(0), number(1), number(2), number(3)});
    }
    return rows;
}

std::vector<EpochRecord> epochs(Connection& c, std::int64_t run) {
    std::vector<EpochRecord> rows;
    Statement s = c.query(
        "SELECT stage, epoch, step, kinds, train_loss, holdout_loss, holdout_auroc, holdout_ece, best FROM epoch WHERE "
        "attempt = (SELECT max(id) FROM attempt WHERE run = ?) ORDER BY seq",
        run);
    while (s.step()) {
        const auto number = [&](int i) { return restore(s.realOrNone(4 + i), kindAt(s.integer(3), i)); };
        rows.push_back(
            {s.text(0), s.integer(1), s.integer(2), number(0), number(1), number(2), number(3), s.integer(8) != 0});
    }
    return rows;
}

ConfidenceColumn confidences(Connection& c, std::int64_t run) {
    ConfidenceColumn column;
    Statement s = c.query("SELECT question, kind, value FROM confidence WHERE run = ? ORDER BY question", run);
    while (s.step()) {
        column.question.push_back(s.integer(0));
        column.confidence.push_back(restore(s.realOrNone(2), s.as<Kind>(1)));
    }
    return column;
}

std::vector<std::int64_t> subset(Connection& c, std::int64_t run) {
    Statement s = c.query("SELECT questions FROM subset WHERE run = ?", run);
    return s.step() ? unpackIntegers(s.view(0)) : std::vector<std::int64_t>();
}

std::string provenance(Connection& c, std::int64_t run) {
    return c.text("SELECT json FROM provenance WHERE run = ? ORDER BY id DESC LIMIT 1", run).value_or("");
}

}  // namespace candor::db
