// SPDX-License-Identifier: GPL-3.0-or-later
#include <sys/resource.h>

#include <QTemporaryDir>
#include <fstream>

#include "core/data/lines.h"
#include "core/data/reader.h"
#include "core/error.h"
#include "tests/testing.h"

using namespace candor;

// Files as they should not be: every row is kept or rejected with its line and a reason, and the counts add up.
class DataHostileTest : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;

    struct Result {
        std::vector<Record> records;
        ReadReport report;
        std::string reasons() const {
            std::string all;
            for (const Rejected& r : report.rejected) all += std::to_string(r.line) + ": " + r.reason + "\n";
            return all;
        }
    };

    std::filesystem::path write(const std::string& name, const std::string& bytes) {
        const std::filesystem::path file = folder_.filePath(QString::fromStdString(name)).toStdString();
        std::ofstream(file, std::ios::binary) << bytes;
        return file;
    }

    Result read(const std::string& name, const std::string& bytes, const ReadOptions& options = {}) {
        Result out;
        const auto file = write(name, bytes);
        out.report = readRecords(file, options, [&](Record&& r) { out.records.push_back(std::move(r)); });
        if (out.report.rows != out.report.kept + out.report.rejectedCount) throw Error("counts do not add up");
        if (static_cast<std::int64_t>(out.records.size()) != out.report.kept) throw Error("kept is not what came");
        for (const Rejected& r : out.report.rejected)
            if (r.file != file.string() || r.line < 1 || r.reason.empty()) throw Error("a rejection without its place");
        return out;
    }

    std::string codeOf(const std::string& name, const std::string& bytes, const ReadOptions& options = {}) {
        try {
            read(name, bytes, options);
        } catch (const InputError& error) {
            return error.code();
        }
        return "";
    }

  private slots:
    void lineEnds() {
        const Result r = read(
            "crlf.jsonl", "\xEF\xBB\xBF{\"question\":\"a\"}\r\n\r\n  \t\n{\"question\":\"b\"}\n\n{\"question\":\"c\"}");
        QCOMPARE(r.report.rows, 3);
        QCOMPARE(r.records[0].question, std::string("a"));
        QCOMPARE(r.records[1].line, 4);
        QCOMPARE(r.records[2].question, std::string("c"));
        QCOMPARE(read("empty.jsonl", "").report.rows, 0);
        QCOMPARE(read("blank.jsonl", "\n \r\n\n").report.rows, 0);
        QCOMPARE(read("bom.jsonl", "\xEF\xBB\xBF").report.rows, 0);
    }

    void badRows_data() {
        QTest::addColumn<QByteArray>("row");
        QTest::addColumn<QString>("reason");
        const auto row = [](const char* name, const char* text, const char* reason) {
            QTest::newRow(name) << QByteArray(text) << QString(reason);
        };
        row("cut", "{\"question\":\"a\"", "ends too early");
        row("trailing", "{\"question\":\"a\"} x", "not JSON at byte 18");
        row("nan", "{\"question\":\"a\",\"x\":NaN}", "NaN and Infinity");
        row("infinity", "{\"question\":\"a\",\"x\":-Infinity}", "NaN and Infinity");
        row("utf8", "{\"question\":\"a\xFF\"}", "invalid UTF-8 at byte 15");
        row("surrogate", "{\"question\":\"\\ud83d\"}", "");
        row("array", "[1]", "one JSON object a line");
        row("number", "12", "one JSON object a line");
        row("no question", "{\"answer\":[\"a\"]}", "no field \"question\"");
        row("empty question", "{\"question\":\" \"}", "is empty");
        row("question number", "{\"question\":3}", "expected a string, got a number");
        row("twice", "{\"question\":\"a\",\"question\":\"b\"}", "twice");
        row("gold object", "{\"question\":\"a\",\"answer\":{\"x\":1}}", "expected a list of strings, got an object");
        row("gold null inside", "{\"question\":\"a\",\"answer\":[null]}", "got null");
        row("two greedy", "{\"question\":\"a\",\"greedy_response\":[\"x\",\"y\"]}", "expected one answer, got 2");
        row("verdict 2", "{\"question\":\"a\",\"greedy_correctness\":2}", "got 2");
        row("verdict word", "{\"question\":\"a\",\"greedy_correctness\":\"yes\"}", "got a string");
        row("fewer verdicts", "{\"question\":\"a\",\"sampling_response\":[\"x\",\"y\"],\"sampling_correctness\":[1]}",
            "1 verdicts for 2 sampled answers");
        row("verdicts alone", "{\"question\":\"a\",\"consistency_judgement\":[1]}", "1 verdicts for 0");
        row("token 2^53", "{\"question\":\"a\",\"greedy_tokens\":[[9007199254740993]]}", "no token id");
        row("token half", "{\"question\":\"a\",\"greedy_tokens\":[[1.5]]}", "expected token ids");
        row("probabilities", "{\"question\":\"a\",\"greedy_logprobs\":[[0.9,0.5]]}", "above 0");
        row("candidates",
            "{\"question\":\"a\",\"greedy_logprobs\":[[{\"1\":{\"logprob\":-1},\"2\":{\"logprob\":-2}}]]}",
            "2 candidates");
        row("no logprob", "{\"question\":\"a\",\"greedy_logprobs\":[[{\"1\":{\"rank\":1}}]]}", "has no \"logprob\"");
        row("reserved", "{\"question\":\"a\",\"candor:original\":{}}", "reserved");
    }
    void badRows() {
        QFETCH(QByteArray, row);
        QFETCH(QString, reason);
        const Result r =
            read("bad.jsonl", "{\"question\":\"first\"}\n" + row.toStdString() + "\n{\"question\":\"last\"}\n");
        QCOMPARE(r.report.rows, 3);
        QCOMPARE(r.report.rejectedCount, 1);
        QCOMPARE(r.report.rejected[0].line, 2);
        QVERIFY2(r.reasons().find(reason.toStdString()) != std::string::npos, r.reasons().c_str());
        QCOMPARE(r.records[1].question, std::string("last"));
    }

    void deepNesting() {
        const std::string deep =
            "{\"question\":\"a\",\"x\":" + std::string(200000, '[') + "1" + std::string(200000, ']') + "}";
        QCOMPARE(read("deep.jsonl", deep + "\n{\"question\":\"b\"}").report.rejectedCount, 1);
    }

    void onlyTheFirstHundredAreListed() {
        std::string bytes;
        for (int i = 0; i < 1000; ++i) bytes += "{\n";
        const Result r = read("many.jsonl", bytes);
        QCOMPARE(r.report.rejectedCount, 1000);
        QCOMPARE(r.report.rejected.size(), std::size_t(100));
    }

    void longLines() {
        const Result r = read("long.jsonl", "{\"question\":\"a\"}\n{\"question\":\"" + std::string(70000, 'x') +
                                                "\"}\n{\"question\":\"c\"}\n");
        QCOMPARE(r.report.kept, 3);
        QCOMPARE(r.records[1].question.size(), std::size_t(70000));
        // A line that spans the read buffer several times.
        const Result big =
            read("big.jsonl", "{\"question\":\"" + std::string(5 << 20, 'y') + "\"}\r\n{\"question\":\"c\"}");
        QCOMPARE(big.report.kept, 2);
        QCOMPARE(big.records[0].question.size(), std::size_t(5 << 20));
    }

    void lineWithoutEnd() {
        const std::filesystem::path file = folder_.filePath("endless.jsonl").toStdString();
        {
            std::ofstream out(file, std::ios::binary);
            out << "{\"question\":\"a\"}\n{\"question\":\"";
            const std::string chunk(1 << 20, 'z');
            for (int i = 0; i < 200; ++i) out << chunk;
        }
        const auto peak = [] {
            rusage usage{};
            getrusage(RUSAGE_SELF, &usage);
            return usage.ru_maxrss;  // KiB
        };
        const auto before = peak();
        const ReadReport report = readRecords(file, {}, [](Record&&) {});
        QCOMPARE(report.rows, 2);
        QCOMPARE(report.rejectedCount, 1);
        QVERIFY(report.rejected[0].reason.find("starts at byte 17 ") != std::string::npos);
        QVERIFY2(peak() - before < 64 * 1024, "memory grew with the line");
        std::ofstream(file, std::ios::app) << "\"}\n{\"question\":\"behind\"}\n";
        QCOMPARE(readRecords(file, {}, [](Record&&) {}).kept, 2);
    }

    void otherFiles() {
        QCOMPARE(codeOf("a.jsonl", std::string("\x1f\x8b\x08\x00", 4)), std::string("bad_format"));
        QCOMPARE(codeOf("a.json", "[{\"question\":\"a\"}]"), std::string("bad_format"));
        QCOMPARE(codeOf("a.parquet", "PAR1xxxx"), std::string("bad_format"));
        QCOMPARE(codeOf("a.csv", std::string("\xff\xfeq\0", 4)), std::string("bad_format"));
        QCOMPARE(codeOf("a.bin", std::string("ab\0cd", 5)), std::string("bad_format"));
        QCOMPARE(codeOf("a.md", "some prose, with a comma\n"), std::string("bad_format"));
        QCOMPARE(codeOf("a.csv", "text,answer\nq,a\n"), std::string("no_question"));
        QCOMPARE(codeOf("a.jsonl", "{}", {{{"correct", "x"}, {"correct", "y"}}}), std::string("bad_map"));
        for (const char* path : {"/nonexistent/file.jsonl", "/"})
            QVERIFY_THROWS_EXCEPTION(InputError, readRecords(path, {}, [](Record&&) {}));
    }

    void tables() {
        const Result r = read("t.csv",
                              "question,answer,popularity,note,note\r\n"
                              "\"Who, then?\",\"[\"\"A\"\", \"\"B\"\"]\",12,\"two\nlines\",x\r\n"
                              "q2,007,,True,nan\r\n"
                              "too,few\r\n"
                              "\r\n"
                              "q3,\"say \"\"hi\"\"\",1e5,,\n");
        QCOMPARE(r.report.rows, 4);
        QCOMPARE(r.report.kept, 3);
        QCOMPARE(r.report.rejected[0].line, 5);
        QCOMPARE(r.records[0].question, std::string("Who, then?"));
        QCOMPARE(r.records[0].gold, (std::vector<std::string>{"A", "B"}));
        QCOMPARE(r.records[0].extra, std::string(R"({"popularity":12,"note":"two\nlines","note.2":"x"})"));
        QCOMPARE(r.records[1].gold, std::vector<std::string>{"007"});
        QCOMPARE(r.records[1].line, 4);
        QCOMPARE(r.records[1].extra, std::string(R"({"popularity":null,"note":true,"note.2":"nan"})"));
        QCOMPARE(r.records[2].gold, std::vector<std::string>{"say \"hi\""});

        const Result mapped =
            read("p.tsv", "id\tq.text\tobj\tpossible\tok\n1\tWho?\tA\t\"[\"\"A\"\", \"\"B\"\"]\"\t1\n",
                 {{{"question", "q.text"}, {"gold", "obj"}, {"gold", "possible"}, {"correct", "ok"}}});
        QCOMPARE(mapped.report.kept, 1);
        QCOMPARE(mapped.records[0].gold, (std::vector<std::string>{"A", "B"}));
        QVERIFY(mapped.records[0].labels->greedyCorrect == Verdict::Yes);
        QCOMPARE(mapped.records[0].extra, std::string(R"({"id":1})"));
    }

    void quoteThatNeverCloses() {
        std::string bytes = "question,answer\nq1,a\n\"q2,b\nq3,c\n";
        for (int i = 0; i < 5000; ++i) bytes += "q,d\n";
        const Result r = read("quote.csv", bytes);
        QCOMPARE(r.report.rejectedCount, 1);
        QCOMPARE(r.report.rejected[0].line, 3);
        QCOMPARE(r.report.kept, 5002);
    }

    void mmlu() {
        const Result r = read("anatomy_test.csv", "\"Which, of these\ntwo?\",x,y,z,w,B\nq,x,y,z,w,E\nq,x,y\n");
        QCOMPARE(r.report.kept, 1);
        QCOMPARE(r.report.rejectedCount, 2);
        QCOMPARE(r.records[0].question, std::string("Which, of these\ntwo?\nA. x\nB. y\nC. z\nD. w\n"));
        QCOMPARE(r.records[0].extra, std::string(R"({"subject":"anatomy"})"));
        QVERIFY(r.reasons().find("a letter A to D") != std::string::npos);
    }

    void plainText() {
        const Result r = read("q.txt", "Who?\n\nWhere, then?\n\xFF\n");
        QCOMPARE(r.report.kept, 2);
        QCOMPARE(r.report.rejectedCount, 1);
    }

    void mapWithoutAMatchIsTold() {
        const auto file = write("m.jsonl", "{\"question\":\"a\",\"x\":{\"y\":\"b\"}}\n");
        std::vector<std::string> said;
        readRecords(
            file, {{{"gold", "x.y"}, {"correct", "x.z"}}}, [](Record&& r) { QCOMPARE(r.gold.at(0), std::string("b")); },
            [&](const Event& event) {
                if (event.kind == EventKind::Message) said.push_back(event.text);
            });
        QCOMPARE(said.size(), std::size_t(1));
        QVERIFY(said[0].find("\"x.z\"") != std::string::npos);
    }

    void progressAndStop() {
        std::string bytes;
        for (int i = 0; i < 2000; ++i) bytes += "{\"question\":\"a\"}\n";
        const auto file = write("stop.jsonl", bytes);
        Event last;
        readRecords(
            file, {}, [](Record&&) {}, [&](const Event& event) { last = event; });
        QVERIFY(last.kind == EventKind::Progress);
        QCOMPARE(last.done, static_cast<std::int64_t>(bytes.size()));
        QCOMPARE(last.total, last.done);
        QVERIFY(last.rate > 0);
        std::stop_source stop;
        int rows = 0;
        QVERIFY_THROWS_EXCEPTION(Stopped, readRecords(
                                              file, {},
                                              [&](Record&&) {
                                                  if (++rows == 100) stop.request_stop();
                                              },
                                              {}, stop.get_token()));
        QVERIFY(rows < 300);
    }
};

CANDOR_TEST(DataHostileTest);
#include "data_hostile_test.moc"
