// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractTableModel>
#include <QString>
#include <functional>
#include <memory>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "ui/models/cell_table.h"
#include "ui/models/question_order.h"

namespace candor::ui {

// What the table shows of a question besides numbers.
struct QuestionTextRow {
    QString question, gold, answer;
};

// Evaluation questions of a run. Numbers are columns in memory; texts are asked for by textsNeeded() as rows become
// visible, given back with addTexts() and kept in bounded number, so that half a million rows scroll.
class QuestionTable : public QAbstractTableModel {
    Q_OBJECT
  public:
    explicit QuestionTable(QObject* parent = nullptr);

    using Rows = std::shared_ptr<const db::ScoredColumn>;
    void setRows(Rows rows, std::vector<std::int32_t> order);  // resets; texts stay
    void addTexts(std::vector<std::pair<std::int64_t, QuestionTextRow>> texts);
    void unask(const std::vector<std::int64_t>& questions);  // dropped requests: ask again when seen
    void forgetTexts();                                      // another model's answers
    std::int64_t questionAt(int row) const;                  // 0: none
    int rowOf(std::int64_t question) const;                  // -1: none
    const Rows& rows() const { return rows_; }

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    void sort(int column, Qt::SortOrder order) override;  // only asks: the order is computed on another thread

  signals:
    void textsNeeded(const std::vector<std::int64_t>& questions);
    void sortAsked(int column, Qt::SortOrder order);

  private:
    void need(int row) const;
    QVariant number(std::size_t i, QuestionColumn column, int role) const;

    Rows rows_;
    std::vector<std::int32_t> order_;
    std::unordered_map<std::int64_t, QuestionTextRow> texts_;
    mutable std::unordered_set<std::int64_t> asked_, waiting_;
};

}  // namespace candor::ui
