// SPDX-License-Identifier: GPL-3.0-or-later
#include <QFile>
#include <QProcess>
#include <QTemporaryDir>
#include <cmath>
#include <nlohmann/json.hpp>

#include "tests/testing.h"

namespace {

using Json = nlohmann::json;

struct Outcome {
    int code = -1;
    QByteArray out, err;
    Json json() const { return Json::parse(out.toStdString()); }
};

Outcome cli(const QStringList& arguments, const QByteArray& input = {}) {
    QProcess process;
    process.start(QStringLiteral(CANDOR_CLI), arguments);
    process.write(input);
    process.closeWriteChannel();
    process.waitForFinished(60000);
    return {process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -1, process.readAllStandardOutput(),
            process.readAllStandardError()};
}

Outcome metrics(const QByteArray& rows, QStringList more = {}) {
    return cli(QStringList{"metrics", "-", "--json"} + more, rows);
}

QByteArray basic10() {
    return "confidence,correct,set,question\n.95,1,a,q1\n.90,1,a,q2\n.90,0,a,q3\n.80,1,a,q4\n.70,1,a,q4\n"
           ".60,0,b,q5\n.60,1,b,q6\n.40,0,b,q7\n.30,0,b,q8\n.10,0,b,q9\n";
}

QString written(const QTemporaryDir& folder, const QString& name, const QByteArray& content) {
    QFile file(folder.filePath(name));
    if (!file.open(QIODevice::WriteOnly)) return {};
    file.write(content);
    return file.fileName();
}

QByteArray read(const QString& name) {
    QFile file(name);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

}  // namespace

// `metrics` and `calibrate` as a user calls them, good input and bad.
class MetricsCliTest : public QObject {
    Q_OBJECT

  private slots:
    // The line is the file's, headers and blank lines counted; the text is what stands there.
    void badRowsAreFoundInTheFile_data() {
        QTest::addColumn<QByteArray>("rows");
        QTest::addColumn<QByteArray>("code");
        QTest::addColumn<int>("line");
        QTest::addColumn<QByteArray>("says");
        const QByteArray head = "confidence,correct\n";
        QTest::newRow("text") << head + ".5,1\n\nabc,0\n"
                              << QByteArray("non_finite_conf") << 4 << QByteArray("\"abc\"");
        QTest::newRow("nothing") << head + ".5,1\n,0\n" << QByteArray("non_finite_conf") << 3 << QByteArray("nothing");
        QTest::newRow("infinity") << head + "inf,1\n" << QByteArray("non_finite_conf") << 2 << QByteArray("\"inf\"");
        QTest::newRow("label") << head + ".5,2\n" << QByteArray("bad_label") << 2 << QByteArray("got 2");
        QTest::newRow("label text") << head + ".5,1\n.5,yes\n" << QByteArray("bad_label") << 3 << QByteArray("\"yes\"");
        QTest::newRow("per cent") << head + ".5,1\n95,1\n"
                                  << QByteArray("conf_out_of_range") << 3
                                  << QByteArray("got 95; are these percentages");
        QTest::newRow("JSON text") << QByteArray("{\"confidence\":0.5,\"correct\":1}\n\n{\"confidence\":\"x\"}\n")
                                   << QByteArray("non_finite_conf") << 3 << QByteArray("\"x\"");
        QTest::newRow("JSON null") << QByteArray("{\"confidence\":null,\"correct\":1}\n")
                                   << QByteArray("non_finite_conf") << 1 << QByteArray("nothing");
        QTest::newRow("JSON list") << QByteArray("{\"confidence\":[1],\"correct\":1}\n")
                                   << QByteArray("non_finite_conf") << 1 << QByteArray("[1]");
        QTest::newRow("not JSON") << QByteArray("{\"confidence\":1,\"correct\":1}\n{oops\n") << QByteArray("bad_line")
                                  << 2 << QByteArray("JSON object");
        QTest::newRow("after a quoted line break")
            << QByteArray("question,confidence,correct\n\"two\nlines, one cell\",.5,1\nb,x,1\n")
            << QByteArray("non_finite_conf") << 4 << QByteArray("\"x\"");
        QTest::newRow("open quote") << QByteArray("question,confidence,correct\na,.5,1\n\"b,.5,1\nc,.5,1\n")
                                    << QByteArray("bad_line") << 3 << QByteArray("never closed");
    }
    void badRowsAreFoundInTheFile() {
        QFETCH(QByteArray, rows);
        QFETCH(QByteArray, code);
        QFETCH(int, line);
        QFETCH(QByteArray, says);
        for (const QStringList& command : {QStringList{"metrics"}, QStringList{"calibrate", "--method", "platt"}}) {
            const Outcome outcome = cli(command + QStringList{"-", "--json"}, rows);
            QCOMPARE(outcome.code, 2);
            QCOMPARE(outcome.json()["error"].get<std::string>(), code.toStdString());
            QVERIFY(outcome.json()["line"] == Json(line));
            QVERIFY2(outcome.err.contains("-:" + QByteArray::number(line) + ": "), outcome.err.constData());
            QVERIFY2(outcome.err.contains(says) && !outcome.err.contains("nan"), outcome.err.constData());
        }
    }

    void quotesInsideACellAreText() {
        const Outcome outcome = metrics("question,confidence,correct\na 5\" disk,.5,1\n\"say \"\"hi\"\"\",.2,0\n");
        QCOMPARE(outcome.code, 0);
        QVERIFY(outcome.json()["n"] == Json(2));
    }

    void foldersAndRangesArePlain() {
        const QTemporaryDir folder;
        const Outcome outcome = cli({"metrics", folder.path(), "--json"});
        QCOMPARE(outcome.code, 2);
        QVERIFY(outcome.json()["error"] == Json("unreadable"));
        QVERIFY2(outcome.err.contains("folder"), outcome.err.constData());
        for (const QStringList& bad :
             {QStringList{"--bootstrap", "-3"}, QStringList{"--bootstrap", "2.5"}, QStringList{"--threads", "-1"},
              QStringList{"--batch", "-1"}, QStringList{"--level", "2"}}) {
            const Outcome wrong = metrics(basic10(), bad);
            QCOMPARE(wrong.code, 2);
            QVERIFY2((wrong.err + wrong.out).size() < 200, (wrong.err + wrong.out).constData());
        }
    }

    void countsAreWholeNumbers() {
        const Json all = metrics(basic10(), {"--group", "set"}).json();
        QVERIFY(all["n"].is_number_integer() && all["n"] == 10);
        QVERIFY(all["n_correct"].is_number_integer() && all["n_correct"] == 5);
        QVERIFY(all["groups"]["a"]["n"].is_number_integer());
    }

    // Accuracy 4/5 in a, 1/5 in b with a row taken away: 1/4.
    void groupsHaveThreeAverages() {
        const QByteArray rows = basic10().replace(".10,0,b,q9\n", "");
        const Json all = metrics(rows, {"--group", "set"}).json();
        const auto near = [](const Json& value, double want) { return std::abs(value.get<double>() - want) < 1e-12; };
        QVERIFY(near(all["accuracy"], 5. / 9));
        QVERIFY(near(all["macro"]["accuracy"]["value"], (.8 + .25) / 2));
        QVERIFY(near(all["weighted"]["accuracy"]["value"], 5. / 9));
        QVERIFY(
            near(all["weighted"]["auroc"]["value"],
                 (5 * all["groups"]["a"]["auroc"].get<double>() + 4 * all["groups"]["b"]["auroc"].get<double>()) / 9));
        QVERIFY(all["weighted"]["auroc"]["sets"] == Json(2));
        const QByteArray text = cli({"metrics", "-", "--group", "set"}, rows).out;
        for (const char* title : {"[pooled]", "[set = a]", "[macro", "[weighted"})
            QVERIFY2(text.contains(title), title);
    }

    // metrics.md B.2 and B.14: DeLong on the logit scale, and what to show instead of the percentile interval of ECE.
    void correctedIntervalsStandBesidePercentiles() {
        const QStringList options = {"--bootstrap", "200", "--seed", "1"};
        const Json all = metrics(basic10(), options).json();
        QVERIFY(all["auroc_delong"]["scale"] == Json("logit"));
        QVERIFY(all["auroc_delong"]["lo"] < .84 && all["auroc_delong"]["hi"] > .84);
        const Json& ece = all["ece_ew10_corrected"];
        QVERIFY(ece["lo"] <= ece["median"] && ece["median"] <= ece["hi"]);
        QVERIFY(ece["if_calibrated"]["lo"] <= ece["if_calibrated"]["expected"]);
        QVERIFY(ece["if_calibrated"]["p"] > .05);
        QVERIFY(all["intervals"]["ece_ew10"].contains("lo"));
        QVERIFY(!metrics(basic10()).json().contains("ece_ew10_corrected"));
        QCOMPARE(metrics(basic10(), options).out, metrics(basic10(), options).out);
    }

    // Every row ten times: as many questions as before, so the interval is as wide as before.
    void repeatedQuestionsAreDrawnTogether() {
        QByteArray rows = "confidence,correct,q\n";
        for (int i = 0; i < 40; ++i)
            for (int copy = 0; copy < 10; ++copy)
                rows += QByteArray(i % 2 ? ".4,1,q" : ".6,0,q") + QByteArray::number(i) + "\n";
        const auto width = [&](const QStringList& more) {
            const Json one = metrics(rows, QStringList{"--bootstrap", "200"} + more).json()["intervals"]["accuracy"];
            return one["hi"].get<double>() - one["lo"].get<double>();
        };
        QVERIFY(width({"--cluster", "q"}) > 2 * width({}));
    }

    void calibratesAndApplies() {
        const QTemporaryDir folder;
        const QString fit = written(folder, "fit.csv", basic10());
        const QString other = written(folder, "other.jsonl", "{\"confidence\": 0.5}\n{\"confidence\": 0.65}\n");
        const QString out = folder.filePath("out.csv");
        const Outcome outcome = cli({"calibrate", fit, "--method", "isotonic", "--apply", other, "--out", out});
        QCOMPARE(outcome.code, 0);
        QVERIFY2(outcome.out.contains("status interior\n"), outcome.out.constData());  // no quotes
        const QList<QByteArray> lines = read(out).split('\n');
        QCOMPARE(lines.value(0), QByteArray("confidence,calibrated"));
        QVERIFY(lines.value(1).startsWith("0.5,") && lines.value(2).startsWith("0.65,"));
        QVERIFY(std::abs(lines.value(1).mid(4).toDouble() - .25) < 1e-12);  // B.11
        QVERIFY(std::abs(lines.value(2).mid(5).toDouble() - .625) < 1e-12);
    }

    // Hours if the points of the fit were looked up one by one.
    void manyDifferentConfidencesAreQuick() {
        QByteArray rows = "confidence,correct\n";
        for (int i = 0; i < 200000; ++i)
            rows += QByteArray::number((i + .5) / 200000, 'g', 17) + (i % 3 ? ",0\n" : ",1\n");
        const Outcome text = cli({"calibrate", "-", "--method", "isotonic"}, rows);
        QCOMPARE(text.code, 0);
        QVERIFY2(text.out.contains("fitted 200000 points"), text.out.left(300).constData());
        QVERIFY(cli({"calibrate", "-", "--method", "isotonic", "--json"}, rows).json()["fitted"].size() == 200000);
    }

    void badCalibrationsSaySo() {
        const QTemporaryDir folder;
        const QString fit = written(folder, "fit.csv", basic10());
        const QString bad = written(folder, "bad.csv", "confidence\n.5\nx\n");
        const QString empty = written(folder, "empty.csv", "confidence\n");
        const QString out = folder.filePath("out.csv");
        const QStringList start = {"calibrate", fit, "--method", "platt", "--json"};
        const Outcome wrong = cli(start + QStringList{"--apply", bad, "--out", out});
        QCOMPARE(wrong.code, 2);
        QCOMPARE(wrong.json()["file"].get<std::string>(), bad.toStdString());  // not the file of the fit
        QVERIFY(wrong.json()["line"] == Json(3));
        QVERIFY(!QFile::exists(out));
        QVERIFY(cli(start + QStringList{"--apply", empty, "--out", out}).json()["error"] == Json("empty"));
        QVERIFY(cli(start + QStringList{"--apply", bad}).json()["error"] == Json("bad_usage"));
        QVERIFY(cli(start + QStringList{"--out", fit}).json()["error"] == Json("bad_usage"));
        QCOMPARE(read(fit), basic10());
        QCOMPARE(cli(start + QStringList{"--out", folder.filePath("no/out.csv")}).code, 1);
        QCOMPARE(cli({"calibrate", "-", "--method", "platt", "--apply", "-", "--out", out, "--json"}, basic10()).code,
                 2);
        QVERIFY(cli({"calibrate", fit, "--method", "plat", "--json"}).json()["error"] == Json("unknown_calibrator"));
    }
};

CANDOR_TEST(MetricsCliTest);
#include "metrics_cli_test.moc"
