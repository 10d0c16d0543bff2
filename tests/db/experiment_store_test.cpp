// SPDX-License-Identifier: GPL-3.0-or-later
#include <limits>

#include "tests/db/fixture.h"

using namespace candor;
using namespace candor::db;
using namespace candor::db::testing;

class ExperimentStoreTest : public QObject {
    Q_OBJECT
  private slots:
    void itemsHaveSharesOfTheFirstSamples();
    void itemsNameWhatIsMissing();
    void runsAreFoundByIdentityAndShared();
    void stepsAndEpochsComeBackAsTheyWere();
    void confidencesKeepNanAndInfinity();
    void metricsKeepIntervalsAndReasons();
    void subsetAndProvenanceComeBack();
    void scoredJoinsConfidenceAndTruth();
    void aSecondAttemptOfARunningRunIsRefused();
};

void ExperimentStoreTest::itemsHaveSharesOfTheFirstSamples() {
    Place place;
    const auto project = Project::create(place.file());
    importInto(*project, makeRecords(8));
    const auto store = makeExperimentStore(*project);
    const auto all = store->items("nq", Role::Eval, "m", {}, 4);
    QCOMPARE(all.size(), 8U);
    QCOMPARE(all[3].key.row, 3);
    QCOMPARE(all[3].question, std::string("question 3"));
    QCOMPARE(all[3].consistency.value(), 1.0);  // three agree, the fourth verdict is unparsed
    QCOMPARE(all[1].consistency.value(), 1.0 / 3);
    QCOMPARE(all[1].sampleShare.value(), 0.5);
    QCOMPARE(all[3].greedyCorrect.value(), true);
    QCOMPARE(all[4].greedyCorrect.value(), false);
    const double sum = -0.5 - 0.25 - 1e-17 - 0.1 - std::ldexp(1.0, -40);
    QCOMPARE(all[0].prob.value(), std::exp(sum));
    QCOMPARE(all[0].nProb.value(), std::exp(sum / 5));
    const auto one = store->items("nq/test", Role::Eval, "m", {}, 1);
    QCOMPARE(one[1].consistency.value(), 1.0);
    QCOMPARE(one[1].sampleShare.value(), 1.0);
    QCOMPARE(one[4].consistency.value(), 0.0);
}

void ExperimentStoreTest::itemsNameWhatIsMissing() {
    Place place;
    const auto project = Project::create(place.file());
    importInto(*project, makeRecords(2));
    const auto store = makeExperimentStore(*project);
    const auto set = messageOf([&] { store->items("nqq", Role::Eval, "m", {}, 4); });
    QVERIFY2(set.find("nqq") != std::string::npos && set.find("nq/test (eval)") != std::string::npos, set.c_str());
    const auto model = messageOf([&] { store->items("nq", Role::Eval, "llama", {}, 4); });
    QVERIFY2(model.find("llama") != std::string::npos && model.find("it has m") != std::string::npos, model.c_str());
    QVERIFY_EXCEPTION_THROWN(store->items("nq", Role::Train, "m", {}, 4), InputError);
}

void ExperimentStoreTest::runsAreFoundByIdentityAndShared() {
    Place place;
    const auto project = Project::create(place.file());
    const auto store = makeExperimentStore(*project);
    const auto first = store->experiment(makeSpec("one"));
    QCOMPARE(store->experiment(makeSpec("one")), first);
    const auto second = store->experiment(makeSpec("two"));
    QVERIFY(first != second);
    const auto run = store->run(first, makePlan());
    QCOMPARE(run.status, RunStatus::Planned);
    QCOMPARE(store->run(second, makePlan()).id, run.id);
    QVERIFY(store->run(second, makePlan("id-2")).id != run.id);
    const auto attempt = store->beginAttempt(run.id);
    QCOMPARE(store->run(first, makePlan()).status, RunStatus::Running);
    store->endAttempt(attempt, RunStatus::Finished, "");
    QCOMPARE(store->run(first, makePlan()).status, RunStatus::Finished);

    const auto c = project->reader();
    QCOMPARE(runs(*c).size(), 2U);
    const auto ofSecond = runs(*c, second);
    QCOMPARE(ofSecond.size(), 2U);
    QCOMPARE(ofSecond[0].experimentName, std::string("two"));
    QCOMPARE(ofSecond[0].budget, 500);
    QCOMPARE(ofSecond[0].labels, 480);
    QCOMPARE(ofSecond[0].status, RunStatus::Finished);
    QVERIFY(ofSecond[0].finishedMs >= ofSecond[0].startedMs && ofSecond[0].startedMs > 1600000000000);
    const auto listed = experiments(*c);
    QCOMPARE(listed.size(), 2U);
    QCOMPARE(listed[1].runs, 2);
    QCOMPARE(listed[1].finished, 1);
    QCOMPARE(listed[1].name, std::string("two"));
}

void ExperimentStoreTest::stepsAndEpochsComeBackAsTheyWere() {
    Place place;
    const auto project = Project::create(place.file());
    const auto store = makeExperimentStore(*project);
    const auto run = store->run(store->experiment(makeSpec()), makePlan()).id;
    const double inf = std::numeric_limits<double>::infinity(), nan = std::nan("");
    const auto old = store->beginAttempt(run);
    store->recordSteps(old, std::vector<StepRecord>{{"stage1", 1, 1, 9, 9, 9, 9}});
    store->endAttempt(old, RunStatus::Stopped, "asked to stop");
    const auto attempt = store->beginAttempt(run);
    store->recordSteps(attempt, std::vector<StepRecord>{{"stage1", 1, 1, 0.5, nan, 1e-4, -inf}});
    store->recordSteps(attempt,
                       std::vector<StepRecord>{{"stage2", 2, 7, inf, 0.1, 0.0, 3}, {"stage2", 2, 8, 1, 2, 3, 4}});
    store->recordEpoch(attempt, {"stage1", 1, 7, 0.3, nan, 0.7, inf, true});
    const auto c = project->reader();
    const auto got = steps(*c, run);
    QCOMPARE(got.size(), 3U);
    QCOMPARE(got[0].loss, 0.5);
    QVERIFY(std::isnan(got[0].gradNorm));
    QCOMPARE(got[0].rate, -inf);
    QCOMPARE(got[1].loss, inf);
    QCOMPARE(got[1].lr, 0.0);
    QCOMPARE(got[2].step, 8);
    store->recordEpochs(attempt, std::vector<EpochRecord>{{"stage2", 1, 8}, {"stage2", 2, 9}});
    const auto epoch = epochs(*c, run);
    QCOMPARE(epoch.size(), 3U);
    QCOMPARE(epoch[2].step, 9);
    QVERIFY(epoch[0].best && std::isnan(epoch[0].holdoutLoss));
    QCOMPARE(epoch[0].holdoutEce, inf);
    QCOMPARE(c->integer("SELECT count(*) FROM step").value(), 4);  // the first attempt's are kept
}

void ExperimentStoreTest::confidencesKeepNanAndInfinity() {
    Place place;
    const auto project = Project::create(place.file());
    importInto(*project, makeRecords(4));
    const auto store = makeExperimentStore(*project);
    const auto run = store->run(store->experiment(makeSpec()), makePlan()).id;
    const std::vector<std::int64_t> ids = {4, 2, 1, 3};
    const double inf = std::numeric_limits<double>::infinity();
    store->storeConfidences(run, ids, std::vector<double>{0.1, std::nan(""), inf, -inf});
    const auto c = project->reader();
    auto got = confidences(*c, run);
    QCOMPARE(got.question, (std::vector<std::int64_t>{1, 2, 3, 4}));
    QCOMPARE(got.confidence[0], inf);
    QVERIFY(std::isnan(got.confidence[1]));
    QCOMPARE(got.confidence[2], -inf);
    QCOMPARE(got.confidence[3], 0.1);
    store->storeConfidences(run, std::vector<std::int64_t>{2}, std::vector<double>{0.25});
    got = confidences(*c, run);
    QCOMPARE(got.question, (std::vector<std::int64_t>{2}));
    QVERIFY_EXCEPTION_THROWN(store->storeConfidences(run, ids, std::vector<double>{0.5}), Error);
    QVERIFY_EXCEPTION_THROWN(store->storeConfidences(run, std::vector<std::int64_t>{99}, std::vector<double>{0.5}),
                             Error);
    QCOMPARE(confidences(*c, run).confidence, (std::vector<double>{0.25}));  // a failed replacement replaces nothing
}

void ExperimentStoreTest::metricsKeepIntervalsAndReasons() {
    Place place;
    const auto project = Project::create(place.file());
    const auto store = makeExperimentStore(*project);
    const auto run = store->run(store->experiment(makeSpec()), makePlan()).id;
    const double inf = std::numeric_limits<double>::infinity();
    store->storeMetrics(
        run, std::vector<MetricRecord>{{"nq/test", "", "auroc", 0.75, 0.7, 0.8, 120, ""},
                                       {"in-domain", "macro", "nll", inf, {}, inf, 3, ""},
                                       {"x", "weighted", "auroc", std::nan(""), {}, {}, 0, "only correct answers"}});
    const auto c = project->reader();
    const auto got = runs(*c).at(0).metrics;
    QCOMPARE(got.size(), 3U);
    QCOMPARE(got[0].value, 0.75);
    QCOMPARE(got[0].lo.value(), 0.7);
    QCOMPARE(got[0].n, 120);
    QCOMPARE(got[1].value, inf);
    QVERIFY(!got[1].lo);
    QCOMPARE(got[1].hi.value(), inf);
    QCOMPARE(got[1].average, std::string("macro"));
    QCOMPARE(got[2].undefinedReason, std::string("only correct answers"));
    QVERIFY(std::isnan(got[2].value));
    store->storeMetrics(run, {});
    QVERIFY(runs(*c).at(0).metrics.empty());
}

void ExperimentStoreTest::subsetAndProvenanceComeBack() {
    Place place;
    const auto project = Project::create(place.file());
    const auto store = makeExperimentStore(*project);
    const auto run = store->run(store->experiment(makeSpec()), makePlan()).id;
    const std::vector<std::int64_t> order = {7, 3, 1LL << 40, 0, 5};
    store->recordSubset(run, order);
    store->recordProvenance(run, R"({"a":1})");
    store->recordProvenance(run, R"({"a":2})");
    const auto c = project->reader();
    QCOMPARE(subset(*c, run), order);
    QCOMPARE(provenance(*c, run), std::string(R"({"a":2})"));
    QVERIFY(subset(*c, 99).empty() && provenance(*c, 99).empty());
}

void ExperimentStoreTest::scoredJoinsConfidenceAndTruth() {
    Place place;
    const auto project = Project::create(place.file());
    auto train = evalOptions("train");
    train.role = Role::Train;
    importInto(*project, makeRecords(3), train);  // ids 1 to 3
    auto zoo = evalOptions("zoo");
    zoo.domain = Domain::Out;
    importInto(*project, makeRecords(3), zoo);  // 4 to 6
    importInto(*project, makeRecords(4));       // 7 to 10
    const auto store = makeExperimentStore(*project);
    const auto run = store->run(store->experiment(makeSpec()), makePlan()).id;
    store->storeConfidences(run, std::vector<std::int64_t>{1, 4, 7, 8, 10}, std::vector<double>{.9, .8, .7, .6, .5});
    const auto c = project->reader();
    const auto got = scored(*c, run);
    QCOMPARE(got.question, (std::vector<std::int64_t>{4, 7, 8, 10}));
    QCOMPARE(got.confidence, (std::vector<double>{.8, .7, .6, .5}));
    QCOMPARE(got.correct, (std::vector<double>{1, 1, 0, 1}));
    QCOMPARE(got.sets, (std::vector<std::string>{"nq/test", "zoo/test"}));
    QCOMPARE(got.set, (std::vector<std::int32_t>{1, 0, 0, 0}));
    QVERIFY((got.domains == std::vector<Domain>{Domain::In, Domain::Out}));
    QVERIFY(scored(*c, run, "nobody").question.empty());
}

void ExperimentStoreTest::aSecondAttemptOfARunningRunIsRefused() {
    Place place;
    const auto project = Project::create(place.file());
    const auto store = makeExperimentStore(*project);
    const auto run = store->run(store->experiment(makeSpec()), makePlan()).id;
    const auto attempt = store->beginAttempt(run);
    const auto why = messageOf([&] { store->beginAttempt(run); });
    QVERIFY2(why.find("being executed by process") != std::string::npos, why.c_str());
    QCOMPARE(Project::open(place.file())->markInterrupted(), 0);  // the lock is held
    store->endAttempt(attempt, RunStatus::Failed, "boom");
    QCOMPARE(runs(*project->reader()).at(0).message, std::string("boom"));
    store->endAttempt(store->beginAttempt(run), RunStatus::Finished, "");
    QVERIFY(std::filesystem::is_empty(project->folder() / "locks"));
}

CANDOR_TEST(ExperimentStoreTest);
#include "experiment_store_test.moc"
