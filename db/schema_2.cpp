// SPDX-License-Identifier: GPL-3.0-or-later
#include "db/connection.h"
#include "db/question_store.h"
#include "db/schema.h"

// The second schema: gold answers of function words, near-duplicates. Never edit it, add a step to migrations().
namespace candor::db {

// near_duplicates NULL: not looked for since questions came or went. question.flags: 4 is new, a gold answer of
// function words.
void createSchema2(Connection& c) {
    c.script(R"sql(
ALTER TABLE split ADD COLUMN function_word_gold INTEGER NOT NULL DEFAULT 0;
ALTER TABLE split ADD COLUMN near_duplicates INTEGER;
CREATE TABLE near_duplicate(
  question INTEGER PRIMARY KEY REFERENCES question ON DELETE CASCADE,
  train INTEGER NOT NULL REFERENCES question ON DELETE CASCADE, jaccard REAL NOT NULL) STRICT;
CREATE INDEX near_duplicate_train ON near_duplicate(train);
)sql");
    refreshFlags(c);
}

}  // namespace candor::db
