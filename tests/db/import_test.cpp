// SPDX-License-Identifier: GPL-3.0-or-later
#include <thread>

#include "core/error.h"
#include "tests/db/fixture.h"

using namespace candor;
using namespace candor::db;
using namespace candor::db::testing;

class ImportTest : public QObject {
    Q_OBJECT
  private slots:
    void aRowComesBackAsItWas();
    void theSameAgainChangesNothing();
    void otherContentIsAConflictAndStoresNothing();
    void aConflictMetLateTakesTheImportBack();
    void anotherModelAttaches();
    void questionsFirstThenAnswers();
    void rowsCountOverFiles();
    void countsAreThoseOfTheDesign();
    void overlapIsEvalRowsSeenInTraining();
    void rolesAndDomainsMustAgree();
    void answersNeedAModel();
    void stoppingKeepsWhatWasDoneAndResumes();
    void unusualTextsAndNumbersSurvive();
    void statisticsAreKept();
    void realFilesRoundTrip();
};

namespace {

std::string stateOf(Project& project) {
    const auto c = project.reader();
    std::string state;
    for (const char* table : {"question", "answer", "judgement", "split", "answer_stat", "judgement_stat"})
        state += std::to_string(c->integer("SELECT count(*) FROM " + std::string(table)).value()) + " ";
    return state;
}

void compareAnswers(const AnswerRecord& got, const AnswerRecord& want) {
    QCOMPARE(got.greedy, want.greedy);
    QCOMPARE(got.greedyTokens, want.greedyTokens);
    QCOMPARE(got.greedyLogprobs, want.greedyLogprobs);
    QCOMPARE(got.greedyCumulative, want.greedyCumulative);
    QCOMPARE(got.samples, want.samples);
}

}  // namespace

void ImportTest::aRowComesBackAsItWas() {
    Place place;
    const auto project = Project::create(place.file());
    const auto report = importInto(*project, makeRecords(5));
    QCOMPARE(report.rows, 5);
    QCOMPARE(report.imported, 5);
    QCOMPARE(report.unchanged, 0);
    const auto c = project->reader();
    const auto detail = questionDetail(*c, 3, "m");
    QVERIFY(detail.has_value());
    const Record want = makeRecord(2);
    QCOMPARE(detail->question.key.dataset, std::string("nq"));
    QCOMPARE(detail->question.key.split, std::string("test"));
    QCOMPARE(detail->question.key.row, 2);
    QVERIFY(detail->question.domain == Domain::In && detail->question.role == Role::Eval);
    QCOMPARE(detail->question.text, want.question);
    QCOMPARE(detail->question.gold, want.gold);
    QCOMPARE(detail->extra, want.extra);
    compareAnswers(detail->answers.value(), *want.answers);
    QVERIFY(detail->labels->greedyCorrect == want.labels->greedyCorrect);
    QVERIFY(detail->labels->sampleCorrect == want.labels->sampleCorrect);
    QVERIFY(detail->labels->agreement == want.labels->agreement);
    QVERIFY(!questionDetail(*c, 99, "m"));
    QVERIFY(!questionDetail(*c, 3, "nobody")->answers);
    QCOMPARE(questions(*c, {3, 1, 77}).size(), 2U);
    QCOMPARE(labelSets(*c), (std::vector<std::string>{"import"}));
    QCOMPARE(models(*c).at(0).name, std::string("m"));
}

void ImportTest::theSameAgainChangesNothing() {
    Place place;
    const auto project = Project::create(place.file());
    importInto(*project, makeRecords(2500));
    const auto before = stateOf(*project);
    const auto version = project->dataVersion();
    const auto report = importInto(*project, makeRecords(2500));
    QCOMPARE(report.imported, 2500);
    QCOMPARE(report.unchanged, 2500);
    QCOMPARE(stateOf(*project), before);
    QCOMPARE(project->dataVersion(), version);  // not even a write
    const auto longer = importInto(*project, makeRecords(2503));
    QCOMPARE(longer.unchanged, 2500);
    QCOMPARE(datasets(*project->reader()).at(0).rows, 2503);
}

void ImportTest::otherContentIsAConflictAndStoresNothing() {
    const std::vector<std::pair<const char*, std::function<void(Record&)>>> changes = {
        {"another question", [](Record& r) { r.question += "?"; }},
        {"other gold answers", [](Record& r) { r.gold.push_back("more"); }},
        {"other answers", [](Record& r) { r.answers->samples[2] += "."; }},
        {"other answers", [](Record& r) { r.answers->greedyLogprobs[2] = 0; }},
        {"other answers", [](Record& r) { r.extra = R"({"subject":"changed"})"; }},
        {"other verdicts", [](Record& r) { r.labels->agreement[1] = Verdict::Unparsed; }},
        {"other additional fields", [](Record& r) { r = questionOnly(r), r.extra = "{\"a\":1}"; }},
    };
    for (const auto& [what, change] : changes) {
        Place place;
        const auto project = Project::create(place.file());
        importInto(*project, makeRecords(10));
        const auto before = stateOf(*project);
        auto records = makeRecords(20);
        change(records[7]);
        try {
            importInto(*project, records);
            QFAIL(what);
        } catch (const InputError& e) {
            QCOMPARE(e.code(), std::string("conflict"));
            QCOMPARE(e.file(), std::string("made-up.jsonl"));
            QCOMPARE(e.line(), 8);
            const std::string message = e.what();
            QVERIFY2(message.find(what) != std::string::npos && message.find("row 7") != std::string::npos, e.what());
        }
        QCOMPARE(stateOf(*project), before);
    }
}

// Another process may fill the split between the comparison and the write.
void ImportTest::aConflictMetLateTakesTheImportBack() {
    Place place;
    const auto project = Project::create(place.file());
    const auto rival = Project::open(place.file());
    auto theirs = makeRecords(2600);
    theirs[2550].question = "theirs";
    bool first = true;
    const RecordSource source = [&](const std::filesystem::path&, const std::function<void(Record &&)>& take) {
        for (int i = 0; i < 2600; ++i) {
            if (i == 2540 && std::exchange(first, false)) {
                rival->write([&](Connection& c) {
                    c.run(
                        "INSERT INTO question(split, row, flags, text_hash, gold_hash, text, gold) "
                        "VALUES(1, 2550, 0, 1, 1, 'theirs', '[]')");
                });
            }
            take(makeRecord(i));
        }
        return ReadReport{2600, 2600, 0, {}};
    };
    QVERIFY_EXCEPTION_THROWN(importRecords(*project, {"f"}, evalOptions(), source), InputError);
    const auto c = project->reader();
    QCOMPARE(c->integer("SELECT count(*) FROM question").value(), 1);
    QCOMPARE(c->integer("SELECT count(*) FROM answer").value(), 0);
    QCOMPARE(c->integer("SELECT count(*) FROM judgement").value(), 0);
    QVERIFY(answerSets(*c).empty());
    QCOMPARE(datasets(*c).at(0).rows, 1);
}

void ImportTest::anotherModelAttaches() {
    Place place;
    const auto project = Project::create(place.file());
    importInto(*project, makeRecords(6));
    auto records = makeRecords(6, 2);
    for (Record& r : records) {
        r.answers->greedy = "different";
        r.extra = R"({"verbal_confidence":0.5})";
    }
    const auto report = importInto(*project, records, evalOptions("nq", "other"));
    QCOMPARE(report.unchanged, 0);
    const auto c = project->reader();
    QCOMPARE(datasets(*c).at(0).rows, 6);
    QCOMPARE(answerSets(*c).size(), 2U);
    QCOMPARE(answerSets(*c).at(1).k, 2);
    QCOMPARE(questionDetail(*c, 1, "m")->answers->greedy.value(), std::string("answer 0"));
    QCOMPARE(questionDetail(*c, 1, "m")->extra, std::string(R"({"subject":"s0"})"));
    QCOMPARE(questionDetail(*c, 1, "other")->answers->greedy.value(), std::string("different"));
    QCOMPARE(questionDetail(*c, 1, "other")->extra, std::string(R"({"verbal_confidence":0.5})"));
    QCOMPARE(importInto(*project, records, evalOptions("nq", "other")).unchanged, 6);
    records[5].question = "a shifted row";
    QVERIFY_EXCEPTION_THROWN(importInto(*project, records, evalOptions("nq", "third")), InputError);
    QCOMPARE(models(*c).size(), 2U);
}

void ImportTest::questionsFirstThenAnswers() {
    Place place;
    const auto project = Project::create(place.file());
    auto plain = makeRecords(4);
    for (Record& r : plain) r = questionOnly(r), r.extra.clear();
    auto options = evalOptions();
    options.model.clear();
    QCOMPARE(importInto(*project, plain, options).imported, 4);
    QCOMPARE(importInto(*project, makeRecords(4)).unchanged, 0);
    QCOMPARE(importInto(*project, makeRecords(4)).unchanged, 4);
    QCOMPARE(importInto(*project, plain, options).unchanged, 4);
    const auto c = project->reader();
    QCOMPARE(questionDetail(*c, 2, "m")->extra, makeRecord(1).extra);
    QCOMPARE(questionDetail(*c, 2, "")->extra, std::string());
    // Verdicts that come later join the answers that are there.
    auto bare = makeRecords(4);
    for (Record& r : bare) r.labels.reset();
    importInto(*project, bare, evalOptions("nq", "late"));
    QCOMPARE(answerSets(*c).at(1).judged, 0);
    importInto(*project, makeRecords(4), evalOptions("nq", "late"));
    QCOMPARE(answerSets(*c).at(1).judged, 4);
}

void ImportTest::rowsCountOverFiles() {
    Place place;
    const auto project = Project::create(place.file());
    importRecords(*project, {"a", "b"}, evalOptions(), sourceOf(makeRecords(3)));
    const auto c = project->reader();
    QCOMPARE(datasets(*c).at(0).rows, 6);
    QCOMPARE(datasets(*c).at(0).duplicates, 3);
    QCOMPARE(questions(*c, {6}).at(0).key.row, 5);
}

void ImportTest::countsAreThoseOfTheDesign() {
    Place place;
    const auto project = Project::create(place.file());
    std::vector<Record> records;
    const auto add = [&](const char* question, std::vector<std::string> gold) {
        Record r;
        r.question = question;
        r.gold = std::move(gold);
        records.push_back(r);
    };
    add("who wrote it", {"Ann", "Bob"});
    add("who wrote it", {"Bob", "Ann", "Bob"});  // the same set
    add("who sang it", {"Ann"});
    add("who sang it", {"Bob"});
    add("who sang it", {"Ann"});
    add("Who sang it", {"Cid"});  // another text
    add("empty", {});
    add("blank", {" ", ""});
    add("What is the capital of New York State?", {"new york"});
    add("Is Yorkshire in England?", {"York"});  // no word of the question
    const auto report = importInto(*project, records, evalOptions());
    QCOMPARE(report.duplicates, 3);
    QCOMPARE(report.conflictingDuplicates, 1);
    const auto row = datasets(*project->reader()).at(0);
    QCOMPARE(row.rows, 10);
    QCOMPARE(row.duplicates, 3);
    QCOMPARE(row.conflictingDuplicates, 1);
    QCOMPARE(row.emptyGold, 2);
    QCOMPARE(row.goldInQuestion, 1);
    const auto again = importInto(*project, records, evalOptions());
    QCOMPARE(again.duplicates, 3);
    QCOMPARE(again.conflictingDuplicates, 1);
}

void ImportTest::overlapIsEvalRowsSeenInTraining() {
    Place place;
    const auto project = Project::create(place.file());
    importInto(*project, makeRecords(10));
    auto train = evalOptions("pool");
    train.role = Role::Train;
    importInto(*project, makeRecords(4), train);
    auto rows = datasets(*project->reader());
    QCOMPARE(rows.at(0).overlap, 4);
    QCOMPARE(rows.at(1).overlap, 0);
    importInto(*project, makeRecords(7), evalOptions("late"));
    rows = datasets(*project->reader());
    QCOMPARE(rows.at(2).overlap, 4);
}

void ImportTest::rolesAndDomainsMustAgree() {
    Place place;
    const auto project = Project::create(place.file());
    auto options = evalOptions();
    options.domain = Domain::None;
    importInto(*project, makeRecords(2), options);
    options.role = Role::Train;
    QVERIFY_EXCEPTION_THROWN(importInto(*project, makeRecords(2), options), InputError);
    importInto(*project, makeRecords(2), evalOptions());  // names the domain at last
    QVERIFY(datasets(*project->reader()).at(0).domain == Domain::In);
    options = evalOptions();
    options.domain = Domain::Out;
    QVERIFY_EXCEPTION_THROWN(importInto(*project, makeRecords(2), options), InputError);
    options.dataset.clear();
    QVERIFY_EXCEPTION_THROWN(importInto(*project, makeRecords(2), options), InputError);
}

void ImportTest::answersNeedAModel() {
    Place place;
    const auto project = Project::create(place.file());
    auto options = evalOptions();
    options.model.clear();
    try {
        importInto(*project, makeRecords(2), options);
        QFAIL("expected an error");
    } catch (const InputError& e) {
        QCOMPARE(e.code(), std::string("missing_model"));
        QCOMPARE(e.line(), 1);
    }
    QVERIFY(datasets(*project->reader()).empty());
}

void ImportTest::stoppingKeepsWhatWasDoneAndResumes() {
    Place place;
    const auto project = Project::create(place.file());
    std::stop_source stop;
    const RecordSource source = [&](const std::filesystem::path&, const std::function<void(Record &&)>& take) {
        for (int i = 0; i < 3000; ++i) {
            if (i == 2000) stop.request_stop();
            take(makeRecord(i));
        }
        return ReadReport{3000, 3000, 0, {}};
    };
    QVERIFY_EXCEPTION_THROWN(importRecords(*project, {"f"}, evalOptions(), source, {}, stop.get_token()), Stopped);
    QCOMPARE(datasets(*project->reader()).at(0).rows, 2000);
    const auto report = importInto(*project, makeRecords(3000));
    QCOMPARE(report.unchanged, 2000);
    QCOMPARE(datasets(*project->reader()).at(0).rows, 3000);
}

void ImportTest::unusualTextsAndNumbersSurvive() {
    Place place;
    const auto project = Project::create(place.file());
    Record r = makeRecord(0);
    r.question = std::string("a\0b \xf0\x9f\x98\x80 '\"", 11);
    r.gold = {"", "\"quoted\"", "\xd8\xa7"};
    r.answers->greedy = "";
    r.answers->greedyTokens = {std::numeric_limits<std::int32_t>::max(), std::numeric_limits<std::int32_t>::min(), 0};
    r.answers->greedyLogprobs = {-std::numeric_limits<double>::infinity(), -0.0, 5e-324};
    r.answers->greedyCumulative = -std::numeric_limits<double>::infinity();
    r.answers->samples = {"", "", std::string(200000, 'x')};
    r.labels = LabelRecord{Verdict::Unparsed, {}, {}};
    importInto(*project, {r});
    const auto c = project->reader();
    const auto detail = questionDetail(*c, 1, "m");
    QCOMPARE(detail->question.text, r.question);
    QCOMPARE(detail->question.gold, r.gold);
    compareAnswers(*detail->answers, *r.answers);
    QVERIFY(std::signbit(detail->answers->greedyLogprobs[1]));
    QVERIFY(detail->labels->greedyCorrect == Verdict::Unparsed);
    QCOMPARE(importInto(*project, {r}).unchanged, 1);
    r.answers->greedyCumulative.reset();
    QVERIFY_EXCEPTION_THROWN(importInto(*project, {r}), InputError);
}

void ImportTest::statisticsAreKept() {
    Place place;
    const auto project = Project::create(place.file());
    importInto(*project, makeRecords(9));
    const auto row = answerSets(*project->reader()).at(0);
    QCOMPARE(row.answered, 9);
    QCOMPARE(row.judged, 9);
    QCOMPARE(row.k, 4);
    QVERIFY(std::abs(row.accuracy.value() - 3.0 / 9) < 1e-12);
    QVERIFY(std::abs(row.meanSampleShare.value() - 0.5) < 1e-12);
    // i % 4 of three parsed verdicts agree: 0, 1/3, 2/3, 1 twice each, then 0.
    QVERIFY(std::abs(row.meanConsistency.value() - 4.0 / 9) < 1e-12);
}

void ImportTest::realFilesRoundTrip() {
    CANDOR_NEED_SHARED();
    const auto file = candor::testing::shared() / "data" / "answers" / "mace_river.jsonl";
    Place place;
    const auto project = Project::create(place.file());
    const auto report = importFiles(*project, {file}, evalOptions("mace", "deepseek-v3"));
    QCOMPARE(report.imported, 2000);
    QCOMPARE(report.rejectedCount, 0);
    QCOMPARE(importFiles(*project, {file}, evalOptions("mace", "deepseek-v3")).unchanged, 2000);
    const auto c = project->reader();
    std::int64_t id = 0;
    bool same = true;
    int withVerbal = 0;
    readRecords(file, {}, [&](Record&& r) {
        const auto detail = questionDetail(*c, ++id, "deepseek-v3").value();
        same = same && detail.question.text == r.question && detail.question.gold == r.gold &&
               detail.extra == r.extra && detail.answers->samples == r.answers->samples &&
               detail.answers->greedy == r.answers->greedy && detail.labels->greedyCorrect == r.labels->greedyCorrect &&
               detail.labels->agreement == r.labels->agreement;
        withVerbal += detail.extra.find("\"verbal_confidence\"") != std::string::npos;
    });
    QVERIFY(same);
    QCOMPARE(withVerbal, 2000);
    const auto popqa = candor::testing::shared() / "data" / "qa" / "popqa_test.jsonl";
    auto options = evalOptions("popqa");
    options.model.clear();
    QCOMPARE(importFiles(*project, {popqa}, options).duplicates, 1199);
    QCOMPARE(datasets(*c).at(1).duplicates, 1199);
    QCOMPARE(datasets(*c).at(1).conflictingDuplicates, 559);
}

CANDOR_TEST(ImportTest);
#include "import_test.moc"
