// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "db/queries.h"
#include "ui/models/project_data.h"

namespace candor::ui {

enum class QuestionColumn { Set, Question, Gold, Answer, Confidence, Correct, Overconfidence };
inline constexpr int kQuestionColumns = 7;

struct QuestionFilter {
    QString text;  // in question or gold answers, case ignored
    SetChoice set{SetChoice::Kind::All, {}, true};
    std::optional<bool> correct;
    std::optional<std::unordered_set<std::int64_t>> only;  // a selection of a plot
};

// Confidence minus correctness: 1 is sure and wrong, -1 is unsure and right.
inline double overconfidence(const db::ScoredColumn& rows, std::size_t i) {
    return rows.confidence[i] - rows.correct[i];
}

// Texts of questions in lower case, read once for all filters. One thread at a time.
class QuestionTexts {
  public:
    // Which of `ids` hold `needle` (lower case) in the question or a gold answer.
    std::vector<bool> holding(db::Connection& connection, const std::vector<std::int64_t>& ids, const QString& needle);
    // Sorts indices into rows.question by the question's text or its gold answers, case ignored; ties keep their order.
    void sort(db::Connection& connection, const db::ScoredColumn& rows, QuestionColumn column, bool descending,
              std::vector<std::int32_t>& order);

  private:
    void read(db::Connection& connection, const std::vector<std::int64_t>& ids);
    std::unordered_map<std::int64_t, QString> texts_;
};

// Rows that pass the filter but for its text, sorted; NaN last both ways, ties in stored order. Pure.
std::vector<std::int32_t> orderQuestions(const db::ScoredColumn& rows, const QuestionFilter& filter,
                                         QuestionColumn column, bool descending);

}  // namespace candor::ui
