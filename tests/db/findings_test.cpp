// SPDX-License-Identifier: GPL-3.0-or-later
#include "db/findings.h"

#include "core/data/fields.h"
#include "db/export.h"
#include "db/filesystem.h"
#include "db/imported_runs.h"
#include "db/schema.h"
#include "tests/db/fixture.h"

using namespace candor;
using namespace candor::db;
using namespace candor::db::testing;

// What is counted about questions is also listed, and filters; what a migration adds is there afterwards.
class FindingsTest : public QObject {
    Q_OBJECT
  private slots:
    void countedListedAndFiltered();
    void nearDuplicatesFollowTheData();
    void facetsLeaveOutWhatIsReserved();
    void firstProjectsAreMigrated();
    void importedScoresReachTheRunner();
    void fileSystemTypes();
};

namespace {

Record question(const std::string& text, std::vector<std::string> gold, const std::string& extra = {}) {
    Record r;
    r.question = text;
    r.gold = std::move(gold);
    r.extra = extra;
    return r;
}

const ImportOptions kTrain{"set", "train", Role::Train, Domain::None, "", {}};
const ImportOptions kEval{"set", "test", Role::Eval, Domain::In, "", {}};

std::vector<Record> evalRows() {
    return {question("who wrote the red book of hours", {"Ann"}, R"({"subject":"art"})"),
            question("where is the town of Brill", {"in"}, R"({"subject":"places"})"),
            question("where is the town of Brill", {"Kent"}),
            question("who was the father of King Ban", {"King Ban"}),
            question("what is left", {"!"}),
            question("something else entirely", {"yes"})};
}

std::vector<Record> trainRows() {
    return {question("who wrote the blue book of hours", {"Bob"}), question("what is left", {"nothing"})};
}

using Ids = std::vector<std::int64_t>;

}  // namespace

void FindingsTest::countedListedAndFiltered() {
    Place place;
    const auto project = Project::create(place.file());
    importInto(*project, evalRows(), kEval);    // ids 1 to 6
    importInto(*project, trainRows(), kTrain);  // 7, 8
    updateNearDuplicates(*project);
    const auto c = project->reader();
    const auto with = [&](Finding f) { return filterQuestions(*c, {.set = "set/test", .with = {f}}); };
    QCOMPARE(with(Finding::Duplicate), Ids({3}));
    QCOMPARE(with(Finding::ConflictingDuplicate), Ids({2, 3}));
    QCOMPARE(with(Finding::Overlap), Ids({5}));
    QCOMPARE(with(Finding::NearDuplicate), Ids({1, 5}));
    QCOMPARE(with(Finding::EmptyGold), Ids({5}));
    QCOMPARE(with(Finding::GoldInQuestion), Ids({4}));
    QCOMPARE(with(Finding::FunctionWordGold), Ids({2}));
    QCOMPARE(filterQuestions(*c, {.set = "set/test", .without = {Finding::Overlap}}), Ids({1, 2, 3, 4, 6}));
    QCOMPARE(filterQuestions(*c, {.set = "set", .with = {Finding::Overlap}}), Ids({5}));
    QCOMPARE(
        filterQuestions(*c, {.without = {Finding::Overlap, Finding::NearDuplicate}, .facets = {{"subject", "places"}}}),
        Ids({2}));
    const DatasetRow row = datasets(*c).at(0);
    QCOMPARE(row.functionWordGold, 1);
    QCOMPARE(row.nearDuplicates, std::optional<std::int64_t>(2));
    QCOMPARE(row.overlap, 1);
    for (const Finding f : allFindings()) QVERIFY(findingNamed(nameOf(f)) == f);
    QVERIFY(!findingNamed("nonsense"));
}

void FindingsTest::nearDuplicatesFollowTheData() {
    Place place;
    const auto project = Project::create(place.file());
    importInto(*project, evalRows(), kEval);
    updateNearDuplicates(*project);
    QCOMPARE(datasets(*project->reader()).at(0).nearDuplicates, std::optional<std::int64_t>(0));
    importInto(*project, trainRows(), kTrain);
    QVERIFY(!datasets(*project->reader()).at(0).nearDuplicates);  // outdated, not wrong
    updateNearDuplicates(*project);
    QCOMPARE(datasets(*project->reader()).at(0).nearDuplicates, std::optional<std::int64_t>(2));
    QVERIFY(!datasets(*project->reader()).at(1).nearDuplicates);  // training sets have none
}

void FindingsTest::facetsLeaveOutWhatIsReserved() {
    Place place;
    const auto project = Project::create(place.file());
    auto rows = evalRows();
    rows[2].extra = R"({"subject":"places","candor:original":{"answer":"Kent"}})";
    rows[3].extra = R"({"candor:original":{"answer":"King Ban"}})";
    importInto(*project, rows, kEval);
    const auto c = project->reader();
    const auto found = facets(*c);
    QCOMPARE(found.size(), 1U);
    QCOMPARE(found[0].name, std::string("subject"));
    const std::vector<std::pair<std::string, std::int64_t>> want{{"art", 1}, {"places", 2}};
    QVERIFY(found[0].values == want);
    QVERIFY(facets(*c, "set/test", 1).empty());
    QCOMPARE(questionDetail(*c, 3, "")->extra, std::string(R"({"subject":"places"})"));
    QCOMPARE(questionDetail(*c, 4, "")->extra, std::string());
    // The writer still gets it.
    int kept = 0;
    exportRecords(*c, {"set", "", "import"},
                  [&](const Record& r) { kept += r.extra.find(kOriginalKey) != std::string::npos; });
    QCOMPARE(kept, 2);
}

// A file of the first schema, made by its own step alone.
void FindingsTest::firstProjectsAreMigrated() {
    Place place;
    {
        Connection c(place.file(), Connection::Mode::Create);
        prepareSchema(c, {migrations().front()}, true);
        c.run("INSERT INTO dataset(name) VALUES('set')");
        c.run("INSERT INTO split(dataset, name, role, domain, rows) VALUES(1, 'test', 1, 1, 1)");
        c.run(
            "INSERT INTO question(split, row, flags, text_hash, gold_hash, text, gold) VALUES(1, 0, 0, 1, 1, 'where', "
            "'[\"in\"]')");
    }
    QVERIFY(Project::probe(place.file()) == OpenResult::Migrated);
    const auto project = Project::open(place.file());
    QVERIFY(project->opened() == OpenResult::Migrated);
    QVERIFY(project->notice().find("schema1.copy") != std::string::npos);
    const auto c = project->reader();
    QCOMPARE(datasets(*c).at(0).functionWordGold, 1);
    QCOMPARE(filterQuestions(*c, {.with = {Finding::FunctionWordGold}}), Ids({1}));
    QCOMPARE(c->text("PRAGMA integrity_check").value(), std::string("ok"));
}

void FindingsTest::importedScoresReachTheRunner() {
    Place place;
    const auto project = Project::create(place.file());
    importInto(*project, makeRecords(6));
    const auto store = makeExperimentStore(*project);
    const auto experiment = store->experiment(makeSpec());
    ConfidenceOptions options;
    options.method = "p-true";
    options.model = "m";
    ConfidenceReport report;
    storeImportedConfidences(*project, {{1, 0.25}, {2, 0.75}}, "made up", options, report);
    QCOMPARE(report.runs.size(), 1U);
    QCOMPARE(report.runs[0].second, std::string("sweep"));  // the experiment that evaluates them
    QCOMPARE(runs(*project->reader(), experiment).size(), 1U);
    const auto items = store->items("nq", Role::Eval, "m", {}, 4);
    const std::vector<std::pair<std::string, double>> want{{"p-true", 0.25}};
    QVERIFY(items[0].scores == want);
    QVERIFY(items[2].scores.empty());
    // What uses labels is no training-free score.
    options.method = "theirs", options.budget = 10;
    report = {};
    storeImportedConfidences(*project, {{3, 0.5}}, "made up", options, report);
    QVERIFY(store->items("nq", Role::Eval, "m", {}, 4)[2].scores.empty());
}

void FindingsTest::fileSystemTypes() {
    QCOMPARE(networkFileSystemOfType(0x6969), std::string("NFS"));
    QCOMPARE(networkFileSystemOfType(0x01021997), std::string("9p"));
    for (const std::uint32_t local : {0xEF53U, 0x58465342U, 0x01021994U, 0x9123683EU})  // ext4, XFS, tmpfs, Btrfs
        QCOMPARE(networkFileSystemOfType(local), std::string());
}

CANDOR_TEST(FindingsTest);
#include "findings_test.moc"
