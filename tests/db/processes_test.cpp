// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/db/processes.h"

#include <chrono>
#include <cstdlib>
#include <random>
#include <thread>

#include "tests/db/fixture.h"

using namespace candor;
using namespace candor::db;
using namespace candor::db::testing;

// What several processes do to one project, and what is left when one is killed.
class ProcessesTest : public QObject {
    Q_OBJECT
  private slots:
    void eightProcessesOnOneFreshFile();
    void killedWritersKeepWhatTheyReported();
    void onlyDeadAttemptsAreInterrupted();
    void twoImportsOfTheSameFileAtOnce();
    void aKilledImportGoesOn();
};

void ProcessesTest::eightProcessesOnOneFreshFile() {
    Place place;
    std::vector<std::unique_ptr<Child>> children;
    for (int p = 0; p < 8; ++p)
        children.push_back(std::make_unique<Child>([&, p](const Child::Report&) {
            const auto project = Project::openOrCreate(place.file());
            const auto store = makeExperimentStore(*project);
            const auto experiment = store->experiment(makeSpec());
            for (int i = 0; i < 25; ++i) {
                const auto run = store->run(experiment, makePlan(std::to_string(p) + "-" + std::to_string(i)));
                const auto attempt = store->beginAttempt(run.id);
                store->recordSteps(attempt, std::vector<StepRecord>(3));
                store->endAttempt(attempt, RunStatus::Finished, "");
            }
        }));
    for (auto& child : children) QCOMPARE(child->wait(), 0);
    const auto c = Project::open(place.file())->reader();
    QCOMPARE(c->integer("SELECT count(*) FROM meta WHERE key = 'id'").value(), 1);
    QCOMPARE(experiments(*c).size(), 1U);
    QCOMPARE(experiments(*c).at(0).finished, 200);
    QCOMPARE(c->integer("SELECT count(*) FROM step").value(), 600);
    QCOMPARE(c->text("PRAGMA integrity_check").value(), std::string("ok"));
}

void ProcessesTest::killedWritersKeepWhatTheyReported() {
    Place place;
    Project::create(place.file());
    std::mt19937 random(1);
    std::int64_t attempts = 0, reportedInAll = 0;
    // tests/tools/kill_rounds.sh asks for more.
    const char* wanted = std::getenv("CANDOR_KILL_ROUNDS");
    const int rounds = wanted ? std::atoi(wanted) : 20;
    QVERIFY(rounds > 0);
    for (int round = 0; round < rounds; ++round) {
        Child child([&](const Child::Report& report) {
            const auto project = Project::open(place.file());
            const auto store = makeExperimentStore(*project);
            const auto run = store->run(store->experiment(makeSpec()), makePlan());
            const auto attempt = store->beginAttempt(run.id);
            report(0);
            for (std::int64_t n = 1;; ++n) {
                store->recordSteps(attempt, std::vector<StepRecord>(7));  // all seven or none
                report(n);
            }
        });
        if (child.next() == 0) ++attempts;
        std::this_thread::sleep_for(std::chrono::microseconds(random() % 40000));
        child.kill();
        std::int64_t reported = 0;
        for (std::int64_t n = child.next(); n >= 0; n = child.next()) reported = n;
        reportedInAll += reported;
        const auto project = Project::open(place.file());
        const auto c = project->reader();
        QCOMPARE(c->text("PRAGMA integrity_check").value(), std::string("ok"));
        const auto row = runs(*c).at(0);
        QCOMPARE(row.status, RunStatus::Interrupted);
        const auto stored = static_cast<std::int64_t>(steps(*c, row.id).size());
        QCOMPARE(stored % 7, 0);
        QVERIFY2(stored / 7 == reported || stored / 7 == reported + 1,
                 qPrintable(QString("%1 stored, %2 reported").arg(stored / 7).arg(reported)));
        QCOMPARE(c->integer("SELECT count(*) FROM attempt").value(), attempts);
    }
    QVERIFY(reportedInAll > 0);
}

void ProcessesTest::onlyDeadAttemptsAreInterrupted() {
    Place place;
    Project::create(place.file());
    const auto work = [&](const std::string& identity) {
        return [&place, identity](const Child::Report& report) {
            const auto project = Project::open(place.file());
            const auto store = makeExperimentStore(*project);
            const auto run = store->run(store->experiment(makeSpec()), makePlan(identity));
            const auto attempt = store->beginAttempt(run.id);
            store->recordSteps(attempt, std::vector<StepRecord>(2));
            report(run.id);
            for (;;) ::pause();
        };
    };
    Child dead(work("dead")), alive(work("alive"));
    const auto deadRun = dead.next(), aliveRun = alive.next();
    QVERIFY(deadRun > 0 && aliveRun > 0);
    dead.kill();
    const auto project = Project::open(place.file());
    const auto status = [&](std::int64_t run) {
        const auto rows = runs(*project->reader());
        return std::find_if(rows.begin(), rows.end(), [&](const RunRow& r) { return r.id == run; })->status;
    };
    QCOMPARE(status(deadRun), RunStatus::Interrupted);
    QCOMPARE(status(aliveRun), RunStatus::Running);
    const auto message = project->reader()->text("SELECT message FROM run_state WHERE id = ?", deadRun).value();
    QVERIFY2(message.find("after 2 recorded steps") != std::string::npos, message.c_str());
    QCOMPARE(project->markInterrupted(), 0);
    alive.kill();
    QCOMPARE(project->markInterrupted(), 1);  // without opening again
    QCOMPARE(status(aliveRun), RunStatus::Interrupted);
    const auto store = makeExperimentStore(*project);
    store->endAttempt(store->beginAttempt(deadRun), RunStatus::Finished, "");
    QCOMPARE(status(deadRun), RunStatus::Finished);
    QCOMPARE(project->reader()->integer("SELECT count(*) FROM attempt WHERE run = ?", deadRun).value(), 2);
}

void ProcessesTest::twoImportsOfTheSameFileAtOnce() {
    Place place;
    Project::create(place.file());
    const auto work = [&](const Child::Report&) { importInto(*Project::open(place.file()), makeRecords(4000)); };
    Child one(work), two(work);
    QCOMPARE(one.wait(), 0);
    QCOMPARE(two.wait(), 0);
    const auto c = Project::open(place.file())->reader();
    QCOMPARE(datasets(*c).at(0).rows, 4000);
    QCOMPARE(answerSets(*c).at(0).answered, 4000);
    QCOMPARE(answerSets(*c).at(0).judged, 4000);
}

void ProcessesTest::aKilledImportGoesOn() {
    Place place;
    Project::create(place.file());
    Child child([&](const Child::Report& report) {
        const auto project = Project::open(place.file());
        const RecordSource source = [&](const std::filesystem::path&, const std::function<void(Record &&)>& take) {
            for (int i = 0; i < 12000; ++i) {
                if (i == 11000) report(1);
                take(makeRecord(i));
            }
            return ReadReport{12000, 12000, 0, {}};
        };
        importRecords(*project, {"f"}, evalOptions(), source);
    });
    QCOMPARE(child.next(), 1);
    child.kill();
    const auto project = Project::open(place.file());
    const auto report = importInto(*project, makeRecords(12000));
    QVERIFY(report.unchanged >= 4000);
    const auto c = project->reader();
    QCOMPARE(datasets(*c).at(0).rows, 12000);
    QCOMPARE(answerSets(*c).at(0).answered, 12000);
    QCOMPARE(answerSets(*c).at(0).judged, 12000);
}

CANDOR_TEST(ProcessesTest);
#include "processes_test.moc"
