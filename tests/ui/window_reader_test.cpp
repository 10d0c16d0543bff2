// SPDX-License-Identifier: GPL-3.0-or-later
#include <QSignalSpy>
#include <atomic>
#include <thread>

#include "tests/ui/window_fixture.h"
#include "ui/jobs/reader.h"

using namespace candor::ui;
using candor::db::Connection;

class WindowReaderTest : public QObject {
    Q_OBJECT
  private slots:
    void init() {
        place_ = std::make_unique<candor::ui::testing::Place>();
        project_ = candor::db::Project::create(place_->file().toStdString());
    }
    void newestOfATopicWins();
    void topicsDoNotDisturbEachOther();
    void deadViewGetsNothing();
    void cancelledViewGetsNothing();
    void failureIsSaid();
    void destructionJoins();

  private:
    std::unique_ptr<candor::ui::testing::Place> place_;
    std::shared_ptr<candor::db::Project> project_;
};

void WindowReaderTest::newestOfATopicWins() {
    Reader reader(project_);
    std::atomic<int> ran = 0;
    std::vector<int> got;
    for (int i = 0; i < 50; ++i)
        reader.request(
            this, "rows",
            [i, &ran](Connection&) {
                ++ran;
                std::this_thread::sleep_for(std::chrono::milliseconds(2));
                return i;
            },
            [&](int value) { got.push_back(value); });
    QTRY_VERIFY(reader.idle());
    QCOMPARE(got, std::vector<int>{49});
    QVERIFY(ran < 50);
}

void WindowReaderTest::topicsDoNotDisturbEachOther() {
    Reader reader(project_);
    QObject other;
    QStringList got;
    const auto ask = [&](QObject* view, const char* topic) {
        reader.request(
            view, topic, [](Connection& c) { return candor::db::datasets(c).size(); },
            [&got, topic](std::size_t) { got << QLatin1String(topic); });
    };
    ask(this, "a");
    ask(this, "b");
    ask(&other, "c");
    QTRY_COMPARE(got, QStringList({QStringLiteral("a"), QStringLiteral("b"), QStringLiteral("c")}));
}

void WindowReaderTest::deadViewGetsNothing() {
    Reader reader(project_);
    bool reached = false;
    auto view = std::make_unique<QObject>();
    reader.request(
        view.get(), "rows",
        [](Connection&) {
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
            return 1;
        },
        [&](int) { reached = true; });
    view.reset();
    QTRY_VERIFY(reader.idle());
    QVERIFY(!reached);
}

void WindowReaderTest::cancelledViewGetsNothing() {
    Reader reader(project_);
    bool reached = false;
    reader.request(
        this, "rows", [](Connection&) { return 1; }, [&](int) { reached = true; });
    reader.cancel(this);
    QTRY_VERIFY(reader.idle());
    QVERIFY(!reached);
}

void WindowReaderTest::failureIsSaid() {
    Reader reader(project_);
    QSignalSpy failed(&reader, &Reader::failed);
    reader.request(
        this, "rows", [](Connection&) -> int { throw candor::Error("disk is gone"); }, [](int) {});
    QVERIFY(failed.wait());
    QCOMPARE(failed.first().first().toString(), QStringLiteral("disk is gone"));
}

void WindowReaderTest::destructionJoins() {
    std::atomic<bool> ended = false, started = false;
    bool reached = false;
    {
        Reader reader(project_);
        reader.request(
            this, "rows",
            [&](Connection&) {
                started = true;
                std::this_thread::sleep_for(std::chrono::milliseconds(50));
                ended = true;
                return 1;
            },
            [&](int) { reached = true; });
        QTRY_VERIFY(started);
    }
    QVERIFY(ended);
    QTest::qWait(20);
    QVERIFY(!reached);
}

CANDOR_TEST(WindowReaderTest);
#include "window_reader_test.moc"
