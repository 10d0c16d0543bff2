// SPDX-License-Identifier: GPL-3.0-or-later
#include <sys/stat.h>
#include <unistd.h>

#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QTemporaryDir>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/testing.h"

using candor::testing::shared;

namespace {

struct Outcome {
    int code = -1;
    QByteArray out, err;
    QJsonObject json() const { return QJsonDocument::fromJson(out).object(); }
    int number(const char* key) const { return json()[QLatin1String(key)].toInt(-1); }
};

QString path(const std::filesystem::path& file) { return QString::fromStdString(file.string()); }

}  // namespace

// What comes into a project and goes out of it through the command line.
class DataCliTest : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;
    int projects_ = 0;

    static Outcome cli(const QStringList& arguments, const QString& shell = {}) {
        QProcess process;
        QStringList all = arguments;
        all << QStringLiteral("--json");
        if (shell.isEmpty())
            process.start(QStringLiteral(CANDOR_CLI), all);
        else  // "$@" is the program and its arguments
            process.start(
                QStringLiteral("/bin/sh"),
                QStringList{QStringLiteral("-c"), shell, QStringLiteral("sh"), QStringLiteral(CANDOR_CLI)} + all);
        process.closeWriteChannel();
        process.waitForFinished(600000);
        return {process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -1, process.readAllStandardOutput(),
                process.readAllStandardError()};
    }
    QString project() { return folder_.filePath(QStringLiteral("p%1.candor").arg(++projects_)); }
    QString file(const QString& name, const QByteArray& content) {
        QFile f(folder_.filePath(name));
        if (!f.open(QIODevice::WriteOnly)) return {};
        f.write(content);
        return f.fileName();
    }
    static Outcome import(const QString& project, const QString& file, const QString& dataset, const QString& model,
                          const QStringList& more = {}) {
        QStringList arguments{QStringLiteral("import"),
                              project,
                              file,
                              QStringLiteral("--dataset"),
                              dataset,
                              QStringLiteral("--split"),
                              QStringLiteral("test"),
                              QStringLiteral("--role"),
                              QStringLiteral("eval")};
        if (!model.isEmpty()) arguments << QStringLiteral("--model") << model;
        return cli(arguments + more);
    }
    static Outcome confidences(const QString& project, const QString& file, const QString& method,
                               const QStringList& more = {}) {
        return cli(
            QStringList{QStringLiteral("import-confidences"), project, file, QStringLiteral("--method"), method} +
            more);
    }
    static Outcome info(const QString& project) { return cli({QStringLiteral("info"), project}); }
    // Six questions, four of them answered right.
    QString smallProject() {
        const QString p = project();
        QByteArray rows;
        for (int i = 0; i < 6; ++i)
            rows +=
                QStringLiteral(R"({"question":"q%1","answer":["a"],"greedy_response":["x"],"greedy_correctness":%2})")
                    .arg(i)
                    .arg(i % 3 ? 1 : 0)
                    .toUtf8() +
                "\n";
        import(p, file(QStringLiteral("six.jsonl"), rows), QStringLiteral("set"), QStringLiteral("m"));
        return p;
    }
    static QJsonObject runNamed(const QString& project, const QString& method) {
        for (const auto& run : info(project).json()[QStringLiteral("runs")].toArray())
            if (run.toObject()[QStringLiteral("method")] == method) return run.toObject();
        return {};
    }
    static QJsonObject metricOf(const QJsonObject& run, const QString& set, const QString& name) {
        for (const auto& one : run[QStringLiteral("metrics")].toArray()) {
            const QJsonObject metric = one.toObject();
            if (metric[QStringLiteral("set")] == set && metric[QStringLiteral("name")] == name) return metric;
        }
        return {};
    }

  private slots:
    void rowsComeBackEqual_data() {
        QTest::addColumn<QString>("source");
        if (shared().empty()) return;
        for (const char* name : {"honestybench_smollm2", "world_facts"})
            for (const auto& entry : std::filesystem::directory_iterator(shared() / "data" / name))
                QTest::newRow(entry.path().stem().c_str()) << path(entry.path());
        QTest::newRow("mace_river") << path(shared() / "data" / "answers" / "mace_river.jsonl");
    }

    void rowsComeBackEqual() {
        CANDOR_NEED_SHARED();
        QFETCH(QString, source);
        const QString p = project(), out = folder_.filePath(QStringLiteral("out.jsonl"));
        QCOMPARE(import(p, source, QStringLiteral("set"), QStringLiteral("m")).code, 0);
        const Outcome outcome =
            cli({QStringLiteral("export-data"), p, QStringLiteral("--dataset"), QStringLiteral("set"),
                 QStringLiteral("--model"), QStringLiteral("m"), QStringLiteral("--out"), out});
        QVERIFY2(outcome.code == 0, outcome.err.constData());
        std::ifstream want(source.toStdString()), got(out.toStdString());
        std::string a, b;
        int rows = 0;
        while (std::getline(want, a)) {
            QVERIFY(std::getline(got, b));
            QVERIFY2(nlohmann::json::parse(b) == nlohmann::json::parse(a), b.c_str());
            ++rows;
        }
        QVERIFY(!std::getline(got, b));
        QCOMPARE(outcome.number("rows"), rows);
        QVERIFY(rows > 0);
    }

    // Shapes that a record does not keep, fields nobody knows, and rows without answers among answered ones.
    void unknownFieldsAndShapesComeBack() {
        const QByteArray rows =
            R"({"question":"q0","answer":"bare","greedy_response":"text","greedy_correctness":true,"mine":{"a":[1,null]}})"
            "\n"
            R"({"question":"q1","answer":["x"]})"
            "\n"
            R"({"question":"q2","answer":["x"],"greedy_response":["y"],"greedy_tokens":[[7]],)"
            R"("greedy_logprobs":[[{"7":{"logprob":-0.5,"rank":1,"decoded_token":"y"}}]],"sampling_response":["y","z"],)"
            R"("consistency_judgement":[1,0],"big":9007199254740993})"
            "\n";
        const QString p = project(), out = folder_.filePath(QStringLiteral("shapes.jsonl"));
        QCOMPARE(import(p, file(QStringLiteral("in.jsonl"), rows), QStringLiteral("s"), QStringLiteral("m")).code, 0);
        const Outcome outcome =
            cli({QStringLiteral("export-data"), p, QStringLiteral("--dataset"), QStringLiteral("s/test"),
                 QStringLiteral("--model"), QStringLiteral("m"), QStringLiteral("--out"), out});
        QVERIFY2(outcome.code == 0, outcome.err.constData());
        std::ifstream got(out.toStdString());
        for (const QByteArray& line : rows.split('\n')) {
            if (line.isEmpty()) continue;
            std::string row;
            QVERIFY(std::getline(got, row));
            QVERIFY2(nlohmann::json::parse(row) == nlohmann::json::parse(line.toStdString()), row.c_str());
        }
        // Another model answered nothing of it.
        QCOMPARE(cli({QStringLiteral("export-data"), p, QStringLiteral("--dataset"), QStringLiteral("s"),
                      QStringLiteral("--model"), QStringLiteral("other"), QStringLiteral("--out"), out})
                     .code,
                 2);
    }

    void whatCannotBeWrittenIsSaid() {
        const QString p = smallProject();
        const QStringList command{QStringLiteral("export-data"), p,
                                  QStringLiteral("--dataset"),   QStringLiteral("set"),
                                  QStringLiteral("--model"),     QStringLiteral("m"),
                                  QStringLiteral("--out")};
        const Outcome nowhere = cli(command + QStringList{folder_.filePath(QStringLiteral("no/such/out.jsonl"))});
        QCOMPARE(nowhere.code, 1);
        QVERIFY2(nowhere.err.contains("folder does not exist"), nowhere.err.constData());
        const QString kept = file(QStringLiteral("kept.jsonl"), "old\n");
        // A full disk: no file of the process may grow beyond 100 kB, and the rows have 200.
        const QByteArray row = QByteArray("{'question':'q','greedy_response':['x'],'mine':'#'}\n").replace('\'', '"');
        const QString wide = file(QStringLiteral("wide.jsonl"), QByteArray(row).replace('#', QByteArray(200000, 'x')));
        QCOMPARE(import(p, wide, QStringLiteral("wide"), QStringLiteral("m")).code, 0);
        QStringList wideCommand = command;
        wideCommand[3] = QStringLiteral("wide");
        const Outcome full =
            cli(wideCommand + QStringList{kept}, QStringLiteral("trap '' XFSZ; ulimit -f 200; exec \"$@\""));
        QVERIFY2(full.code == 1 && full.err.contains("kept.jsonl cannot be written"), full.err.constData());
        QFile old(kept);
        QVERIFY(old.open(QIODevice::ReadOnly));
        QCOMPARE(old.readAll(), QByteArray("old\n"));
        QCOMPARE(QDir(folder_.path()).entryList({QStringLiteral("kept.jsonl*")}).size(), 1);
        if (::geteuid() == 0) return;  // root may write anywhere
        const QString locked = folder_.filePath(QStringLiteral("locked"));
        QVERIFY(QDir().mkpath(locked) && ::chmod(qPrintable(locked), 0555) == 0);
        const Outcome readOnly = cli(command + QStringList{locked + QStringLiteral("/out.jsonl")});
        ::chmod(qPrintable(locked), 0755);
        QCOMPARE(readOnly.code, 1);
        QVERIFY2(readOnly.err.contains("permissions"), readOnly.err.constData());
    }

    void importedConfidencesAreRuns() {
        const QString p = smallProject();
        const QString csv = file(QStringLiteral("mine.csv"),
                                 "dataset,split,row,confidence\nset,test,0,0.1\nset,test,1,0.9\nset,test,2,0.8\n"
                                 "set,test,3,0.2\nset,test,4,0.7\nset,test,9,0.5\nset,test,1,0.9\nset,test,x,0.5\n"
                                 "set,test,5,\n");
        const Outcome first = confidences(p, csv, QStringLiteral("my method"),
                                          {QStringLiteral("--budget"), QStringLiteral("100"), QStringLiteral("--seed"),
                                           QStringLiteral("3"), QStringLiteral("--labels-used"), QStringLiteral("80")});
        QVERIFY2(first.code == 0, first.err.constData());
        QCOMPARE(first.number("rows"), 9);
        QCOMPARE(first.number("matched"), 5);
        QCOMPARE(first.number("unmatched_count"), 1);
        QCOMPARE(first.number("duplicates"), 1);
        QCOMPARE(first.number("rejected_count"), 1);
        QCOMPARE(first.number("without_value"), 1);
        QCOMPARE(first.number("missing_count"), 1);
        QCOMPARE(first.json()[QStringLiteral("missing")].toArray()[0].toObject()[QStringLiteral("row")].toInt(), 5);
        const QJsonObject run = runNamed(p, QStringLiteral("my method"));
        QCOMPARE(run[QStringLiteral("status")].toString(), QStringLiteral("finished"));
        QCOMPARE(run[QStringLiteral("budget")].toInt(), 100);
        QCOMPARE(run[QStringLiteral("labels")].toInt(), 80);
        QCOMPARE(run[QStringLiteral("seed")].toInt(), 3);
        QCOMPARE(metricOf(run, QStringLiteral("set/test"), QStringLiteral("auroc"))[QStringLiteral("value")].toDouble(),
                 1.0);
        const double brier =
            metricOf(run, QStringLiteral("in-domain"), QStringLiteral("brier"))[QStringLiteral("value")].toDouble();
        QVERIFY(std::abs(brier - (0.01 + 0.01 + 0.04 + 0.04 + 0.09) / 5) < 1e-12);
        // The same again changes nothing, the missing one is added, another value is refused.
        QCOMPARE(confidences(p, csv, QStringLiteral("my method"),
                             {QStringLiteral("--budget"), QStringLiteral("100"), QStringLiteral("--seed"),
                              QStringLiteral("3"), QStringLiteral("--labels-used"), QStringLiteral("80")})
                     .json()[QStringLiteral("unchanged")],
                 QJsonValue(true));
        QCOMPARE(info(p).json()[QStringLiteral("runs")].toArray().size(), 1);
        const QStringList same{QStringLiteral("--budget"), QStringLiteral("100"),           QStringLiteral("--seed"),
                               QStringLiteral("3"),        QStringLiteral("--labels-used"), QStringLiteral("80")};
        const QString more = file(QStringLiteral("more.jsonl"), R"({"question":"q5","confidence":[0.6]})"
                                                                "\n");
        const Outcome added = confidences(p, more, QStringLiteral("my method"), same);
        QVERIFY2(added.code == 0, added.err.constData());
        QCOMPARE(metricOf(runNamed(p, QStringLiteral("my method")), QStringLiteral("set/test"),
                          QStringLiteral("auroc"))[QStringLiteral("n")]
                     .toInt(),
                 6);
        const QString other = file(QStringLiteral("other.jsonl"), R"({"question":"q5","confidence":0.5})"
                                                                  "\n");
        QCOMPARE(confidences(p, other, QStringLiteral("my method"), same).code, 2);
        // They can be drawn and tabled like any run's.
        for (const char* figure : {"reliability", "roc", "histogram", "risk-coverage"}) {
            const QString out = folder_.filePath(QStringLiteral("%1.svg").arg(QLatin1String(figure)));
            const Outcome drawn =
                cli({QStringLiteral("export"), p, QLatin1String(figure), QStringLiteral("--out"), out});
            QVERIFY2(drawn.code == 0, drawn.err.constData());
            QVERIFY(QFile(out).size() > 1000);
        }
        const QString table = folder_.filePath(QStringLiteral("table.csv"));
        QCOMPARE(cli({QStringLiteral("export"), p, QStringLiteral("table"), QStringLiteral("--out"), table}).code, 0);
        QFile csvFile(table);
        QVERIFY(csvFile.open(QIODevice::ReadOnly));
        QVERIFY(csvFile.readAll().contains("my method"));
    }

    void scoresOnlyRank() {
        const QString p = smallProject();
        QByteArray rows;
        for (int i = 0; i < 6; ++i)
            rows +=
                QStringLiteral(R"({"dataset":"set","index":%1,"predicted":%2})").arg(i).arg(i % 3 ? 4.5 : -2).toUtf8() +
                "\n";
        const Outcome outcome = confidences(p, file(QStringLiteral("scores.jsonl"), rows), QStringLiteral("logit"));
        QVERIFY2(outcome.code == 0, outcome.err.constData());
        QCOMPARE(outcome.json()[QStringLiteral("scores")], QJsonValue(true));
        const QJsonObject run = runNamed(p, QStringLiteral("logit"));
        QCOMPARE(run[QStringLiteral("labels")].toInt(), 0);
        QCOMPARE(metricOf(run, QStringLiteral("set/test"), QStringLiteral("auroc"))[QStringLiteral("value")].toDouble(),
                 1.0);
        for (const char* name : {"ece_ew10", "brier", "alignment_elical"}) {
            const QJsonObject metric = metricOf(run, QStringLiteral("set/test"), QLatin1String(name));
            QVERIFY(metric[QStringLiteral("value")].isNull());
            QVERIFY(metric[QStringLiteral("undefined")].toString().contains(QStringLiteral("no probability")));
        }
        // Within [0, 1] and yet no probability: the column says so.
        const QString named = file(QStringLiteral("named.csv"), "question,score\nq1,0.9\nq0,0.1\n");
        QCOMPARE(confidences(p, named, QStringLiteral("named")).json()[QStringLiteral("scores")], QJsonValue(true));
        QVERIFY(metricOf(runNamed(p, QStringLiteral("named")), QStringLiteral("set/test"),
                         QStringLiteral("brier"))[QStringLiteral("value")]
                    .isNull());
    }

    void confidencesThatFitNothing() {
        const QString p = smallProject();
        const QString stranger = file(QStringLiteral("stranger.jsonl"), R"({"question":"who?","confidence":0.5})"
                                                                        "\n");
        const Outcome none = confidences(p, stranger, QStringLiteral("x"));
        QCOMPARE(none.code, 2);
        QCOMPARE(none.json()[QStringLiteral("error")].toString(), QStringLiteral("no_match"));
        QCOMPARE(info(p).json()[QStringLiteral("runs")].toArray().size(), 0);
        const QString lacking = file(QStringLiteral("lacking.csv"), "question,p\nq1,0.5\n");
        const Outcome column = confidences(p, lacking, QStringLiteral("x"));
        QCOMPARE(column.code, 2);
        QVERIFY(column.err.contains("--column"));
        QCOMPARE(confidences(p, lacking, QStringLiteral("x"), {QStringLiteral("--column"), QStringLiteral("p")}).code,
                 0);
    }

    void confidenceColumnsAreRuns() {
        CANDOR_NEED_SHARED();
        const QString p = project();
        const QString river = path(shared() / "data" / "answers" / "mace_river.jsonl");
        const Outcome outcome = import(p, river, QStringLiteral("river"), QStringLiteral("deepseek-v3"));
        QVERIFY2(outcome.code == 0, outcome.err.constData());
        QCOMPARE(outcome.json()[QStringLiteral("methods")].toArray().size(), 3);
        for (const char* method : {"verbal-0", "p-true", "consis-sem"}) {
            const QJsonObject run = runNamed(p, QLatin1String(method));
            QCOMPARE(run[QStringLiteral("status")].toString(), QStringLiteral("finished"));
            QCOMPARE(run[QStringLiteral("labels")].toInt(), 0);
            const double auroc =
                metricOf(run, QStringLiteral("river/test"), QStringLiteral("auroc"))[QStringLiteral("value")]
                    .toDouble();
            QVERIFY2(auroc > 0.5 && auroc < 1, method);
        }
        QCOMPARE(import(p, river, QStringLiteral("river"), QStringLiteral("deepseek-v3")).number("unchanged"), 2000);
        QCOMPARE(info(p).json()[QStringLiteral("runs")].toArray().size(), 3);
    }

    void anImportOfNothingFails() {
        const QString p = project();
        const Outcome empty = import(p, file(QStringLiteral("empty.jsonl"), ""), QStringLiteral("s"), {});
        QCOMPARE(empty.code, 2);
        QVERIFY(empty.err.contains("nothing imported"));
        QVERIFY(!empty.err.contains("0 rows"));
        const Outcome bad = import(p, file(QStringLiteral("bad.jsonl"), "{\"q\":1}\n[]\n"), QStringLiteral("s"), {});
        QCOMPARE(bad.code, 2);
        QVERIFY2(bad.err.contains("all 2 rows") && bad.err.contains("--map"), bad.err.constData());
        const Outcome column =
            import(p, file(QStringLiteral("column.csv"), "prompt,answer\na,b\n"), QStringLiteral("s"), {});
        QCOMPARE(column.code, 2);
        QVERIFY2(column.err.contains("--map question=COLUMN"), column.err.constData());
        QCOMPARE(column.err.count("column.csv"), 1);
        QCOMPARE(info(p).json()[QStringLiteral("datasets")].toArray().size(), 0);
    }
};

CANDOR_TEST(DataCliTest);
#include "data_cli_test.moc"
