// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/question_order.h"

#include <algorithm>
#include <cmath>

#include "ui/models/format.h"

namespace candor::ui {

namespace {

constexpr std::size_t kBlock = 2000;

}  // namespace

void QuestionTexts::read(db::Connection& connection, const std::vector<std::int64_t>& ids) {
    std::vector<std::int64_t> missing;
    for (const std::int64_t id : ids)
        if (!texts_.contains(id)) missing.push_back(id);
    for (std::size_t at = 0; at < missing.size(); at += kBlock) {
        const auto end = missing.begin() + static_cast<std::ptrdiff_t>(std::min(missing.size(), at + kBlock));
        const std::vector<std::int64_t> block(missing.begin() + static_cast<std::ptrdiff_t>(at), end);
        for (const db::QuestionRow& row : db::questions(connection, block)) {
            QString text = toQt(row.text).replace(QLatin1Char('\n'), QLatin1Char(' '));
            for (const std::string& gold : row.gold) text += QLatin1Char('\n') + toQt(gold);
            texts_[row.id] = text.toLower();
        }
    }
}

void QuestionTexts::sort(db::Connection& connection, const db::ScoredColumn& rows, QuestionColumn column,
                         bool descending, std::vector<std::int32_t>& order) {
    std::vector<std::int64_t> ids;
    for (const std::int32_t i : order) ids.push_back(rows.question[static_cast<std::size_t>(i)]);
    read(connection, ids);
    const auto key = [&](std::int32_t i) {
        const QString& text = texts_[rows.question[static_cast<std::size_t>(i)]];
        const auto end = text.indexOf(QLatin1Char('\n'));  // gold answers follow the question, a line each
        if (column == QuestionColumn::Question) return QStringView(text).left(end < 0 ? text.size() : end);
        return end < 0 ? QStringView() : QStringView(text).mid(end + 1);
    };
    std::stable_sort(order.begin(), order.end(),
                     [&](std::int32_t a, std::int32_t b) { return descending ? key(b) < key(a) : key(a) < key(b); });
}

std::vector<bool> QuestionTexts::holding(db::Connection& connection, const std::vector<std::int64_t>& ids,
                                         const QString& needle) {
    read(connection, ids);
    std::vector<bool> result(ids.size());
    for (std::size_t i = 0; i < ids.size(); ++i) {
        const auto text = texts_.find(ids[i]);
        result[i] = text != texts_.end() && text->second.contains(needle);
    }
    return result;
}

std::vector<std::int32_t> orderQuestions(const db::ScoredColumn& rows, const QuestionFilter& filter,
                                         QuestionColumn column, bool descending) {
    std::vector<char> setPasses;
    for (std::size_t s = 0; s < rows.sets.size(); ++s)
        setPasses.push_back(covers(filter.set, rows.sets[s], s < rows.domains.size() ? rows.domains[s] : Domain::None));
    std::vector<std::int32_t> order;
    for (std::size_t i = 0; i < rows.question.size(); ++i) {
        if (!setPasses[static_cast<std::size_t>(rows.set[i])]) continue;
        if (filter.correct && *filter.correct != (rows.correct[i] > 0.5)) continue;
        if (filter.only && !filter.only->contains(rows.question[i])) continue;
        order.push_back(static_cast<std::int32_t>(i));
    }
    std::vector<double> key(rows.question.size());
    for (const std::int32_t row : order) {
        const auto i = static_cast<std::size_t>(row);
        switch (column) {
            case QuestionColumn::Set:
                key[i] = rows.set[i];
                break;
            case QuestionColumn::Confidence:
                key[i] = rows.confidence[i];
                break;
            case QuestionColumn::Correct:
                key[i] = rows.correct[i];
                break;
            case QuestionColumn::Overconfidence:
                key[i] = overconfidence(rows, i);
                break;
            default:
                key[i] = static_cast<double>(i);  // QuestionTexts::sort() knows the texts
        }
    }
    std::stable_sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) {
        const double x = key[static_cast<std::size_t>(a)], y = key[static_cast<std::size_t>(b)];
        if (std::isnan(x) || std::isnan(y)) return !std::isnan(x) && std::isnan(y);
        return descending ? x > y : x < y;
    });
    return order;
}

}  // namespace candor::ui
