// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <random>

#include "core/llm/torch/attention_plan.h"
#include "core/llm/torch/packing.h"
#include "tests/testing.h"

using candor::Packed;
using candor::TokenRow;
using Ids = std::vector<std::int32_t>;

namespace {

std::vector<const TokenRow*> pointers(const std::vector<TokenRow>& rows) {
    std::vector<const TokenRow*> result;
    for (const auto& row : rows) result.push_back(&row);
    return result;
}

// The tokens that a packed token sees, itself included: its prompt up to there.
Ids history(const Packed& packed, std::int64_t token) {
    Ids ids;
    auto end = token + 1;
    for (auto at = packed.segmentOf[token]; at >= 0; at = packed.segments[at].parent) {
        for (auto i = std::min(end, packed.segments[at].end); i-- > packed.segments[at].begin;)
            ids.push_back(static_cast<std::int32_t>(packed.ids[i]));
        end = packed.segments[at].begin;
    }
    std::reverse(ids.begin(), ids.end());
    return ids;
}

std::vector<TokenRow> randomRows(std::mt19937& random, int count) {
    std::vector<TokenRow> rows;
    for (int i = 0; i < count; ++i) {
        Ids ids = {7, 7};
        const auto length = random() % 6 + (random() % 4 == 0 ? 0 : 1);
        for (std::size_t j = 0; j < length; ++j) ids.push_back(static_cast<std::int32_t>(random() % 2));
        if (random() % 9 == 0) ids = {static_cast<std::int32_t>(random() % 2)};
        TokenRow row{ids};
        if (random() % 3 == 0) row.padPosition = 20 + random() % 2, row.padId = 99;
        rows.push_back(row);
    }
    return rows;
}

}  // namespace

class PackingTest : public QObject {
    Q_OBJECT

  private slots:
    void everyRowFindsItsTokens() {
        std::mt19937 random(1);
        for (int round = 0; round < 300; ++round) {
            const auto rows = randomRows(random, 1 + round % 12);
            const Packed packed = candor::pack(pointers(rows), round % 5 != 0);
            for (std::size_t i = 0; i < rows.size(); ++i) {
                Ids want = rows[i].ids;
                if (rows[i].padPosition >= 0) want.push_back(rows[i].padId);
                QVERIFY(history(packed, packed.read[i]) == want);
                const auto position =
                    rows[i].padPosition >= 0 ? rows[i].padPosition : std::int64_t(rows[i].ids.size()) - 1;
                QCOMPARE(packed.positions[packed.read[i]], position);
                QCOMPARE(packed.blind[packed.read[i]] != 0, rows[i].padPosition >= 0);
            }
            for (std::size_t i = 0; i < packed.segments.size(); ++i)
                QVERIFY(packed.segments[i].parent < static_cast<std::int64_t>(i) &&
                        packed.segments[i].begin < packed.segments[i].end);
        }
    }

    void sharedTokensAreThereOnce() {
        const std::vector<TokenRow> rows = {{{1, 2, 3, 4}}, {{1, 2, 3, 5, 6}}, {{1, 2, 3, 4}}, {{1, 2}}, {{9}}};
        QCOMPARE(candor::pack(pointers(rows)).tokens(), std::int64_t(7));
        QCOMPARE(candor::pack(pointers(rows), false).tokens(), std::int64_t(16));
    }

    void batchesHoldEveryRowOnceAndStaySmall() {
        std::mt19937 random(2);
        const auto rows = randomRows(random, 200);
        const auto all = pointers(rows);
        std::vector<int> seen(rows.size());
        for (const auto& batch : candor::planBatches(all, 12, 5)) {
            QVERIFY(!batch.empty() && batch.size() <= 5);
            std::vector<const TokenRow*> members;
            for (const auto row : batch) {
                ++seen[row];
                members.push_back(all[row]);
            }
            QVERIFY(batch.size() == 1 || candor::pack(members).tokens() <= 12);
        }
        QVERIFY(std::all_of(seen.begin(), seen.end(), [](int count) { return count == 1; }));
    }

    // The plan lets each query see exactly its history; a pad read-out not itself; a window the nearest only.
    void plansSeeTheHistory() {
        std::mt19937 random(3);
        for (int round = 0; round < 100; ++round) {
            const auto rows = randomRows(random, 6);
            const Packed packed = candor::pack(pointers(rows));
            const std::int64_t window = round % 2 ? 3 : 0;
            const auto plan = candor::planAttention(packed, false, window);
            std::int64_t queries = 0;
            for (const auto& item : plan.items)
                for (const auto& query : item.queries) {
                    ++queries;
                    Ids want = history(packed, query.row), got;
                    if (packed.blind[query.row]) want.pop_back();
                    for (auto j = query.first; j < query.end; ++j)
                        got.push_back(std::int32_t(packed.ids[item.keys[j]]));
                    if (window == 0) QVERIFY(got == want);
                    if (window > 0 && !packed.blind[query.row])
                        QVERIFY(got.size() == std::min<std::size_t>(window, want.size()));
                }
            QCOMPARE(queries, packed.tokens());
        }
    }
};

CANDOR_TEST(PackingTest);
#include "packing_test.moc"
