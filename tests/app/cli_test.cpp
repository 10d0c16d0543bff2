// SPDX-License-Identifier: GPL-3.0-or-later
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QTemporaryDir>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/testing.h"

using candor::testing::shared;
using candor::testing::smollm2;

namespace {

struct Outcome {
    int code = -1;
    QByteArray out, err;
    QJsonObject json() const { return QJsonDocument::fromJson(out).object(); }
};

Outcome cli(const QStringList& arguments, const QByteArray& input = {}) {
    QProcess process;
    process.start(QStringLiteral(CANDOR_CLI), arguments);
    process.write(input);
    process.closeWriteChannel();
    process.waitForFinished(600000);
    return {process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -1, process.readAllStandardOutput(),
            process.readAllStandardError()};
}

QString path(const std::filesystem::path& file) { return QString::fromStdString(file.string()); }

QString written(const QTemporaryDir& folder, const QString& name, const QByteArray& content) {
    QFile file(folder.filePath(name));
    if (!file.open(QIODevice::WriteOnly)) return {};
    file.write(content);
    return file.fileName();
}

}  // namespace

// The command line as a user calls it: exit codes, JSON documents, and the fixtures through the real program.
class CliTest : public QObject {
    Q_OBJECT
  private slots:
    void usage() {
        QCOMPARE(cli({}).code, 2);
        QCOMPARE(cli({QStringLiteral("nonsense")}).code, 2);
        const Outcome help = cli({QStringLiteral("--help")});
        QCOMPARE(help.code, 0);
        for (const char* command : {"demo", "import", "run", "score", "tokenize", "metrics", "export", "info"})
            QVERIFY2(help.out.contains(command), command);
    }

    void metricsOfTheWorkedExample() {
        const QTemporaryDir folder;
        const QString csv = written(folder, QStringLiteral("basic10.csv"),
                                    "confidence,correct,set\n.95,1,a\n.90,1,a\n.90,0,a\n.80,1,a\n.70,1,a\n"
                                    ".60,0,b\n.60,1,b\n.40,0,b\n.30,0,b\n.10,0,b\n");
        const Outcome plain = cli({QStringLiteral("metrics"), csv, QStringLiteral("--json")});
        QCOMPARE(plain.code, 0);
        QCOMPARE(plain.json()[QStringLiteral("auroc")].toDouble(), 0.84);
        QVERIFY(std::abs(plain.json()[QStringLiteral("ece_ew10")].toDouble() - 0.235) < 1e-12);
        QVERIFY(std::abs(plain.json()[QStringLiteral("brier")].toDouble() - 0.17325) < 1e-12);

        const Outcome grouped = cli({QStringLiteral("metrics"), csv, QStringLiteral("--json"),
                                     QStringLiteral("--group"), QStringLiteral("set")});
        const QJsonObject groups = grouped.json()[QStringLiteral("groups")].toObject();
        QCOMPARE(groups.keys(), QStringList({QStringLiteral("a"), QStringLiteral("b")}));
        const QJsonObject macro =
            grouped.json()[QStringLiteral("macro")].toObject()[QStringLiteral("accuracy")].toObject();
        QCOMPARE(macro[QStringLiteral("sets")].toInt(), 2);
        QVERIFY(std::abs(macro[QStringLiteral("value")].toDouble() - 0.5) < 1e-12);
    }

    // spec/metrics.md B.14: 400 resamples of the worked example, seed 42.
    void bootstrapOfTheWorkedExample() {
        const Outcome outcome =
            cli({QStringLiteral("metrics"), QStringLiteral("-"), QStringLiteral("--json"),
                 QStringLiteral("--bootstrap"), QStringLiteral("400"), QStringLiteral("--seed"), QStringLiteral("42")},
                "confidence,correct\n.95,1\n.90,1\n.90,0\n.80,1\n.70,1\n.60,0\n.60,1\n.40,0\n.30,0\n.10,0\n");
        QCOMPARE(outcome.code, 0);
        const QJsonObject auroc =
            outcome.json()[QStringLiteral("intervals")].toObject()[QStringLiteral("auroc")].toObject();
        QVERIFY(std::abs(auroc[QStringLiteral("lo")].toDouble() - 0.523810) < 1e-6);
        QCOMPARE(auroc[QStringLiteral("hi")].toDouble(), 1.0);
        QVERIFY(std::abs(auroc[QStringLiteral("mean")].toDouble() - 0.841596) < 1e-6);
        QCOMPARE(auroc[QStringLiteral("skipped")].toInt(), 0);
    }

    void metricsOfJsonLinesFromStandardInput() {
        const Outcome outcome =
            cli({QStringLiteral("metrics"), QStringLiteral("-"), QStringLiteral("--json")},
                "{\"confidence\": 0.9, \"correct\": 1}\n\n{\"confidence\": 0.4, \"correct\": true}\n");
        QCOMPARE(outcome.code, 0);
        const QJsonObject json = outcome.json();
        QVERIFY(json[QStringLiteral("auroc")].isNull());
        QVERIFY(!json[QStringLiteral("undefined")].toObject()[QStringLiteral("auroc")].toString().isEmpty());
    }

    void badInputHasItsCode_data() {
        QTest::addColumn<QByteArray>("rows");
        QTest::addColumn<QString>("code");
        QTest::newRow("empty") << QByteArray("confidence,correct\n") << QStringLiteral("empty");
        QTest::newRow("missing confidence")
            << QByteArray("confidence,correct\n,1\n") << QStringLiteral("non_finite_conf");
        QTest::newRow("per cent") << QByteArray("confidence,correct\n95,1\n") << QStringLiteral("conf_out_of_range");
        QTest::newRow("label 2") << QByteArray("confidence,correct\n.5,2\n") << QStringLiteral("bad_label");
        QTest::newRow("missing label") << QByteArray("confidence,correct\n.5,\n") << QStringLiteral("bad_label");
        QTest::newRow("no column") << QByteArray("conf,correct\n.5,1\n") << QStringLiteral("missing_column");
    }
    void badInputHasItsCode() {
        QFETCH(QByteArray, rows);
        QFETCH(QString, code);
        const QTemporaryDir folder;
        const QString csv = written(folder, QStringLiteral("bad.csv"), rows);
        const Outcome outcome = cli({QStringLiteral("metrics"), csv, QStringLiteral("--json")});
        QCOMPARE(outcome.code, 2);
        QCOMPARE(outcome.json()[QStringLiteral("error")].toString(), code);
        QCOMPARE(outcome.json()[QStringLiteral("file")].toString(), csv);
        QVERIFY(!outcome.err.isEmpty());
    }

    void importCountsAndRepeats() {
        const QTemporaryDir folder;
        const QString project = folder.filePath(QStringLiteral("p.candor"));
        const QString file = written(folder, QStringLiteral("qa.jsonl"),
                                     "{\"question\": \"a\", \"answer\": [\"x\"]}\n\n"
                                     "{\"question\": \"a\", \"answer\": [\"y\"]}\nnot json\n"
                                     "{\"question\": \"b\", \"answer\": [\"x\"]}\n");
        const QStringList arguments = {QStringLiteral("import"),
                                       project,
                                       file,
                                       QStringLiteral("--dataset"),
                                       QStringLiteral("d"),
                                       QStringLiteral("--split"),
                                       QStringLiteral("eval"),
                                       QStringLiteral("--role"),
                                       QStringLiteral("eval"),
                                       QStringLiteral("--json")};
        for (int time = 0; time < 2; ++time) {
            const Outcome outcome = cli(arguments);
            QCOMPARE(outcome.code, 0);
            const QJsonObject json = outcome.json();
            QCOMPARE(json[QStringLiteral("rows")].toInt(), 4);
            QCOMPARE(json[QStringLiteral("imported")].toInt(), 3);
            QCOMPARE(json[QStringLiteral("rejected_count")].toInt(), 1);
            QCOMPARE(json[QStringLiteral("rejected")].toArray()[0].toObject()[QStringLiteral("line")].toInt(), 4);
            QCOMPARE(json[QStringLiteral("duplicates")].toInt(), 1);
            QCOMPARE(json[QStringLiteral("conflicting_duplicates")].toInt(), 1);
            QCOMPARE(json[QStringLiteral("unchanged")].toInt(), time == 0 ? 0 : 3);
        }
        const QJsonObject info = cli({QStringLiteral("info"), project, QStringLiteral("--json")}).json();
        QCOMPARE(info[QStringLiteral("datasets")].toArray()[0].toObject()[QStringLiteral("rows")].toInt(), 3);
    }

    void noProject() {
        const Outcome outcome =
            cli({QStringLiteral("info"), QStringLiteral("/nowhere/p.candor"), QStringLiteral("--json")});
        QCOMPARE(outcome.code, 2);
        QVERIFY(outcome.err.contains("/nowhere/p.candor"));
    }

    void tokenizeGivesTheReferenceIds() {
        CANDOR_NEED_SHARED();
        // Not by QJsonDocument, which drops a byte order mark at the start of a string.
        std::ifstream fixture(shared() / "fixtures/tokenizer_tiny.jsonl");
        QByteArray input;
        std::vector<nlohmann::json> expected;
        for (std::string line; std::getline(fixture, line);) {
            const auto row = nlohmann::json::parse(line);
            input += QByteArray::fromStdString(row["text"].dump()) + "\n";
            expected.push_back(row["ids"]);
        }
        const Outcome outcome = cli(
            {QStringLiteral("tokenize"), QStringLiteral("--model"), path(shared() / "fixtures/models/qwen2")}, input);
        QCOMPARE(outcome.code, 0);
        const QList<QByteArray> lines = outcome.out.trimmed().split('\n');
        QCOMPARE(lines.size(), static_cast<qsizetype>(expected.size()));
        for (qsizetype i = 0; i < lines.size(); ++i)
            QVERIFY(nlohmann::json::parse(lines[i].toStdString()) == expected[static_cast<std::size_t>(i)]);
    }

    void scoreGivesTheReferenceConfidences() {
        CANDOR_NEED_SHARED();
        QFile fixture(path(shared() / "fixtures/adapters.json"));
        QVERIFY(fixture.open(QIODevice::ReadOnly));
        const QJsonObject all = QJsonDocument::fromJson(fixture.readAll()).object();
        QByteArray questions;
        for (const auto& question : all[QStringLiteral("questions")].toArray())
            questions +=
                QJsonDocument(QJsonObject{{QStringLiteral("question"), question}}).toJson(QJsonDocument::Compact) +
                "\n";
        for (const QString& position : {QStringLiteral("last"), QStringLiteral("eos"), QStringLiteral("padded")}) {
            const Outcome outcome =
                cli({QStringLiteral("score"), QStringLiteral("--model"), path(shared() / "fixtures/models/qwen2"),
                     QStringLiteral("--adapter"), path(shared() / "fixtures/adapters/plain"),
                     QStringLiteral("--read-position"), position, QStringLiteral("-")},
                    questions);
            QVERIFY2(outcome.code == 0, outcome.err.constData());
            const QJsonArray expected =
                all[QStringLiteral("expected")].toObject()[QStringLiteral("plain")].toObject()[position].toArray();
            const QList<QByteArray> lines = outcome.out.trimmed().split('\n');
            QCOMPARE(lines.size(), expected.size());
            for (qsizetype i = 0; i < lines.size(); ++i) {
                const QJsonObject row = QJsonDocument::fromJson(lines[i]).object();
                QCOMPARE(row[QStringLiteral("index")].toInt(), static_cast<int>(i));
                QVERIFY(std::abs(row[QStringLiteral("confidence")].toDouble() - expected[i].toDouble()) < 1e-5);
            }
        }
    }

    void scoreWithoutAdapterIsAnError() {
        CANDOR_NEED_SHARED();
        const QTemporaryDir empty;
        const Outcome outcome =
            cli({QStringLiteral("score"), QStringLiteral("--model"), path(shared() / "fixtures/models/qwen2"),
                 QStringLiteral("--adapter"), empty.path(), QStringLiteral("-")},
                "q\n");
        QCOMPARE(outcome.code, 2);
        QVERIFY(outcome.out.isEmpty());
    }

    // The whole line on the embedded example: import, states, two stages, metrics, figures; a second time does nothing.
  private:
    // Each figure as PDF or table, and the same bytes again from the recipe that stands beside it.
    void everyFigureAndItsRecipe(const QTemporaryDir& folder, const QString& project) {
        const std::pair<const char*, const char*> all[] = {
            {"reliability", "svg"},  {"roc", "svg"},   {"risk-coverage", "svg"},   {"histogram", "svg"},
            {"budget-sweep", "svg"}, {"table", "tex"}, {"small-multiples", "svg"}, {"consistency-accuracy", "svg"}};
        for (const auto& [figure, format] : all) {
            const QString out =
                folder.filePath(QStringLiteral("%1.%2").arg(QLatin1String(figure), QLatin1String(format)));
            const Outcome made = cli({QStringLiteral("export"), project, QString::fromLatin1(figure),
                                      QStringLiteral("--out"), out, QStringLiteral("--json")});
            QVERIFY2(made.code == 0, made.err.constData());
            const QString again = folder.filePath(QStringLiteral("again.%1").arg(QLatin1String(format)));
            const Outcome second =
                cli({QStringLiteral("export"), project, QStringLiteral("--recipe"),
                     made.json()[QStringLiteral("recipe")].toString(), QStringLiteral("--out"), again});
            QVERIFY2(second.code == 0, second.err.constData());
            QFile a(out), b(again);
            QVERIFY(a.open(QIODevice::ReadOnly) && b.open(QIODevice::ReadOnly));
            QVERIFY(a.size() > 500);
            QCOMPARE(a.readAll(), b.readAll());
        }
        const QString broken = written(folder, QStringLiteral("broken.recipe.json"), "{\"figure\": 3}");
        const Outcome bad = cli({QStringLiteral("export"), project, QStringLiteral("--recipe"), broken,
                                 QStringLiteral("--out"), folder.filePath(QStringLiteral("x.pdf"))});
        QCOMPARE(bad.code, 2);
    }

  private slots:
    void demo() {
        const QTemporaryDir folder;
        const QString project = folder.filePath(QStringLiteral("demo.candor"));
        const Outcome first = cli({QStringLiteral("demo"), project, QStringLiteral("--json")});
        QVERIFY2(first.code == 0, first.err.constData());
        const QJsonObject json = first.json();
        QCOMPARE(json[QStringLiteral("failed")].toInt(), 0);
        QVERIFY(json[QStringLiteral("finished")].toInt() > 50);
        QCOMPARE(json[QStringLiteral("skipped")].toArray().size(), 0);
        for (const auto& figure : json[QStringLiteral("figures")].toArray()) {
            QFile file(figure.toString());
            QVERIFY2(file.size() > 200, qPrintable(file.fileName()));
        }
        double elical = 0, calOnly = 0;
        for (const auto& value : json[QStringLiteral("auroc")].toArray()) {
            const QJsonObject row = value.toObject();
            if (row[QStringLiteral("labels")].toInt() != 50) continue;
            if (row[QStringLiteral("method")].toString() == QStringLiteral("elical"))
                elical = row[QStringLiteral("in_domain")].toDouble();
            if (row[QStringLiteral("method")].toString() == QStringLiteral("cal-only"))
                calOnly = row[QStringLiteral("in_domain")].toDouble();
        }
        QVERIFY2(elical > calOnly + 0.03, "with 50 labels EliCal is well ahead of Cal-Only");

        everyFigureAndItsRecipe(folder, project);

        const Outcome second = cli({QStringLiteral("demo"), project, QStringLiteral("--json")});
        QCOMPARE(second.code, 0);
        QCOMPARE(second.json()[QStringLiteral("finished")].toInt(), 0);
        QCOMPARE(second.json()[QStringLiteral("already_done")].toInt(), json[QStringLiteral("finished")].toInt());
        QCOMPARE(second.json()[QStringLiteral("auroc")].toArray(), json[QStringLiteral("auroc")].toArray());
    }
};

CANDOR_TEST(CliTest);
#include "cli_test.moc"
