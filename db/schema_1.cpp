// SPDX-License-Identifier: GPL-3.0-or-later
#include "db/connection.h"
#include "db/filesystem.h"
#include "db/schema.h"

// The first schema. Released files have it: never edit it, add a step to migrations() instead.
namespace candor::db {
namespace {

constexpr const char* kData = R"sql(
CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;

CREATE TABLE dataset(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT;
CREATE TABLE split(
  id INTEGER PRIMARY KEY, dataset INTEGER NOT NULL REFERENCES dataset, name TEXT NOT NULL,
  role INTEGER NOT NULL CHECK(role IN (0, 1)), domain INTEGER NOT NULL CHECK(domain IN (0, 1, 2)),
  rows INTEGER NOT NULL DEFAULT 0, duplicates INTEGER NOT NULL DEFAULT 0, conflicting INTEGER NOT NULL DEFAULT 0,
  empty_gold INTEGER NOT NULL DEFAULT 0, gold_in_question INTEGER NOT NULL DEFAULT 0,
  overlap INTEGER NOT NULL DEFAULT 0, UNIQUE(dataset, name)) STRICT;
CREATE TABLE import(
  id INTEGER PRIMARY KEY, at_ms INTEGER NOT NULL, split INTEGER NOT NULL REFERENCES split, model TEXT NOT NULL,
  files TEXT NOT NULL, options TEXT NOT NULL) STRICT;
CREATE TABLE import_end(
  import INTEGER PRIMARY KEY REFERENCES import, at_ms INTEGER NOT NULL, report TEXT NOT NULL) STRICT;
-- flags: 1 no gold answer, 2 a gold answer stands in the question.
CREATE TABLE question(
  id INTEGER PRIMARY KEY, split INTEGER NOT NULL REFERENCES split, row INTEGER NOT NULL,
  flags INTEGER NOT NULL, text_hash INTEGER NOT NULL, gold_hash INTEGER NOT NULL, import INTEGER,
  text TEXT NOT NULL, gold TEXT NOT NULL, extra TEXT, UNIQUE(split, row)) STRICT;
CREATE INDEX question_text ON question(text_hash, split);
CREATE TABLE slice(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, filter TEXT NOT NULL, at_ms INTEGER NOT NULL) STRICT;

CREATE TABLE model(
  id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, content_hash TEXT NOT NULL DEFAULT '',
  path TEXT NOT NULL DEFAULT '') STRICT;
-- settings: decoding as JSON; of generated answers with k in it, since k is part of what a set is.
CREATE TABLE answer_set(
  id INTEGER PRIMARY KEY, model INTEGER NOT NULL REFERENCES model, prompt_hash TEXT NOT NULL, settings TEXT NOT NULL,
  k INTEGER NOT NULL, created_ms INTEGER NOT NULL, UNIQUE(model, prompt_hash, settings)) STRICT;
-- tokens, logprob_sum: of greedy_logprobs. kinds: of logprob_sum, cumulative. extra NULL: as the question's.
CREATE TABLE answer(
  id INTEGER PRIMARY KEY, question INTEGER NOT NULL REFERENCES question, answer_set INTEGER NOT NULL REFERENCES answer_set,
  tokens INTEGER NOT NULL, sample_count INTEGER NOT NULL, kinds INTEGER NOT NULL, logprob_sum REAL, cumulative REAL,
  import INTEGER, greedy TEXT, extra TEXT, UNIQUE(question, answer_set)) STRICT;
-- Apart from the rest, so that what goes over all answers reads a few bytes a row.
CREATE TABLE answer_body(
  answer INTEGER PRIMARY KEY REFERENCES answer ON DELETE CASCADE, token_ids BLOB NOT NULL, logprobs BLOB NOT NULL,
  samples BLOB NOT NULL) STRICT;
CREATE TABLE answer_stat(
  answer_set INTEGER NOT NULL REFERENCES answer_set, split INTEGER NOT NULL REFERENCES split,
  answered INTEGER NOT NULL, k INTEGER NOT NULL, PRIMARY KEY(answer_set, split)) STRICT, WITHOUT ROWID;

CREATE TABLE label_set(
  id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, settings TEXT NOT NULL, created_ms INTEGER NOT NULL) STRICT;
CREATE TABLE judgement(
  label_set INTEGER NOT NULL REFERENCES label_set, answer_set INTEGER NOT NULL REFERENCES answer_set,
  question INTEGER NOT NULL REFERENCES question, greedy INTEGER, correct BLOB, agreement BLOB, import INTEGER,
  PRIMARY KEY(label_set, answer_set, question)) STRICT, WITHOUT ROWID;
CREATE INDEX judgement_question ON judgement(question);
-- correctness, agreement: rows that have such verdicts, parsed or not; *_count: with a parsed one.
CREATE TABLE judgement_stat(
  label_set INTEGER NOT NULL REFERENCES label_set, answer_set INTEGER NOT NULL REFERENCES answer_set,
  split INTEGER NOT NULL REFERENCES split, correctness INTEGER NOT NULL, agreement INTEGER NOT NULL,
  greedy_count INTEGER NOT NULL,
  greedy_yes INTEGER NOT NULL, share_count INTEGER NOT NULL, share_sum REAL NOT NULL,
  agreement_count INTEGER NOT NULL, agreement_sum REAL NOT NULL,
  PRIMARY KEY(label_set, answer_set, split)) STRICT, WITHOUT ROWID;
-- What a judge model said, word for word. kind: 0 correctness, 1 agreement. sample -1: the greedy answer.
CREATE TABLE verdict_text(
  label_set INTEGER NOT NULL REFERENCES label_set, answer_set INTEGER NOT NULL REFERENCES answer_set,
  question INTEGER NOT NULL REFERENCES question, kind INTEGER NOT NULL, sample INTEGER NOT NULL, text TEXT NOT NULL,
  PRIMARY KEY(label_set, answer_set, question, kind, sample)) STRICT, WITHOUT ROWID;
)sql";

// A person's decisions. verdict NULL: skipped or taken back. The newest row of an item is its state.
constexpr const char* kHuman = R"sql(
CREATE TABLE draw(
  id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, rule TEXT NOT NULL, seed INTEGER NOT NULL, settings TEXT NOT NULL,
  at_ms INTEGER NOT NULL) STRICT;
CREATE TABLE draw_item(
  draw INTEGER NOT NULL REFERENCES draw, position INTEGER NOT NULL, question INTEGER NOT NULL REFERENCES question,
  answer_set INTEGER NOT NULL REFERENCES answer_set, probability REAL, PRIMARY KEY(draw, position),
  UNIQUE(draw, question, answer_set)) STRICT, WITHOUT ROWID;
CREATE TABLE human_label(
  id INTEGER PRIMARY KEY, question INTEGER NOT NULL REFERENCES question,
  answer_set INTEGER NOT NULL REFERENCES answer_set, kind INTEGER NOT NULL, sample INTEGER NOT NULL, verdict INTEGER,
  state TEXT NOT NULL, annotator TEXT NOT NULL, at_ms INTEGER NOT NULL, seconds REAL, note TEXT NOT NULL,
  previous INTEGER REFERENCES human_label, draw INTEGER REFERENCES draw) STRICT;
CREATE INDEX human_label_item ON human_label(question, answer_set, kind, sample);
CREATE VIEW human_current AS
  SELECT * FROM human_label WHERE id IN (SELECT max(id) FROM human_label GROUP BY question, answer_set, kind, sample);
CREATE TRIGGER human_label_kept BEFORE UPDATE ON human_label BEGIN SELECT raise(ABORT, 'labels are a log'); END;
CREATE TRIGGER human_label_stays BEFORE DELETE ON human_label BEGIN SELECT raise(ABORT, 'labels are a log'); END;
)sql";

constexpr const char* kRuns = R"sql(
CREATE TABLE experiment(
  id INTEGER PRIMARY KEY, name TEXT NOT NULL, spec TEXT NOT NULL UNIQUE, created_ms INTEGER NOT NULL) STRICT;
CREATE TABLE run(
  id INTEGER PRIMARY KEY, identity TEXT NOT NULL UNIQUE, method TEXT NOT NULL, budget INTEGER NOT NULL,
  labels INTEGER NOT NULL, seed INTEGER NOT NULL, selection TEXT NOT NULL, settings TEXT NOT NULL,
  model TEXT NOT NULL, k INTEGER NOT NULL, agreement TEXT NOT NULL, correctness TEXT NOT NULL,
  created_ms INTEGER NOT NULL) STRICT;
CREATE TABLE experiment_run(
  experiment INTEGER NOT NULL REFERENCES experiment, run INTEGER NOT NULL REFERENCES run,
  PRIMARY KEY(experiment, run)) STRICT, WITHOUT ROWID;
CREATE INDEX experiment_of_run ON experiment_run(run, experiment);

-- Both are logs. An attempt without an end runs as long as its process holds the lock file.
CREATE TABLE attempt(
  id INTEGER PRIMARY KEY, run INTEGER NOT NULL REFERENCES run, host TEXT NOT NULL, pid INTEGER NOT NULL,
  started_ms INTEGER NOT NULL, lock TEXT NOT NULL) STRICT;
CREATE INDEX attempt_run ON attempt(run, id);
CREATE TABLE attempt_end(
  id INTEGER PRIMARY KEY, attempt INTEGER NOT NULL REFERENCES attempt, status INTEGER NOT NULL, message TEXT NOT NULL,
  at_ms INTEGER NOT NULL) STRICT;
CREATE INDEX attempt_end_attempt ON attempt_end(attempt, id);
CREATE VIEW attempt_state AS
  SELECT a.id, a.run, a.host, a.pid, a.started_ms, a.lock, coalesce(e.status, 2) AS status,
         coalesce(e.message, '') AS message, e.at_ms AS ended_ms
  FROM attempt a LEFT JOIN attempt_end e ON e.id = (SELECT max(id) FROM attempt_end WHERE attempt = a.id);
CREATE VIEW run_state AS
  SELECT r.id, s.id AS attempt, coalesce(s.status, 0) AS status, coalesce(s.message, '') AS message, s.started_ms,
         s.ended_ms
  FROM run r LEFT JOIN attempt_state s ON s.id = (SELECT max(id) FROM attempt WHERE run = r.id);

-- kinds: two bits a number in column order, see pack.h.
CREATE TABLE step(
  attempt INTEGER NOT NULL REFERENCES attempt, seq INTEGER NOT NULL, stage TEXT NOT NULL, epoch INTEGER NOT NULL,
  step INTEGER NOT NULL, kinds INTEGER NOT NULL, loss REAL, grad_norm REAL, lr REAL, rate REAL,
  PRIMARY KEY(attempt, seq)) STRICT, WITHOUT ROWID;
CREATE TABLE epoch(
  attempt INTEGER NOT NULL REFERENCES attempt, seq INTEGER NOT NULL, stage TEXT NOT NULL, epoch INTEGER NOT NULL,
  step INTEGER NOT NULL, best INTEGER NOT NULL, kinds INTEGER NOT NULL, train_loss REAL, holdout_loss REAL,
  holdout_auroc REAL, holdout_ece REAL, PRIMARY KEY(attempt, seq)) STRICT, WITHOUT ROWID;
CREATE TABLE checkpoint(
  id INTEGER PRIMARY KEY, attempt INTEGER NOT NULL REFERENCES attempt, stage TEXT NOT NULL, epoch INTEGER NOT NULL,
  step INTEGER NOT NULL, path TEXT NOT NULL, content_hash TEXT NOT NULL, bytes INTEGER NOT NULL, note TEXT NOT NULL,
  at_ms INTEGER NOT NULL) STRICT;
CREATE INDEX checkpoint_attempt ON checkpoint(attempt);
CREATE TABLE message(
  id INTEGER PRIMARY KEY, attempt INTEGER NOT NULL REFERENCES attempt, at_ms INTEGER NOT NULL, level INTEGER NOT NULL,
  text TEXT NOT NULL) STRICT;
CREATE INDEX message_attempt ON message(attempt);
CREATE TABLE provenance(
  id INTEGER PRIMARY KEY, run INTEGER NOT NULL REFERENCES run, at_ms INTEGER NOT NULL, json TEXT NOT NULL) STRICT;
CREATE INDEX provenance_run ON provenance(run, id);
CREATE TABLE subset(run INTEGER PRIMARY KEY REFERENCES run, questions BLOB NOT NULL) STRICT;
CREATE TABLE confidence(
  run INTEGER NOT NULL REFERENCES run, question INTEGER NOT NULL REFERENCES question, kind INTEGER NOT NULL, value REAL,
  PRIMARY KEY(run, question)) STRICT, WITHOUT ROWID;
CREATE TABLE metric(
  run INTEGER NOT NULL REFERENCES run, seq INTEGER NOT NULL, "set" TEXT NOT NULL, average TEXT NOT NULL,
  name TEXT NOT NULL, n INTEGER NOT NULL, kinds INTEGER NOT NULL, value REAL, lo REAL, hi REAL, reason TEXT NOT NULL,
  PRIMARY KEY(run, seq)) STRICT, WITHOUT ROWID;
CREATE TABLE state_file(
  key TEXT PRIMARY KEY, path TEXT NOT NULL, bytes INTEGER NOT NULL, settings TEXT NOT NULL, at_ms INTEGER NOT NULL)
  STRICT, WITHOUT ROWID;
CREATE TABLE recipe(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, json TEXT NOT NULL, at_ms INTEGER NOT NULL) STRICT;
)sql";

}  // namespace

void createSchema1(Connection& c) {
    c.script(kData);
    c.script(kHuman);
    c.script(kRuns);
    c.run("INSERT INTO meta(key, value) VALUES('id', ?)", randomId());
    c.run("INSERT INTO meta(key, value) VALUES('created_ms', ?)", std::to_string(nowMs()));
    c.script("PRAGMA application_id = " + std::to_string(kApplicationId));
}

}  // namespace candor::db
