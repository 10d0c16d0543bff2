// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/data_page.h"

#include <QAction>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QStackedWidget>
#include <QTableView>
#include <QToolButton>
#include <QVBoxLayout>
#include <cmath>
#include <mutex>

#include "ui/models/cell_table.h"
#include "ui/models/format.h"
#include "ui/pages/empty_state.h"
#include "ui/pages/import_dialog.h"
#include "ui/pages/splitter.h"
#include "ui/pages/table_view.h"
#include "ui/theme/theme.h"
#include "ui/window/actions.h"
#include "ui/window/icons.h"
#include "ui/window/session.h"
#include "ui/window/settings.h"

namespace candor::ui {

namespace {

Cell warningCount(qint64 count, const QString& tip) {
    Cell cell = Cell::ofCount(count, tip);
    cell.tone = count > 0 ? ToneWarning : ToneSecondary;
    return cell;
}

Cell optionalShare(const std::optional<double>& value, const QString& reason) {
    return value ? Cell::ofMetric(*value) : Cell::undefined(reason);
}

QString domainText(Domain domain) {
    return domain == Domain::In ? QObject::tr("in") : domain == Domain::Out ? QObject::tr("out") : dash();
}

QFrame* section(const QString& title, QWidget* content, QWidget* parent, QWidget* aside = nullptr) {
    auto* frame = new QFrame(parent);
    setLook(frame, "panel");
    auto* column = new QVBoxLayout(frame);
    column->setContentsMargins(1, space::s, 1, 1);
    column->setSpacing(space::xs);
    auto* head = new QHBoxLayout;
    head->setContentsMargins(space::m, 0, space::s, 0);
    head->addWidget(makeLabel(title, "section", frame));
    head->addStretch(1);
    if (aside) head->addWidget(aside);
    column->addLayout(head);
    column->addWidget(content, 1);
    return frame;
}

}  // namespace

DataPage::DataPage(PageContext context, QWidget* parent)
    : Page(context, parent),
      stack_(new QStackedWidget(this)),
      datasets_(makeTable(tr("Question sets"), this)),
      answers_(makeTable(tr("Answer sets"), this)),
      rejected_(makeTable(tr("Rejected rows"), this)),
      datasetModel_(
          new CellTable({{tr("Set"), false, {}},
                         {tr("Role"), false, {}},
                         {tr("Domain"), false, {}},
                         {tr("Questions"), true, {}},
                         {tr("Duplicates"), true, tr("Rows beyond the first of a question text")},
                         {tr("Conflicts"), true, tr("Question texts with different gold answers")},
                         {tr("Overlap"), true, tr("Evaluation rows whose text also stands in a training split")},
                         {tr("No gold"), true, tr("Rows without a gold answer")},
                         {tr("Gold in question"), true, tr("Rows whose question contains a gold answer")},
                         {tr("Accuracy"), true, tr("Share of right greedy answers, of the first answer set")},
                         {tr("Consistency"), true, tr("Mean share of samples that agree with the greedy answer")}},
                        this)),
      answerModel_(
          new CellTable({{tr("Model"), false, {}},
                         {tr("Set"), false, {}},
                         {tr("Samples"), true, tr("Sampled answers a question")},
                         {tr("Answered"), true, {}},
                         {tr("Judged"), true, {}},
                         {tr("Accuracy"), true, tr("Share of right greedy answers")},
                         {tr("Right samples"), true, tr("Mean share of right sampled answers")},
                         {tr("Consistency"), true, tr("Mean share of samples that agree with the greedy answer")}},
                        this)),
      rejectedModel_(new CellTable({{tr("File"), false, {}}, {tr("Line"), true, {}}, {tr("Why"), false, {}}}, this)),
      reportText_(makeLabel({}, "secondary", this)),
      split_(new Splitter(Qt::Vertical, this)) {
    import_ = context.actions.add(
        tr("Data"), tr("Import..."), QKeySequence(QStringLiteral("Ctrl+I")), [this] { askImport(); }, this);
    const std::pair<QTableView*, CellTable*> tables[] = {
        {datasets_, datasetModel_}, {answers_, answerModel_}, {rejected_, rejectedModel_}};
    for (const auto& [view, model] : tables) {
        auto* sort = new CellSort(view);
        sort->setSourceModel(model);
        view->setModel(sort);
        view->setSortingEnabled(true);
        view->sortByColumn(-1, Qt::AscendingOrder);
    }
    const int setWidths[] = {190, 72, 72, 88, 92, 84, 78, 78, 118, 84, 96};
    for (int c = 0; c < 11; ++c) datasets_->setColumnWidth(c, setWidths[c]);
    const int answerWidths[] = {220, 170, 80, 84, 84, 84, 104, 96};
    for (int c = 0; c < 8; ++c) answers_->setColumnWidth(c, answerWidths[c]);
    rejected_->setColumnWidth(0, 320);
    rejected_->horizontalHeader()->setStretchLastSection(true);

    auto* dismiss = new QToolButton(this);
    dismiss->setAutoRaise(true);
    dismiss->setIcon(icon(QStringLiteral("close")));
    dismiss->setAccessibleName(tr("Hide the import's report"));
    auto* reportBody = new QWidget(this);
    auto* reportColumn = new QVBoxLayout(reportBody);
    reportColumn->setContentsMargins(0, 0, 0, 0);
    reportColumn->setSpacing(space::xs);
    reportText_->setContentsMargins(space::m, 0, space::m, 0);
    reportText_->setWordWrap(true);
    reportColumn->addWidget(reportText_);
    reportColumn->addWidget(rejected_, 1);
    report_ = section(tr("Last import"), reportBody, this, dismiss);
    connect(dismiss, &QToolButton::clicked, report_, &QWidget::hide);
    split_->addWidget(section(tr("Question sets"), datasets_, this));
    split_->addWidget(section(tr("Answer sets"), answers_, this));
    split_->addWidget(report_);
    split_->setSizes({360, 260, 200});
    report_->hide();
    if (const QByteArray state = context.settings.state(QStringLiteral("data_split")); !state.isEmpty())
        split_->restoreState(state);

    auto* body = new QWidget(this);
    auto* bodyLayout = new QVBoxLayout(body);
    bodyLayout->setContentsMargins(space::m, space::m, space::m, space::m);
    bodyLayout->addWidget(split_);
    stack_->addWidget(new EmptyState(
        QStringLiteral("data"), tr("No questions yet"),
        tr("Import question sets with gold answers, or HonestyBench files with a model's answers."), import_, this));
    stack_->addWidget(body);
    auto* whole = new QVBoxLayout(this);
    whole->setContentsMargins(0, 0, 0, 0);
    whole->addWidget(stack_);
    setFocusProxy(datasets_);
}

void DataPage::setSession(Session* session) {
    session_ = session;
    report_->hide();
    import_->setEnabled(session != nullptr);
    if (session) {
        connect(session, &Session::dataChanged, this, &DataPage::refresh);
        connect(session, &Session::importAsked, this, [this] { askImport(); });
    }
    refresh();
}

void DataPage::refresh() {
    const auto data = session_ ? session_->data() : nullptr;
    stack_->setCurrentIndex(data && !data->datasets.empty() ? 1 : 0);
    trail_.clear();
    if (!data) {
        datasetModel_->setRows({});
        answerModel_->setRows({});
        return;
    }
    std::vector<CellRow> sets, answers;
    std::int64_t questions = 0;
    for (const db::DatasetRow& row : data->datasets) {
        const QString name = toQt(row.dataset + "/" + row.split);
        questions += row.rows;
        const db::AnswerSetRow* answered = nullptr;
        for (const db::AnswerSetRow& a : data->answerSets)
            if (a.dataset == row.dataset && a.split == row.split && !answered) answered = &a;
        const QString none = tr("No judged answers");
        const bool eval = row.role == Role::Eval;
        Cell overlap = warningCount(row.overlap, {});
        if (!eval) overlap = Cell::undefined(tr("Only of evaluation sets"));
        sets.push_back(
            {name,
             {Cell::ofText(name, name), Cell::ofText(eval ? tr("eval") : tr("train")),
              Cell::ofText(domainText(row.domain)), Cell::ofCount(row.rows), warningCount(row.duplicates, {}),
              warningCount(row.conflictingDuplicates, {}), overlap, warningCount(row.emptyGold, {}),
              warningCount(row.goldInQuestion, {}), optionalShare(answered ? answered->accuracy : std::nullopt, none),
              optionalShare(answered ? answered->meanConsistency : std::nullopt, none)}});
    }
    for (const db::AnswerSetRow& row : data->answerSets) {
        const QString none = tr("Nothing judged");
        answers.push_back({QVariant::fromValue<qint64>(row.id * 1000 + static_cast<qint64>(answers.size())),
                           {Cell::ofText(toQt(row.model), toQt(row.model)),
                            Cell::ofText(toQt(row.dataset + "/" + row.split)), Cell::ofCount(row.k),
                            Cell::ofCount(row.answered), Cell::ofCount(row.judged), optionalShare(row.accuracy, none),
                            optionalShare(row.meanSampleShare, none), optionalShare(row.meanConsistency, none)}});
    }
    trail_ = tr("%1 sets, %2 questions").arg(formatCount(static_cast<qint64>(sets.size())), formatCount(questions));
    datasetModel_->setRows(std::move(sets));
    answerModel_->setRows(std::move(answers));
    emit trailChanged(trail_);
}

void DataPage::askImport(const QStringList& files) {
    if (!session_) return;
    QStringList models;
    if (session_->data())
        for (const db::ModelRow& model : session_->data()->models) models << toQt(model.name);
    auto* dialog = new ImportDialog(files, models, this);
    connect(dialog, &ImportDialog::importAsked, this, &DataPage::startImport);
    dialog->open();
}

void DataPage::startImport(const std::vector<std::filesystem::path>& files, const db::ImportOptions& options) {
    if (!session_) return;
    const auto report = std::make_shared<db::ImportReport>();
    const auto project = session_->project();
    JobQueue& jobs = session_->jobs();
    const int id = jobs.start(
        tr("Import %1/%2").arg(toQt(options.dataset), toQt(options.split)),
        [project, files, options, report](const EventSink& events, std::stop_token stop) {
            *report = db::importFiles(*project, files, options, events, stop);
        },
        JobLane::Beside);
    connect(&jobs, &JobQueue::jobFinished, this, [this, id, report](int job, JobState outcome) {
        if (job != id || !session_) return;
        if (outcome == JobState::Ok) showReport(*report);
        session_->refresh();
    });
}

void DataPage::showReport(const db::ImportReport& report) {
    QString text = tr("%1 rows, %2 imported").arg(formatCount(report.rows), formatCount(report.imported));
    if (report.unchanged > 0) text += tr(" (%1 were there already)").arg(formatCount(report.unchanged));
    text += tr(", %1 rejected, %2 duplicates, %3 conflicting")
                .arg(formatCount(report.rejectedCount), formatCount(report.duplicates),
                     formatCount(report.conflictingDuplicates));
    if (report.rejectedCount > static_cast<std::int64_t>(report.rejected.size()))
        text += tr("; the first %1 are listed").arg(formatCount(static_cast<qint64>(report.rejected.size())));
    reportText_->setText(text);
    std::vector<CellRow> rows;
    for (const Rejected& r : report.rejected)
        rows.push_back({static_cast<int>(rows.size()),
                        {Cell::ofText(toQt(r.file), toQt(r.file)), Cell::ofCount(r.line),
                         Cell::ofText(toQt(r.reason), toQt(r.reason))}});
    rejectedModel_->setRows(std::move(rows));
    rejected_->setVisible(!report.rejected.empty());
    report_->show();
}

bool DataPage::back() {
    if (!report_->isVisible()) return false;
    report_->hide();
    return true;
}

void DataPage::saveState() { context_.settings.setState(QStringLiteral("data_split"), split_->saveState()); }

}  // namespace candor::ui
