// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/question_table.h"

#include <QTimer>
#include <algorithm>

#include "ui/models/format.h"

namespace candor::ui {

namespace {

constexpr int kAhead = 32;           // rows read on either side of a visible one
constexpr std::size_t kKept = 8192;  // texts in memory

}  // namespace

QuestionTable::QuestionTable(QObject* parent) : QAbstractTableModel(parent) {}

void QuestionTable::setRows(Rows rows, std::vector<std::int32_t> order) {
    beginResetModel();
    rows_ = std::move(rows);
    order_ = std::move(order);
    asked_.clear();
    endResetModel();
}

void QuestionTable::addTexts(std::vector<std::pair<std::int64_t, QuestionTextRow>> texts) {
    if (texts_.size() + texts.size() > kKept) texts_.clear();
    for (auto& [id, text] : texts) {
        asked_.erase(id);
        texts_[id] = std::move(text);
    }
    if (rowCount() > 0)  // views repaint only what they show
        emit dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1), {Qt::DisplayRole});
}

void QuestionTable::unask(const std::vector<std::int64_t>& questions) {
    for (const std::int64_t id : questions) asked_.erase(id);
}

void QuestionTable::forgetTexts() {
    texts_.clear();
    asked_.clear();
}

std::int64_t QuestionTable::questionAt(int row) const {
    if (!rows_ || row < 0 || row >= rowCount()) return 0;
    return rows_->question[static_cast<std::size_t>(order_[static_cast<std::size_t>(row)])];
}

int QuestionTable::rowOf(std::int64_t question) const {
    for (int row = 0; row < rowCount(); ++row)
        if (questionAt(row) == question) return row;
    return -1;
}

int QuestionTable::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(order_.size());
}

int QuestionTable::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : kQuestionColumns; }

// Views ask cell by cell while they paint; the rows around are collected and asked for once, after the paint.
void QuestionTable::need(int row) const {
    const int first = std::max(0, row - kAhead), last = std::min(rowCount() - 1, row + kAhead);
    const bool wake = waiting_.empty();
    for (int r = first; r <= last; ++r) {
        const std::int64_t id = questionAt(r);
        if (!texts_.contains(id) && asked_.insert(id).second) waiting_.insert(id);
    }
    if (!wake || waiting_.empty()) return;
    auto* self = const_cast<QuestionTable*>(this);
    QTimer::singleShot(0, self, [self] {
        const std::vector<std::int64_t> ids(self->waiting_.begin(), self->waiting_.end());
        self->waiting_.clear();
        emit self->textsNeeded(ids);
    });
}

QVariant QuestionTable::number(std::size_t i, QuestionColumn column, int role) const {
    const double confidence = rows_->confidence[i];
    const bool right = rows_->correct[i] > 0.5;
    if (column == QuestionColumn::Correct) {
        Cell cell = Cell::ofText(right ? tr("right") : tr("wrong"));
        cell.tone = right ? TonePositive : ToneNegative;
        cell.sort = right ? 1.0 : 0.0;
        return cellData(cell, false, role);
    }
    Cell cell = Cell::ofMetric(column == QuestionColumn::Confidence ? confidence : overconfidence(*rows_, i));
    if (column == QuestionColumn::Overconfidence && cell.sort.isValid() && overconfidence(*rows_, i) > 0)
        cell.text.prepend(QLatin1Char('+'));
    return cellData(cell, true, role);
}

QVariant QuestionTable::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || index.row() >= rowCount()) return {};
    const auto i = static_cast<std::size_t>(order_[static_cast<std::size_t>(index.row())]);
    const auto column = static_cast<QuestionColumn>(index.column());
    if (role == KeyRole) return QVariant::fromValue<qint64>(rows_->question[i]);
    if (column >= QuestionColumn::Confidence) return number(i, column, role);
    if (column == QuestionColumn::Set) {
        Cell cell = Cell::ofText(toQt(rows_->sets[static_cast<std::size_t>(rows_->set[i])]));
        cell.tone = ToneSecondary;
        return cellData(cell, false, role);
    }
    const auto text = texts_.find(rows_->question[i]);
    if (text == texts_.end()) {
        if (role == Qt::DisplayRole) need(index.row());
        return cellData({QString(QChar(0x2026)), {}, {}, {}, ToneSecondary, {}}, false, role);
    }
    const QuestionTextRow& row = text->second;
    const QString& shown = column == QuestionColumn::Question ? row.question
                           : column == QuestionColumn::Gold   ? row.gold
                                                              : row.answer;
    return cellData(Cell::ofText(shown, role == Qt::ToolTipRole ? shown.left(2000) : QString()), false, role);
}

QVariant QuestionTable::headerData(int section, Qt::Orientation orientation, int role) const {
    static const char* const titles[] = {"Set",        "Question", "Gold answer", "Greedy answer",
                                         "Confidence", "Correct",  "Over"};
    if (orientation != Qt::Horizontal || section < 0 || section >= kQuestionColumns) return {};
    if (role == Qt::DisplayRole) return tr(titles[section]);
    if (role == Qt::ToolTipRole && section == static_cast<int>(QuestionColumn::Overconfidence))
        return tr("Confidence minus correctness");
    const bool numeric = section == static_cast<int>(QuestionColumn::Confidence) ||
                         section == static_cast<int>(QuestionColumn::Overconfidence);
    if (role == Qt::TextAlignmentRole)
        return QVariant::fromValue(Qt::Alignment(Qt::AlignVCenter | (numeric ? Qt::AlignRight : Qt::AlignLeft)));
    return {};
}

void QuestionTable::sort(int column, Qt::SortOrder order) { emit sortAsked(column, order); }

}  // namespace candor::ui
