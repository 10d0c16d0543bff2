// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/reader.h"
#include "core/text/match.h"
#include "tests/testing.h"

using namespace candor;
using candor::testing::shared;

// The rules `contains` and `core` reproduce every label of the two sets that were labelled with them.
class TextLabelsTest : public QObject {
    Q_OBJECT

  private slots:
    void everyLabel_data() {
        QTest::addColumn<QString>("path");
        CANDOR_NEED_SHARED();
        for (const char* folder : {"honestybench_smollm2", "world_facts"})
            for (const auto& entry : std::filesystem::directory_iterator(shared() / "data" / folder))
                QTest::newRow(entry.path().filename().c_str()) << QString::fromStdString(entry.path().string());
    }
    void everyLabel() {
        CANDOR_NEED_SHARED();
        QFETCH(QString, path);
        std::int64_t labels = 0, wrong = 0;
        const auto check = [&](bool ours, Verdict theirs, const Record& record, const std::string& answer,
                               const char* rule) {
            ++labels;
            if (ours == (theirs == Verdict::Yes)) return;
            if (++wrong <= 5)
                qWarning("%s: ours %d: %s | %s | %s | %s", rule, ours, record.question.c_str(),
                         record.gold.front().c_str(), record.answers->greedy->c_str(), answer.c_str());
        };
        readRecords(path.toStdString(), {}, [&](Record&& record) {
            const AnswerRecord& answers = *record.answers;
            check(containsAnswer(record.gold, *answers.greedy), *record.labels->greedyCorrect, record, "", "contains");
            const CoreRule rule(record.question);
            const std::string greedy = rule.core(*answers.greedy);
            for (std::size_t j = 0; j < answers.samples.size(); ++j) {
                const std::string& sample = answers.samples[j];
                check(containsAnswer(record.gold, sample), record.labels->sampleCorrect[j], record, sample, "contains");
                check(coreAgrees(greedy, rule.core(sample)), record.labels->agreement[j], record, sample, "core");
            }
        });
        QVERIFY(labels > 0);
        QCOMPARE(wrong, 0);
    }
};

CANDOR_TEST(TextLabelsTest);
#include "text_labels_test.moc"
