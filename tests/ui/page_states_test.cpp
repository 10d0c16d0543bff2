// SPDX-License-Identifier: GPL-3.0-or-later
#include <QAction>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QStackedWidget>
#include <QTableView>
#include <QTreeView>

#include "tests/ui/window_fixture.h"
#include "ui/models/cell_table.h"
#include "ui/models/question_order.h"
#include "ui/pages/answer_view.h"
#include "ui/pages/chips.h"
#include "ui/pages/data_page.h"
#include "ui/pages/experiments_page.h"
#include "ui/pages/figures_page.h"
#include "ui/pages/import_dialog.h"
#include "ui/pages/plot_panel.h"
#include "ui/pages/question_detail.h"
#include "ui/pages/questions_page.h"
#include "ui/pages/results_page.h"
#include "ui/pages/runs_matrix.h"
#include "ui/pages/spec_form.h"
#include "ui/plots/plot_view.h"
#include "ui/window/status_line.h"

using namespace candor;
using namespace candor::ui;
using namespace candor::ui::testing;

class PageStatesTest : public QObject {
    Q_OBJECT
  private slots:
    void init() {
        place_ = std::make_unique<Place>();
        project_ = db::Project::create(place_->file().toStdString());
    }
    void cleanup() { project_.reset(); }
    void everyPageHasAnEmptyState();
    void oneQuestionIsShown();
    void finishedRunsFillTheResults();
    void questionsAreMostOverconfidentFirst();
    void pickedQuestionsAreAChip();
    void importShowsProgressAndRejectedRows();
    void importDialogSaysWhatIsMissing();
    void formAndJsonEditEachOther();
    void specErrorsStandInPlace();
    void planJoinsItsRuns();
    void samplesAreGrouped();
    void userTextIsPlain();
    void figuresAreWrittenBesideTheProject();
    void seedsAreReadAndWritten();

  private:
    template <class P>
    P* open(MainWindow& window, MainWindow::Place place) {
        project_.reset();
        window.resize(1280, 800);
        window.show();
        window.openProject(place_->file());
        if (!waitOpened(window)) return nullptr;
        window.go(place);
        return static_cast<P*>(window.page(place));
    }
    void runFree() {
        ExperimentSpec spec = smallSpec();
        spec.methods = {"consis-sem", "n-prob"};
        runSpec(*project_, spec);
    }
    std::unique_ptr<Place> place_;
    std::unique_ptr<db::Project> project_;
};

void PageStatesTest::everyPageHasAnEmptyState() {
    MainWindow window(fakeServices());
    QVERIFY(open<Page>(window, MainWindow::DataPlace));
    for (int place = 0; place < MainWindow::PlaceCount; ++place) {
        window.go(static_cast<MainWindow::Place>(place));
        if (place == MainWindow::ExperimentsPlace) continue;  // it is its form
        QCOMPARE(window.page(window.place())->findChild<QStackedWidget*>()->currentIndex(), 0);
        QVERIFY(!window.grab().isNull());
    }
    window.go(MainWindow::ExperimentsPlace);
    auto* page = static_cast<ExperimentsPage*>(window.page(MainWindow::ExperimentsPlace));
    QTRY_VERIFY(!page->problem().isEmpty());  // no training set: said where Start is
    QVERIFY(!page->startAction()->isEnabled());
    QPushButton* import = nullptr;
    window.go(MainWindow::DataPlace);
    for (QPushButton* b : window.page(MainWindow::DataPlace)->findChildren<QPushButton*>())
        if (b->isVisible()) import = b;
    QVERIFY(import);
    QTest::mouseClick(import, Qt::LeftButton);
    auto* dialog = window.findChild<ImportDialog*>();
    QVERIFY(dialog && dialog->isVisible());
    dialog->reject();
}

void PageStatesTest::oneQuestionIsShown() {
    import(*project_, "one", "test", Domain::In, 1);
    MainWindow window(fakeServices());
    auto* page = open<DataPage>(window, MainWindow::DataPlace);
    QVERIFY(page);
    QTRY_COMPARE(page->datasets()->model()->rowCount(), 1);
    const auto text = [&](int column) { return page->datasets()->model()->index(0, column).data().toString(); };
    QCOMPARE(text(0), QStringLiteral("one/test"));
    QCOMPARE(text(3), QStringLiteral("1"));
    QVERIFY(page->trail().contains(QStringLiteral("1 questions")) || page->trail().contains(QStringLiteral("1 sets")));
}

void PageStatesTest::finishedRunsFillTheResults() {
    importSmall(*project_);
    runFree();
    MainWindow window(fakeServices());
    auto* page = open<ResultsPage>(window, MainWindow::ResultsPlace);
    QVERIFY(page);
    QTreeView* tree = page->findChild<QTreeView*>();
    QTRY_COMPARE(tree->model()->rowCount(), 2);
    QTRY_VERIFY(page->panels()[0]->plot()->emptyReason().isEmpty());
    QTRY_VERIFY(page->panels()[2]->plot()->emptyReason().isEmpty());
    page->panels()[0]->setAsTable(true);
    QVERIFY(page->panels()[0]->isTable());
    QVERIFY(page->panels()[0]->findChild<QTableView*>()->model()->rowCount() > 0);
    QVERIFY(page->back());
    window.session()->choose({SetChoice::Kind::Out, {}, false});
    QTRY_VERIFY(page->findChild<QComboBox*>() != nullptr);
    QTRY_VERIFY(page->panels()[1]->plot()->emptyReason().isEmpty());
}

void PageStatesTest::questionsAreMostOverconfidentFirst() {
    importSmall(*project_);
    runFree();
    MainWindow window(fakeServices());
    auto* page = open<QuestionsPage>(window, MainWindow::QuestionsPlace);
    QVERIFY(page);
    const auto* model = page->table()->model();
    QTRY_COMPARE(model->rowCount(), 120);
    const auto over = [&](int row) {
        return model->index(row, int(QuestionColumn::Overconfidence)).data(SortRole).toDouble();
    };
    for (int row = 1; row < 120; ++row) QVERIFY(over(row) <= over(row - 1));
    QVERIFY(over(0) > 0);
    QTRY_VERIFY(model->index(0, int(QuestionColumn::Question)).data().toString().startsWith(QStringLiteral("Which")));
    QTRY_VERIFY(page->detail()->questionText().startsWith(QStringLiteral("Which")));
    const QString first = page->detail()->questionText();
    QTest::keyClick(page->table(), Qt::Key_Down);  // arrow keys walk the list
    QTRY_VERIFY(page->detail()->questionText() != first);
    QLineEdit* filter = nullptr;
    for (QLineEdit* edit : page->findChildren<QLineEdit*>())
        if (edit->accessibleName() == QStringLiteral("Filter questions")) filter = edit;
    QVERIFY(filter);
    filter->setText(QStringLiteral("XYZZY"));
    QTRY_COMPARE(model->rowCount(), 40);
    QVERIFY(page->back());
    QTRY_COMPARE(model->rowCount(), 120);
}

void PageStatesTest::pickedQuestionsAreAChip() {
    importSmall(*project_);
    runFree();
    MainWindow window(fakeServices());
    auto* page = open<QuestionsPage>(window, MainWindow::ResultsPlace);
    QVERIFY(page);
    page = static_cast<QuestionsPage*>(window.page(MainWindow::QuestionsPlace));
    QTRY_COMPARE(page->table()->model()->rowCount(), 120);
    const qint64 first = page->table()->model()->index(0, 0).data(KeyRole).toLongLong(),
                 second = page->table()->model()->index(5, 0).data(KeyRole).toLongLong();
    window.session()->showQuestions({first, second}, QStringLiteral("bin 0.8 to 0.9"));
    QCOMPARE(window.place(), MainWindow::QuestionsPlace);
    QTRY_COMPARE(page->table()->model()->rowCount(), 2);
    Chip* chip = page->findChild<Chip*>();
    QVERIFY(chip->isVisible());
    QCOMPARE(chip->text(), QStringLiteral("bin 0.8 to 0.9"));
    QTest::mouseClick(chip, Qt::LeftButton);
    QTRY_COMPARE(page->table()->model()->rowCount(), 120);
    QVERIFY(!chip->isVisible());
}

void PageStatesTest::importShowsProgressAndRejectedRows() {
    QFile file(place_->file("rows.jsonl"));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(
        "{\"question\": \"Who?\", \"answer\": [\"A\"]}\nnot json\n{\"question\": \"Who?\", \"answer\": [\"B\"]}\n");
    file.close();
    MainWindow window(fakeServices());
    auto* page = open<DataPage>(window, MainWindow::DataPlace);
    QVERIFY(page);
    db::ImportOptions options;
    options.dataset = "mine";
    options.split = "test";
    page->startImport({file.fileName().toStdString()}, options);
    QTRY_COMPARE_WITH_TIMEOUT(page->rejected()->model()->rowCount(), 1, kLong);
    QCOMPARE(page->rejected()->model()->index(0, 1).data().toString(), QStringLiteral("2"));
    QVERIFY(!page->rejected()->model()->index(0, 2).data().toString().isEmpty());
    QTRY_COMPARE(page->datasets()->model()->rowCount(), 1);
    QCOMPARE(page->datasets()->model()->index(0, 4).data().toString(), QStringLiteral("1"));  // duplicate
    QCOMPARE(page->datasets()->model()->index(0, 5).data().toString(), QStringLiteral("1"));  // with other gold
    QVERIFY(page->back());
    page->startImport({place_->file("absent.jsonl").toStdString()}, options);
    QTRY_VERIFY_WITH_TIMEOUT(window.status().message().contains(QStringLiteral("absent.jsonl")), kLong);
}

void PageStatesTest::importDialogSaysWhatIsMissing() {
    ImportDialog dialog({}, {QStringLiteral("m")}, nullptr);
    dialog.setAttribute(Qt::WA_DeleteOnClose, false);
    QPushButton* import = nullptr;
    for (QPushButton* b : dialog.findChildren<QPushButton*>())
        if (b->text() == QStringLiteral("Import")) import = b;
    QVERIFY(import && !import->isEnabled());
    dialog.addFiles({QStringLiteral("/data/ood_sport.jsonl")});
    QVERIFY(import->isEnabled());
    const db::ImportOptions options = dialog.options();
    QCOMPARE(options.dataset, std::string("sport"));
    QCOMPARE(options.split, std::string("eval"));
    QCOMPARE(options.domain, Domain::Out);
    QCOMPARE(options.role, Role::Eval);
}

void PageStatesTest::formAndJsonEditEachOther() {
    importSmall(*project_);
    MainWindow window(fakeServices());
    auto* page = open<ExperimentsPage>(window, MainWindow::ExperimentsPlace);
    QVERIFY(page);
    QTRY_VERIFY(page->startAction()->isEnabled());
    QCOMPARE(page->matrix()->runs().size(),
             std::size_t(2 + 4 + 4 + 2));  // eli-only seeds; two methods by two budgets by two seeds; two free
    QLineEdit* name = nullptr;
    for (QLineEdit* edit : page->form()->findChildren<QLineEdit*>())
        if (edit->accessibleName() == QStringLiteral("Name")) name = edit;
    QVERIFY(name);
    name->selectAll();
    QTest::keyClicks(name, QStringLiteral("sweep 2"));
    QVERIFY(page->jsonEdit()->toPlainText().contains(QStringLiteral("\"sweep 2\"")));
    QString json = page->jsonEdit()->toPlainText();
    ExperimentSpec spec = page->form()->spec();
    spec.seeds = {0, 1, 2, 3};
    spec.methods = {"cal-only"};
    page->jsonEdit()->setPlainText(QString::fromStdString(specToJson(spec)));
    QTRY_COMPARE(page->form()->spec().seeds.size(), std::size_t(4));
    QTRY_COMPARE(page->matrix()->runs().size(), std::size_t(8));
    QVERIFY(page->estimate().contains(QStringLiteral("8 runs")));
}

void PageStatesTest::specErrorsStandInPlace() {
    importSmall(*project_);
    MainWindow window(fakeServices());
    auto* page = open<ExperimentsPage>(window, MainWindow::ExperimentsPlace);
    QVERIFY(page);
    QTRY_VERIFY(page->startAction()->isEnabled());
    const QString good = page->jsonEdit()->toPlainText();
    page->jsonEdit()->setPlainText(QString(good).replace(QStringLiteral("\"budgets\""), QStringLiteral("\"bugdets\"")));
    QTRY_VERIFY(page->problem().contains(QStringLiteral("budgets")));  // names the nearest right key
    QVERIFY(!page->startAction()->isEnabled());
    page->jsonEdit()->setPlainText(QStringLiteral("{"));
    QTRY_VERIFY(!page->problem().isEmpty());
    page->jsonEdit()->setPlainText(good);
    QTRY_VERIFY(page->startAction()->isEnabled());
    QVERIFY(page->problem().isEmpty());
}

void PageStatesTest::planJoinsItsRuns() {
    ProjectData data;
    db::RunRow row;
    row.id = 7;
    row.experiment = 1;
    row.method = "elical";
    row.budget = 20;
    row.labels = 20;
    row.seed = 1;
    row.status = RunStatus::Interrupted;
    data.runs = {row};
    PlannedRun plan;
    plan.method = "elical";
    plan.budget = plan.labels = 20;
    PlannedRun second = plan;
    second.seed = 1;
    const std::vector<MatrixRun> joined = joinPlan({plan, second}, &data, 1, {});
    QCOMPARE(joined.size(), std::size_t(2));
    QCOMPARE(joined[0].run, 0);
    QCOMPARE(joined[0].status, RunStatus::Planned);
    QCOMPARE(joined[1].run, 7);
    QCOMPARE(joined[1].status, RunStatus::Interrupted);
    QCOMPARE(joinPlan({}, &data, 1, {}).size(), std::size_t(1));
    QCOMPARE(joinPlan({}, &data, 2, {}).size(), std::size_t(0));
    RunsMatrix matrix;
    matrix.setRuns(joined);
    matrix.setShare(7, 0.5);
    QSignalSpy activated(&matrix, &RunsMatrix::runActivated);
    QTest::keyClick(&matrix, Qt::Key_Right);
    QTest::keyClick(&matrix, Qt::Key_Return);
    QCOMPARE(activated.first().first().toLongLong(), 7);
}

void PageStatesTest::samplesAreGrouped() {
    AnswerRecord answers;
    answers.samples = {"x", "y", " y", "z", "y"};
    LabelRecord labels;
    labels.agreement = {Verdict::No, Verdict::Yes, Verdict::Yes, Verdict::Unparsed, Verdict::Yes};
    labels.sampleCorrect = {Verdict::No, Verdict::Yes, Verdict::Yes, Verdict::No, Verdict::Yes};
    const std::vector<SampleRow> rows = groupSamples(answers, &labels);
    QCOMPARE(rows.size(), std::size_t(3));
    QCOMPARE(rows[0].text, QStringLiteral("y"));
    QCOMPARE(rows[0].count, 3);
    QCOMPARE(rows[2].text, QStringLiteral("z"));
    QCOMPARE(groupSamples(answers, nullptr).front().count, 3);
    QVERIFY(groupSamples({}, nullptr).empty());
}

void PageStatesTest::userTextIsPlain() {
    db::QuestionDetail detail;
    detail.question.text = "<img src=x> 50%2 sure of \xd8\xab\xd9\x82\xd8\xa9";
    detail.question.gold = {"<b>bold</b>"};
    QuestionDetail pane;
    pane.resize(400, 600);
    pane.show(detail, 0, 0.5);
    QVERIFY(pane.questionText().startsWith(QStringLiteral("<img src=x> 50%2")));
    for (const QLabel* label : pane.findChildren<QLabel*>()) QCOMPARE(label->textFormat(), Qt::PlainText);
    pane.clear({});
    QVERIFY(pane.questionText().isEmpty());
}

void PageStatesTest::figuresAreWrittenBesideTheProject() {
    importSmall(*project_);
    runFree();
    MainWindow window(fakeServices());
    auto* page = open<FiguresPage>(window, MainWindow::FiguresPlace);
    QVERIFY(page);
    QTRY_VERIFY(page->primaryAction()->isEnabled());
    QTRY_VERIFY(!window.session()->visibleRuns().empty());
    page->primaryAction()->trigger();
    QTableView* table = page->findChild<QTableView*>();
    QTRY_VERIFY_WITH_TIMEOUT(table->model()->rowCount() >= 8, kLong);
    QVERIFY(QFile::exists(place_->file("test-figures/roc-in-domain.pdf")));
    QVERIFY(!window.grab().isNull());
}

void PageStatesTest::seedsAreReadAndWritten() {
    QCOMPARE(parseSeeds(QStringLiteral("0-4")), (std::vector<int>{0, 1, 2, 3, 4}));
    QCOMPARE(parseSeeds(QStringLiteral("3, 1,1")), (std::vector<int>{3, 1}));
    QVERIFY(parseSeeds(QStringLiteral("a")).empty());
    QVERIFY(parseSeeds(QStringLiteral("4-0")).empty());
    QCOMPARE(seedsText({0, 1, 2}), QStringLiteral("0-2"));
    QCOMPARE(seedsText({0, 5}), QStringLiteral("0, 5"));
}

CANDOR_TEST(PageStatesTest);
#include "page_states_test.moc"
