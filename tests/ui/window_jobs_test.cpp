// SPDX-License-Identifier: GPL-3.0-or-later
#include <QSignalSpy>
#include <QTest>
#include <atomic>
#include <thread>

#include "core/error.h"
#include "tests/testing.h"
#include "ui/jobs/job_queue.h"

using candor::Event;
using candor::EventKind;
using candor::EventSink;
using namespace candor::ui;

namespace {

Event happened(EventKind kind, std::int64_t run = 0, const char* text = "") {
    Event event;
    event.kind = kind;
    event.run = run;
    event.text = text;
    return event;
}

Event progress(std::int64_t done, std::int64_t total) {
    Event event = happened(EventKind::Progress);
    event.stage = "stage1";
    event.done = done;
    event.total = total;
    return event;
}

void waitForStop(std::stop_token stop) {
    while (!stop.stop_requested()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

}  // namespace

class WindowJobsTest : public QObject {
    Q_OBJECT
  private slots:
    void outcomeIsWhatTheWorkSaid_data();
    void outcomeIsWhatTheWorkSaid();
    void engineJobsRunOneAfterAnother();
    void besideJobsRunBeside();
    void stopIsIdempotent();
    void queuedJobStopsWithoutRunning();
    void destructorStopsAndJoins();
    void progressIsCoalescedToItsLast();
    void equalMessagesAreCounted();
    void checkpointIsOfTheRunAtWork();
};

void WindowJobsTest::outcomeIsWhatTheWorkSaid_data() {
    QTest::addColumn<int>("kind");
    QTest::addColumn<JobState>("outcome");
    QTest::addColumn<QString>("message");
    QTest::newRow("returns") << 0 << JobState::Ok << QString();
    QTest::newRow("throws an error") << 1 << JobState::Failed << QStringLiteral("no model");
    QTest::newRow("throws stopped") << 2 << JobState::Stopped << QStringLiteral("stopped");
    QTest::newRow("throws anything") << 3 << JobState::Failed << QStringLiteral("The job ended with an unknown error.");
}

void WindowJobsTest::outcomeIsWhatTheWorkSaid() {
    QFETCH(int, kind);
    QFETCH(JobState, outcome);
    QFETCH(QString, message);
    JobQueue queue;
    QSignalSpy finished(&queue, &JobQueue::jobFinished);
    const int id = queue.start(QStringLiteral("job"), [kind](const EventSink&, std::stop_token) {
        if (kind == 1) throw candor::Error("no model");
        if (kind == 2) throw candor::Stopped();
        if (kind == 3) throw 7;
    });
    QVERIFY(finished.wait());
    QCOMPARE(finished.first().at(0).toInt(), id);
    QCOMPARE(finished.first().at(1).value<JobState>(), outcome);
    QCOMPARE(finished.first().at(2).toString(), message);
    QCOMPARE(queue.find(id)->state, outcome);
    QVERIFY(queue.active().empty());
}

void WindowJobsTest::engineJobsRunOneAfterAnother() {
    JobQueue queue;
    std::atomic<int> running = 0, most = 0;
    const auto work = [&](const EventSink&, std::stop_token) {
        most = std::max(most.load(), ++running);
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        --running;
    };
    QSignalSpy finished(&queue, &JobQueue::jobFinished);
    for (int i = 0; i < 4; ++i) queue.start(QStringLiteral("job"), work);
    QTRY_COMPARE(finished.count(), 4);
    QCOMPARE(most.load(), 1);
    for (int i = 0; i < 4; ++i) QCOMPARE(finished.at(i).at(0).toInt(), i + 1);
}

void WindowJobsTest::besideJobsRunBeside() {
    JobQueue queue;
    std::atomic<bool> both = false;
    QSignalSpy finished(&queue, &JobQueue::jobFinished);
    const int engine =
        queue.start(QStringLiteral("engine"), [](const EventSink&, std::stop_token stop) { waitForStop(stop); });
    queue.start(
        QStringLiteral("import"), [&](const EventSink&, std::stop_token) { both = true; }, JobLane::Beside);
    QVERIFY(finished.wait());
    QVERIFY(both);
    QVERIFY(queue.find(engine)->active());
}

void WindowJobsTest::stopIsIdempotent() {
    JobQueue queue;
    QSignalSpy stopping(&queue, &JobQueue::jobStopping), finished(&queue, &JobQueue::jobFinished);
    const int id = queue.start(QStringLiteral("job"), [](const EventSink&, std::stop_token stop) {
        waitForStop(stop);
        throw candor::Stopped();
    });
    for (int i = 0; i < 5; ++i) queue.stop(id);
    QCOMPARE(queue.find(id)->state, JobState::Stopping);
    QCOMPARE(stopping.count(), 1);
    QVERIFY(finished.wait());
    queue.stop(id);
    queue.stop(12345);
    QCOMPARE(finished.count(), 1);
    QCOMPARE(finished.first().at(1).value<JobState>(), JobState::Stopped);
}

void WindowJobsTest::queuedJobStopsWithoutRunning() {
    JobQueue queue;
    std::atomic<bool> ran = false;
    QSignalSpy finished(&queue, &JobQueue::jobFinished);
    queue.start(QStringLiteral("first"), [](const EventSink&, std::stop_token stop) { waitForStop(stop); });
    const int second = queue.start(QStringLiteral("second"), [&](const EventSink&, std::stop_token) { ran = true; });
    queue.stop(second);
    QCOMPARE(finished.count(), 1);
    queue.stopAll();
    QTRY_COMPARE(finished.count(), 2);
    QVERIFY(!ran);
}

void WindowJobsTest::destructorStopsAndJoins() {
    std::atomic<int> ended = 0;
    bool signalled = false;
    {
        JobQueue queue;
        connect(&queue, &JobQueue::jobFinished, this, [&] { signalled = true; });
        for (const JobLane lane : {JobLane::Engine, JobLane::Beside, JobLane::Beside})
            queue.start(
                QStringLiteral("job"),
                [&](const EventSink& events, std::stop_token stop) {
                    for (int i = 0; i < 100; ++i) events(progress(i, 100));
                    waitForStop(stop);
                    std::this_thread::sleep_for(std::chrono::milliseconds(30));
                    ++ended;
                },
                lane);
    }
    QCOMPARE(ended.load(), 3);
    QTest::qWait(50);  // nothing that was queued reaches anybody
    QVERIFY(!signalled);
}

void WindowJobsTest::progressIsCoalescedToItsLast() {
    JobQueue queue;
    int events = 0;
    std::int64_t last = 0;
    std::vector<std::string> metrics;
    connect(&queue, &JobQueue::jobEvent, this, [&](int, const Event& event, int) {
        if (event.kind == EventKind::Metric) metrics.push_back(event.text);
        if (event.kind != EventKind::Progress) return;
        ++events;
        last = event.done;
    });
    QSignalSpy finished(&queue, &JobQueue::jobFinished);
    const int id = queue.start(QStringLiteral("job"), [](const EventSink& sink, std::stop_token) {
        for (int i = 1; i <= 20000; ++i) sink(progress(i, 20000));
        for (int i = 0; i < 3; ++i) sink(happened(EventKind::Metric, 0, "auroc"));
    });
    QVERIFY(finished.wait());
    QCOMPARE(last, 20000);
    QVERIFY2(events < 200, qPrintable(QString::number(events)));
    QCOMPARE(metrics.size(), std::size_t(3));  // only progress is dropped
    QCOMPARE(queue.find(id)->progress.done, 20000);
}

void WindowJobsTest::equalMessagesAreCounted() {
    JobQueue queue;
    int total = 0, deliveries = 0;
    connect(&queue, &JobQueue::jobEvent, this, [&](int, const Event& event, int count) {
        if (event.kind != EventKind::Message) return;
        total += count;
        ++deliveries;
    });
    QSignalSpy finished(&queue, &JobQueue::jobFinished);
    queue.start(QStringLiteral("job"), [](const EventSink& sink, std::stop_token) {
        for (int i = 0; i < 1000; ++i) sink(happened(EventKind::Message, 0, "endpoint does not answer"));
    });
    QVERIFY(finished.wait());
    QCOMPARE(total, 1000);
    QVERIFY(deliveries < 100);
}

void WindowJobsTest::checkpointIsOfTheRunAtWork() {
    JobQueue queue;
    std::atomic<int> step = 0;
    const int id = queue.start(QStringLiteral("job"), [&](const EventSink& sink, std::stop_token stop) {
        sink(happened(EventKind::Started, 1));
        sink(happened(EventKind::Checkpoint, 1));
        while (step < 1 && !stop.stop_requested()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
        sink(happened(EventKind::Started, 2));
        waitForStop(stop);
    });
    QTRY_VERIFY(queue.find(id)->checkpoint);
    step = 1;
    QTRY_VERIFY(!queue.find(id)->checkpoint);
}

CANDOR_TEST(WindowJobsTest);
#include "window_jobs_test.moc"
