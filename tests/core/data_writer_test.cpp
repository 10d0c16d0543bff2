// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/writer.h"

#include <QTemporaryDir>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/data/fields.h"
#include "core/data/reader.h"
#include "core/error.h"
#include "tests/testing.h"

using namespace candor;
using candor::testing::shared;
using nlohmann::json;

// What is read and written again is equal as JSON.
class DataWriterTest : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;

    Record read(const std::string& line) {
        const std::filesystem::path file = folder_.filePath("row.jsonl").toStdString();
        std::ofstream(file) << line << "\n";
        std::vector<Record> records;
        const ReadReport report = readRecords(file, {}, [&](Record&& r) { records.push_back(std::move(r)); });
        if (records.size() != 1) throw Error(report.rejected.empty() ? "no row" : report.rejected.front().reason);
        return records.front();
    }

  private slots:
    void everyFile() {
        CANDOR_NEED_SHARED();
        int rows = 0;
        for (const char* name : {"honestybench_smollm2", "world_facts", "answers", "qa"}) {
            for (const auto& entry : std::filesystem::directory_iterator(shared() / "data" / name)) {
                std::ifstream lines(entry.path());
                std::string line;
                readRecords(entry.path(), {}, [&](Record&& record) {
                    if (!std::getline(lines, line)) return;
                    const json expected = json::parse(line);
                    const json got = json::parse(toHonestyBench(record));
                    if (got != expected) QCOMPARE(QString::fromStdString(got.dump()), QString::fromStdString(line));
                    ++rows;
                });
            }
        }
        QCOMPARE(rows, 60848 + 4097 + 1840 + 6000 + 500 + 2157);
    }

    void shapes_data() {
        QTest::addColumn<QString>("line");
        const char* const rows[] = {
            R"({"question":"q","answer":["a"],"greedy_response":"bare"})",
            R"({"question":"q","answer":"bare","greedy_correctness":true})",
            R"({"question":"q","answer":[],"greedy_response":[],"sampling_response":[],"greedy_logprobs":[[]]})",
            R"({"question":"q","answer":null,"greedy_response":null,"greedy_correctness":null,"greedy_tokens":null})",
            R"({"question":"q","answer":[42,1.50],"greedy_tokens":[1,2],"greedy_logprobs":[-0.1,-2]})",
            R"({"question":"q","greedy_cumulative_logprobs":-1.75,"greedy_correctness":[1]})",
            R"({"question":"q","greedy_tokens":[[2132,572]],"greedy_logprobs":[[{"2132":{"logprob":-0.4,"rank":1,
                "decoded_token":"It"}},{"7":{"logprob":-0.1,"rank":1,"decoded_token":"x"},"572":{"logprob":-3.5,
                "rank":2,"decoded_token":" was"}}]]})",
            R"({"question":"q","sampling_response":["x","y"],"sampling_correctness":[true,null],
                "consistency_judgement":[0,1]})",
            R"({"question":"q","big":9007199254740993,"huge":18446744073709551615,"tiny":5e-324,"neg":-0.0,
                "third":0.3333333333333333,"deep":{"a":[1,{"b":null}]}})",
            "{\"question\":\"q\",\"\\u00fc\\n\\\"\":\"\\u0000\\ud83d\\ude00\"}",
            R"({"question":"q","greedy_logprobs":[["-Infinity",-1e-300]],"greedy_cumulative_logprobs":["-Infinity"]})",
        };
        for (const char* row : rows) QTest::newRow(row) << QString(row).remove('\n');
    }
    void shapes() {
        QFETCH(QString, line);
        const Record record = read(line.toStdString());
        const json got = json::parse(toHonestyBench(record)), expected = json::parse(line.toStdString());
        QVERIFY2(got == expected, got.dump().c_str());
    }

    void generatedTokenIsChosenAmongCandidates() {
        const Record record = read(
            R"({"question":"q","greedy_tokens":[[5]],"greedy_logprobs":[[{"9":{"logprob":-0.1},"5":{"logprob":-2.5}}]]})");
        QCOMPARE(record.answers->greedyLogprobs, std::vector<double>{-2.5});
    }

    void replacedLabelsGoBeforeTheIncomingShape() {
        Record record = read(R"({"question":"q","answer":"a","greedy_response":"x","greedy_correctness":true})");
        record.labels->greedyCorrect = Verdict::No;
        const json got = json::parse(toHonestyBench(record));
        QCOMPARE(got["greedy_correctness"].dump(), std::string("0"));
        QCOMPARE(got["greedy_response"].dump(), std::string("\"x\""));
        QVERIFY(!got.contains(std::string(kOriginalKey)));
    }

    void extraMustBeAnObject() {
        Record record;
        record.question = "q";
        record.extra = "[1]";
        QVERIFY_THROWS_EXCEPTION(InputError, toHonestyBench(record));
    }
};

CANDOR_TEST(DataWriterTest);
#include "data_writer_test.moc"
