// SPDX-License-Identifier: GPL-3.0-or-later
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <thread>

#include "db/schema.h"
#include "tests/db/fixture.h"
#include "tests/db/processes.h"

using namespace candor;
using namespace candor::db;
using namespace candor::db::testing;

class ProjectTest : public QObject {
    Q_OBJECT
  private slots:
    void createOpenAndId();
    void headerAndPragmas();
    void writesAreAtomicAndRethrow();
    void enqueuedFailuresAreKept();
    void writingInsideAWriteIsRefused();
    void readersNeverWaitForTheWriter();
    void dataVersionGrowsWithEveryCommit();
    void newerIsRefused();
    void foreignFilesAreLeftAlone();
    void damagedIsSaidSo();
    void aLostVersionIsNotMigrated();
    void readOnlyIsSaidSo();
    void aFullDiskLosesNothingStored();
    void olderSchemasAreMigratedAfterACopy();
    void aFailedMigrationChangesNothing();
    void withoutAWriteAheadLog();
    void logsCannotBeRewritten();
};

namespace {

std::string bytesOf(const std::filesystem::path& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

void overwrite(const std::filesystem::path& file, const std::string& bytes) {
    std::ofstream(file, std::ios::binary | std::ios::trunc) << bytes;
}

void addMeta(Connection& c, const std::string& key) { c.run("INSERT INTO meta(key, value) VALUES(?, 'x')", key); }

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

void ProjectTest::createOpenAndId() {
    Place place;
    const auto project = Project::create(place.file());
    QCOMPARE(project->id().size(), 26U);
    QVERIFY(project->opened() == OpenResult::Current);
    QVERIFY2(project->notice().empty() || contains(project->notice(), "write-ahead log"), project->notice().c_str());
    QCOMPARE(project->folder(), std::filesystem::path(place.file().string() + ".d"));
    QVERIFY(std::filesystem::is_directory(project->folder()));
    QVERIFY(contains(messageOf([&] { Project::create(place.file()); }), "exists already"));
    QCOMPARE(Project::open(place.file())->id(), project->id());
    QCOMPARE(Project::openOrCreate(place.file())->id(), project->id());
    QVERIFY(contains(messageOf([&] { Project::open(place.folder() / "none.candor"); }), "does not exist"));
    QVERIFY(contains(messageOf([&] { Project::create(place.folder() / "no" / "x.candor"); }), "No such file"));
    QVERIFY(Project::openOrCreate(place.folder() / "other.candor")->id() != project->id());
}

void ProjectTest::headerAndPragmas() {
    Place place;
    const auto project = Project::create(place.file());
    QVERIFY(Project::probe(place.file()) == OpenResult::Current);
    project->write([](Connection& c) {
        QCOMPARE(c.integer("PRAGMA application_id").value(), std::int64_t(kApplicationId));
        QCOMPARE(c.integer("PRAGMA user_version").value(), std::int64_t(migrations().size()));
        QCOMPARE(c.integer("PRAGMA foreign_keys").value(), 1);
        QVERIFY(c.integer("PRAGMA busy_timeout").value() > 0);
        QCOMPARE(
            c.integer("SELECT count(*) FROM pragma_table_list WHERE type = 'table' AND schema = 'main' AND strict = 0 "
                      "AND name NOT LIKE 'sqlite_%'")
                .value(),
            0);
    });
    const auto reader = project->reader();
    QCOMPARE(reader->integer("PRAGMA foreign_keys").value(), 1);
    QVERIFY_EXCEPTION_THROWN(addMeta(*reader, "a"), SqlError);
}

void ProjectTest::writesAreAtomicAndRethrow() {
    Place place;
    const auto project = Project::create(place.file());
    QVERIFY(contains(messageOf([&] {
                         project->write([](Connection& c) {
                             addMeta(c, "half");
                             throw Error("the second half failed");
                         });
                     }),
                     "the second half failed"));
    QVERIFY(!project->reader()->text("SELECT value FROM meta WHERE key = 'half'"));
    // A failing neighbour in the same transaction takes nothing with it.
    std::vector<std::future<void>> done;
    for (int i = 0; i < 200; ++i)
        done.push_back(project->submit([i](Connection& c) {
            addMeta(c, "n" + std::to_string(i));
            if (i % 3 == 0) throw Error("no");
        }));
    int failed = 0;
    for (auto& d : done) failed += messageOf([&] { d.get(); }) == "no";
    QCOMPARE(failed, 67);
    QCOMPARE(project->reader()->integer("SELECT count(*) FROM meta WHERE key LIKE 'n%'").value(), 133);
}

void ProjectTest::enqueuedFailuresAreKept() {
    Place place;
    const auto project = Project::create(place.file());
    project->enqueue([](Connection& c) { addMeta(c, "a"); });
    project->flush();
    project->enqueue([](Connection& c) { addMeta(c, "a"); });
    QVERIFY(contains(messageOf([&] { project->flush(); }), "UNIQUE"));
    project->flush();  // told once
}

void ProjectTest::writingInsideAWriteIsRefused() {
    Place place;
    const auto project = Project::create(place.file());
    QVERIFY(contains(messageOf([&] { project->write([&](Connection&) { project->write([](Connection&) {}); }); }),
                     "inside a write"));
}

void ProjectTest::readersNeverWaitForTheWriter() {
    Place place;
    const auto project = Project::create(place.file());
    if (!project->notice().empty()) QSKIP("no write-ahead log on this file system");
    std::promise<void> inside, go;
    auto written = project->submit([&](Connection& c) {
        addMeta(c, "slow");
        inside.set_value();
        go.get_future().wait();
    });
    inside.get_future().wait();
    const auto reader = project->reader();  // opened and read while the writer holds its lock
    QVERIFY(!reader->text("SELECT value FROM meta WHERE key = 'slow'"));
    QVERIFY(project->dataVersion() > 0);
    go.set_value();
    written.get();
    QVERIFY(reader->text("SELECT value FROM meta WHERE key = 'slow'").has_value());
}

void ProjectTest::dataVersionGrowsWithEveryCommit() {
    Place place;
    const auto one = Project::create(place.file());
    const auto two = Project::open(place.file());
    const auto before = two->dataVersion();
    QCOMPARE(two->dataVersion(), before);
    one->write([](Connection& c) { addMeta(c, "a"); });
    const auto other = two->dataVersion();
    QVERIFY(other > before);
    two->write([](Connection& c) { addMeta(c, "b"); });
    QVERIFY(two->dataVersion() > other);
}

void ProjectTest::newerIsRefused() {
    Place place;
    Project::create(place.file())->write([](Connection& c) { c.script("PRAGMA user_version = 77"); });
    const auto before = bytesOf(place.file());
    QVERIFY(Project::probe(place.file()) == OpenResult::Newer);
    const auto why = messageOf([&] { Project::open(place.file()); });
    QVERIFY2(contains(why, "newer Candor") && contains(why, "77"), why.c_str());
    QVERIFY(contains(messageOf([&] { Project::openOrCreate(place.file()); }), "newer Candor"));
    QCOMPARE(bytesOf(place.file()), before);
}

void ProjectTest::foreignFilesAreLeftAlone() {
    Place place;
    overwrite(place.file(), "{\"question\": \"a\"}\n");
    const auto text = bytesOf(place.file());
    QVERIFY(Project::probe(place.file()) == OpenResult::NotAProject);
    QVERIFY(contains(messageOf([&] { Project::openOrCreate(place.file()); }), "not a Candor project"));
    QCOMPARE(bytesOf(place.file()), text);

    const auto database = place.folder() / "other.db";
    Connection(database, Connection::Mode::Create).script("CREATE TABLE t(a)");
    const auto before = bytesOf(database);
    QVERIFY(Project::probe(database) == OpenResult::NotAProject);
    QVERIFY(contains(messageOf([&] { Project::open(database); }), "another program"));
    QVERIFY(contains(messageOf([&] { Project::openOrCreate(database); }), "another program"));
    QCOMPARE(bytesOf(database), before);

    overwrite(place.folder() / "empty.candor", "");
    QVERIFY(Project::probe(place.folder() / "empty.candor") == OpenResult::NotAProject);
    QVERIFY(contains(messageOf([&] { Project::open(place.folder() / "empty.candor"); }), "empty"));
    QVERIFY(Project::probe(place.folder()) == OpenResult::NotAProject);
}

void ProjectTest::damagedIsSaidSo() {
    Place place;
    importInto(*Project::create(place.file()), makeRecords(300));
    const auto whole = bytesOf(place.file());
    const auto cut = place.folder() / "cut.candor";
    for (const double share : {0.9, 0.5, 0.1}) {
        overwrite(cut, whole.substr(0, static_cast<std::size_t>(share * static_cast<double>(whole.size()))));
        QVERIFY(Project::probe(cut) == OpenResult::Damaged);
        const auto why = messageOf([&] { Project::open(cut); });
        QVERIFY2(contains(why, "damaged") && contains(why, cut.string()), why.c_str());
    }
    std::string garbled = whole;
    for (std::size_t i = 100; i < 8192; ++i) garbled[i] = static_cast<char>(i * 37);
    overwrite(cut, garbled);
    QVERIFY(Project::probe(cut) == OpenResult::Damaged);
}

void ProjectTest::aLostVersionIsNotMigrated() {
    Place place;
    Project::create(place.file())->write([](Connection& c) { c.script("PRAGMA user_version = 0"); });
    const auto before = bytesOf(place.file());
    QVERIFY(Project::probe(place.file()) == OpenResult::Damaged);
    QVERIFY(contains(messageOf([&] { Project::openOrCreate(place.file()); }), "schema version is 0"));
    QCOMPARE(bytesOf(place.file()), before);
}

void ProjectTest::readOnlyIsSaidSo() {
    Place place;
    Project::create(place.file());
    using std::filesystem::perms;
    std::filesystem::permissions(place.file(), perms::owner_read | perms::group_read | perms::others_read);
    std::filesystem::permissions(place.folder(), static_cast<perms>(0755));
    const auto before = bytesOf(place.file());
    Child child([&](const Child::Report& report) {
        if (::geteuid() == 0 && ::setuid(65534) != 0) throw Error("root could not become nobody");  // root may write
        const auto why = messageOf([&] { Project::open(place.file()); });
        if (!contains(why, "cannot be written (Permission denied)")) throw Error("not the expected words: " + why);
        report(1);
        report(contains(messageOf([&] { Project::create(place.folder() / "new.candor"); }), "Permission denied"));
    });
    QCOMPARE(child.next(), 1);
    QCOMPARE(child.next(), 1);
    QCOMPARE(bytesOf(place.file()), before);
}

// A limit on the file size stands for the full disk: it needs no mount.
void ProjectTest::aFullDiskLosesNothingStored() {
    Place place;
    importInto(*Project::create(place.file()), makeRecords(50));
    Child child([&](const Child::Report& report) {
        std::signal(SIGXFSZ, SIG_IGN);
        const auto project = Project::open(place.file());
        const rlimit limit{1 << 20, 1 << 20};
        ::setrlimit(RLIMIT_FSIZE, &limit);
        project->write([](Connection& c) { addMeta(c, "fits"); });
        const auto why = messageOf([&] { importInto(*project, makeRecords(20000), evalOptions("big")); });
        report(contains(why, "nothing of this change was stored") && contains(why, "space"));
    });
    QCOMPARE(child.next(), 1);
    child.wait();
    const auto project = Project::open(place.file());
    const auto c = project->reader();
    QVERIFY(c->text("SELECT value FROM meta WHERE key = 'fits'").has_value());
    QCOMPARE(c->text("PRAGMA integrity_check").value(), std::string("ok"));
    QCOMPARE(questionDetail(*c, 50, "m")->answers->greedy.value(), std::string("answer 49"));
    QCOMPARE(importInto(*project, makeRecords(20000), evalOptions("big")).imported, 20000);
}

void ProjectTest::olderSchemasAreMigratedAfterACopy() {
    Place place;
    importInto(*Project::create(place.file()), makeRecords(20));
    Migrations steps = migrations();
    steps.push_back([](Connection& c) { c.script("ALTER TABLE run ADD COLUMN colour INTEGER NOT NULL DEFAULT 0"); });
    steps.push_back([](Connection& c) { c.run("INSERT INTO meta(key, value) VALUES('third', 'yes')"); });
    QVERIFY(inspect(place.file(), steps).result == OpenResult::Migrated);
    {
        Connection c(place.file(), Connection::Mode::ReadWrite);
        const auto prepared = prepareSchema(c, steps, false);
        QVERIFY(prepared.result == OpenResult::Migrated);
        QCOMPARE(c.integer("PRAGMA user_version").value(), std::int64_t(steps.size()));
        QCOMPARE(c.text("SELECT value FROM meta WHERE key = 'third'").value(), std::string("yes"));
        QCOMPARE(c.integer("SELECT count(*) FROM question").value(), 20);
        // The copy is the project as it was: this version opens it, but not the migrated one.
        const auto old = Project::open(prepared.copy);
        QCOMPARE(old->reader()->integer("SELECT count(*) FROM answer").value(), 20);
        QVERIFY(prepareSchema(c, steps, false).result == OpenResult::Current);
    }
    QVERIFY(contains(messageOf([&] { Project::open(place.file()); }), "newer Candor"));
}

void ProjectTest::aFailedMigrationChangesNothing() {
    Place place;
    Project::create(place.file());
    const auto tables = [&] {
        return Connection(place.file(), Connection::Mode::ReadOnly)
            .text("SELECT group_concat(sql) || (SELECT * FROM pragma_user_version) FROM sqlite_schema")
            .value();
    };
    const auto before = tables();
    Migrations steps = migrations();
    steps.push_back([](Connection& c) { c.script("DROP TABLE slice; CREATE TABLE extra(a INTEGER) STRICT"); });
    steps.push_back([](Connection&) { throw Error("step three fails"); });
    {
        Connection c(place.file(), Connection::Mode::ReadWrite);
        QVERIFY(contains(messageOf([&] { prepareSchema(c, steps, false); }), "step three fails"));
    }
    QCOMPARE(tables(), before);
    QVERIFY(Project::open(place.file())->opened() == OpenResult::Current);
}

void ProjectTest::withoutAWriteAheadLog() {
    Place place;
    ::setenv("CANDOR_JOURNAL", "delete", 1);
    const auto project = Project::create(place.file());
    ::unsetenv("CANDOR_JOURNAL");
    QVERIFY2(contains(project->notice(), "without a write-ahead log"), project->notice().c_str());
    importInto(*project, makeRecords(30));
    const auto before = project->dataVersion();
    project->write([](Connection& c) { addMeta(c, "a"); });
    QVERIFY(project->dataVersion() > before);
    QCOMPARE(project->reader()->text("PRAGMA journal_mode").value(), std::string("delete"));
    QVERIFY(!std::filesystem::exists(place.file().string() + "-wal"));
}

void ProjectTest::logsCannotBeRewritten() {
    Place place;
    const auto project = Project::create(place.file());
    importInto(*project, makeRecords(1));
    project->write([](Connection& c) {
        for (const int verdict : {0, 1})
            c.run(
                "INSERT INTO human_label(question, answer_set, kind, sample, verdict, state, annotator, at_ms, note) "
                "VALUES(1, 1, 0, -1, ?, 'done', 'ann', 1, '')",
                verdict);
    });
    QVERIFY(
        contains(messageOf([&] { project->write([](Connection& c) { c.run("DELETE FROM human_label"); }); }), "log"));
    QVERIFY(contains(
        messageOf([&] { project->write([](Connection& c) { c.run("UPDATE human_label SET verdict = 1"); }); }), "log"));
    const auto c = project->reader();
    QCOMPARE(c->integer("SELECT count(*) FROM human_current").value(), 1);
    QVERIFY(questionDetail(*c, 1, "m", "human")->labels->greedyCorrect == Verdict::Yes);  // the newest
}

CANDOR_TEST(ProjectTest);
#include "project_test.moc"
