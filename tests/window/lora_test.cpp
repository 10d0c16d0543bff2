// SPDX-License-Identifier: GPL-3.0-or-later
#include <QAction>
#include <QFile>
#include <QProcess>
#include <algorithm>

#include "app/example.h"
#include "app/services.h"
#include "tests/ui/window_fixture.h"
#include "ui/pages/experiments_page.h"

using namespace candor;
using namespace candor::ui;
using namespace candor::ui::testing;

// A LoRA run on a model folder through the real window and engine: started, stopped, the window closed, resumed; its
// numbers are those of the command line.
class LoraTest : public QObject {
    Q_OBJECT
  private slots:
    void stoppedClosedAndResumedEqualsTheCommandLine();
};

namespace {

ExperimentSpec loraSpec() {
    const auto folder = candor::testing::shared() / "fixtures" / "models" / "qwen2";
    return parseSpec(R"({"name": "lora", "model": ")" + folder.string() + R"(",
        "train": ["companies"], "eval": {"in": ["companies"], "out": ["belief"]}, "methods": ["elical"],
        "budgets": [50], "stage1": {"epochs": 12}, "stage2": {"epochs": 4},
        "optimiser": {"lr": 1e-3}, "selection": {"rule": "last"}, "dtype": "fp32"})");
}

std::vector<double> confidencesIn(const QString& file) {
    const auto project = db::Project::open(file.toStdString());
    const auto connection = project->reader();
    const auto runs = db::runs(*connection);
    if (runs.size() != 1 || runs[0].status != RunStatus::Finished) return {};
    return db::confidences(*connection, runs[0].id).confidence;
}

ExperimentsPage* experiments(MainWindow& window) {
    return static_cast<ExperimentsPage*>(window.page(MainWindow::ExperimentsPlace));
}

}  // namespace

void LoraTest::stoppedClosedAndResumedEqualsTheCommandLine() {
    CANDOR_NEED_SHARED();
    Place place;
    const QString file = place.file("window.candor"), other = place.file("cli.candor");
    for (const QString& each : {file, other}) app::installExample(*db::Project::create(each.toStdString()), {}, {});

    {
        MainWindow window(app::services());
        window.show();
        window.openProject(file);
        QVERIFY(waitOpened(window));
        window.go(MainWindow::ExperimentsPlace);
        experiments(window)->setSpec(loraSpec());
        QTRY_VERIFY(experiments(window)->startAction()->isEnabled());
        experiments(window)->start();
        const auto reader = window.session()->project()->reader();
        QTRY_VERIFY_WITH_TIMEOUT(!db::runs(*reader).empty() && !db::steps(*reader, db::runs(*reader)[0].id).empty(),
                                 kLong);
        experiments(window)->stop();
        QTRY_VERIFY_WITH_TIMEOUT(window.jobs().active().empty(), kLong);
        QCOMPARE(db::runs(*reader)[0].status, RunStatus::Stopped);
        window.close();
    }
    {
        MainWindow window(app::services());
        window.show();
        window.openProject(file);
        QVERIFY(waitOpened(window));
        window.go(MainWindow::ExperimentsPlace);
        experiments(window)->setSpec(loraSpec());
        QTRY_VERIFY(experiments(window)->startAction()->isEnabled());
        experiments(window)->start();
        QTRY_VERIFY_WITH_TIMEOUT(window.jobs().active().empty(), 5 * kLong);
        window.close();
    }

    QFile spec(place.file("spec.json"));
    QVERIFY(spec.open(QIODevice::WriteOnly));
    spec.write(QByteArray::fromStdString(specToJson(loraSpec())));
    spec.close();
    QProcess cli;
    cli.start(QStringLiteral(CANDOR_CLI), {QStringLiteral("run"), other, spec.fileName()});
    QVERIFY(cli.waitForFinished(5 * kLong));
    QVERIFY2(cli.exitCode() == 0, cli.readAllStandardError().constData());

    const auto window = confidencesIn(file), line = confidencesIn(other);
    QVERIFY(!window.empty());
    QCOMPARE(window, line);
    QVERIFY(*std::max_element(line.begin(), line.end()) > *std::min_element(line.begin(), line.end()));
}

CANDOR_TEST(LoraTest);
#include "lora_test.moc"
