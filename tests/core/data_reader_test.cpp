// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/reader.h"

#include "core/error.h"
#include "tests/testing.h"

using namespace candor;
using candor::testing::shared;

namespace {

struct Read {
    std::vector<Record> records;
    ReadReport report;
};

Read readAll(const std::filesystem::path& file, const ReadOptions& options = {}) {
    Read out;
    out.report = readRecords(file, options, [&](Record&& record) { out.records.push_back(std::move(record)); });
    return out;
}

}  // namespace

// Every file beside the checkout, with the row counts its README states.
class DataReaderTest : public QObject {
    Q_OBJECT

  private slots:
    void questionFiles_data() {
        QTest::addColumn<QString>("name");
        QTest::addColumn<int>("rows");
        const std::pair<const char*, int> files[] = {
            {"nq_test", 3610},    {"nq_dev", 3610},  {"hq_dev", 7405},   {"2wiki_dev", 12576}, {"pararel_test", 3000},
            {"squad_dev", 10570}, {"wq_test", 2032}, {"wq_train", 3778}, {"popqa_test", 14267}};
        for (const auto& [name, rows] : files) QTest::newRow(name) << QString(name) << rows;
    }
    void questionFiles() {
        CANDOR_NEED_SHARED();
        QFETCH(QString, name);
        QFETCH(int, rows);
        const Read read = readAll(shared() / "data/qa" / (name.toStdString() + ".jsonl"));
        QCOMPARE(read.report.rows, rows);
        QCOMPARE(read.report.kept, rows);
        QCOMPARE(read.report.rejectedCount, 0);
        QCOMPARE(static_cast<int>(read.records.size()), rows);
        for (int i = 0; i < rows; ++i) {
            const Record& record = read.records[i];
            QCOMPARE(record.line, i + 1);
            QVERIFY(!record.question.empty() && !record.gold.empty());
            QVERIFY(!record.answers && !record.labels && record.extra.empty());
        }
    }

    void honestyBench_data() {
        QTest::addColumn<QString>("name");
        QTest::addColumn<int>("rows");
        QTest::addColumn<int>("right");
        QTest::addColumn<double>("sampleShare");
        QTest::addColumn<double>("consistency");
        const auto row = [](const char* name, int rows, int right, double share, double consistency) {
            QTest::newRow(name) << QString(name) << rows << right << share << consistency;
        };
        row("train_pararel", 1250, 185, 0.090, 0.071);
        row("train_popqa", 800, 174, 0.127, 0.148);
        row("eval_pararel", 469, 64, 0.088, 0.069);
        row("eval_popqa", 350, 73, 0.148, 0.148);
        row("ood_wq", 640, 64, 0.054, 0.087);
        row("ood_nq", 588, 30, 0.023, 0.053);
    }
    void honestyBench() {
        CANDOR_NEED_SHARED();
        QFETCH(QString, name);
        QFETCH(int, rows);
        QFETCH(int, right);
        QFETCH(double, sampleShare);
        QFETCH(double, consistency);
        const Read read = readAll(shared() / "data/honestybench_smollm2" / (name.toStdString() + ".jsonl"));
        QCOMPARE(read.report.kept, rows);
        QCOMPARE(read.report.rejectedCount, 0);
        int correct = 0;
        double share = 0, agreeing = 0;
        for (const Record& record : read.records) {
            QVERIFY(record.answers && record.labels && record.answers->greedy);
            QCOMPARE(record.answers->samples.size(), std::size_t(20));
            QCOMPARE(record.answers->greedyTokens.size(), record.answers->greedyLogprobs.size());
            QVERIFY(record.extra.empty());
            correct += *record.labels->greedyCorrect == Verdict::Yes;
            for (int j = 0; j < 20; ++j) {
                share += record.labels->sampleCorrect[j] == Verdict::Yes;
                agreeing += record.labels->agreement[j] == Verdict::Yes;
            }
        }
        QCOMPARE(correct, right);
        QVERIFY(std::abs(share / 20 / rows - sampleShare) < 0.0005001);
        QVERIFY(std::abs(agreeing / 20 / rows - consistency) < 0.0005001);
    }

    void worldFacts_data() {
        QTest::addColumn<QString>("name");
        QTest::addColumn<int>("rows");
        const std::pair<const char*, int> files[] = {
            {"train_people", 316}, {"train_places", 289}, {"train_works", 290}, {"train_companies", 229},
            {"eval_people", 139},  {"eval_places", 133},  {"eval_works", 135},  {"eval_companies", 99},
            {"ood_sport", 112},    {"ood_belief", 98}};
        for (const auto& [name, rows] : files) QTest::newRow(name) << QString(name) << rows;
    }
    void worldFacts() {
        CANDOR_NEED_SHARED();
        QFETCH(QString, name);
        QFETCH(int, rows);
        const Read read = readAll(shared() / "data/world_facts" / (name.toStdString() + ".jsonl"));
        QCOMPARE(read.report.kept, rows);
        QCOMPARE(read.report.rejectedCount, 0);
        for (const Record& record : read.records) QVERIFY(record.answers && record.labels);
    }

    void mmluTablesEqualTheJsonFile() {
        CANDOR_NEED_SHARED();
        const std::filesystem::path folder = shared() / "data/mcq";
        std::vector<Record> tables;
        for (const char* name : {"capitals_test.csv", "products_test.csv", "people_test.csv"})
            for (Record& record : readAll(folder / name).records) tables.push_back(std::move(record));
        const Read json = readAll(folder / "all.jsonl");
        QCOMPARE(json.records.size(), std::size_t(120));
        QCOMPARE(tables.size(), std::size_t(120));
        const auto key = [](const Record& r) { return std::tuple(r.question, r.gold, r.extra); };
        std::vector<std::tuple<std::string, std::vector<std::string>, std::string>> a, b;
        for (const Record& record : tables) a.push_back(key(record));
        for (const Record& record : json.records) b.push_back(key(record));
        std::sort(a.begin(), a.end());
        std::sort(b.begin(), b.end());
        QVERIFY(a == b);
    }

    void answersOfLargeModels() {
        CANDOR_NEED_SHARED();
        int nullVerbal = 0;
        for (const char* name : {"mace_river.jsonl", "mace_office.jsonl", "mace_award.jsonl"}) {
            const Read read = readAll(shared() / "data/answers" / name);
            QCOMPARE(read.report.kept, 2000);
            QCOMPARE(read.report.rejectedCount, 0);
            for (const Record& record : read.records) {
                QVERIFY(record.answers->greedy && record.labels->greedyCorrect);
                QCOMPARE(record.answers->samples.size(), std::size_t(20));
                QVERIFY(record.answers->greedyLogprobs.empty() && record.labels->sampleCorrect.empty());
                QVERIFY(record.extra.find("\"p_true_confidence\":") != std::string::npos);
                nullVerbal += record.extra.find("\"verbal_confidence\":null") != std::string::npos;
            }
        }
        QCOMPARE(nullVerbal, 53);
    }

    void foreignNamesAreMapped() {
        CANDOR_NEED_SHARED();
        const std::filesystem::path folder = shared() / "data/answers";
        const Read mace = readAll(folder / "mace_river_deepseek-v3.jsonl",
                                  {{{"gold", "reference"}, {"samples", "Res"}, {"verbal", "Confidence"}}});
        QCOMPARE(mace.report.kept, 500);
        QCOMPARE(mace.report.rejectedCount, 0);
        for (const Record& record : mace.records) {
            QCOMPARE(record.answers->samples.size(), std::size_t(20));
            QVERIFY(!record.answers->greedy && !record.labels && !record.gold.empty());
            QVERIFY(record.extra.find("\"verbal_confidence\":[") != std::string::npos);
            QVERIFY(record.extra.find("\"Confidence\"") == std::string::npos);
        }

        const Read songs = readAll(folder / "songs_qwen2.5-7b.jsonl", {{{"gold", "reference"},
                                                                        {"greedy", "Res"},
                                                                        {"tokens", "Log_p.tokens"},
                                                                        {"token_probs", "Log_p.token_probs"},
                                                                        {"correct", "has_answer"}}});
        QCOMPARE(songs.report.kept, 2157);
        QCOMPARE(songs.report.rejectedCount, 0);
        const Record& first = songs.records.front();
        QCOMPARE(first.answers->greedy.value(), std::string("Nick Drake"));
        QCOMPARE(first.answers->greedyTokens, (std::vector<std::int32_t>{30356, 41765, 151645}));
        QCOMPARE(first.answers->greedyLogprobs.at(1), std::log(0.591335));
        QVERIFY(first.labels->greedyCorrect == Verdict::No);
        QVERIFY(first.extra.find("\"Log_p\":{\"token_entropy\":[-0.0,-0.0,-0.0]}") != std::string::npos);
    }
};

CANDOR_TEST(DataReaderTest);
#include "data_reader_test.moc"
