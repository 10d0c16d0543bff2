// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/questions_page.h"

#include <QAction>
#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QStackedWidget>
#include <QTableView>
#include <QTimer>
#include <QVBoxLayout>
#include <algorithm>
#include <limits>

#include "ui/models/format.h"
#include "ui/models/question_table.h"
#include "ui/pages/chips.h"
#include "ui/pages/empty_state.h"
#include "ui/pages/question_detail.h"
#include "ui/pages/splitter.h"
#include "ui/pages/table_view.h"
#include "ui/theme/method_style.h"
#include "ui/theme/theme.h"
#include "ui/window/actions.h"
#include "ui/window/session.h"
#include "ui/window/settings.h"

namespace candor::ui {

namespace {

constexpr int kTypingMs = 150;

QString runText(const db::RunRow& run) {
    QString text = methodStyle(toQt(run.method)).name;
    if (run.labels > 0)
        text += QStringLiteral("  ") + budgetText(run.budget, run.labels) + QObject::tr("  seed %1").arg(run.seed);
    return text;
}

using TextRows = std::vector<std::pair<std::int64_t, QuestionTextRow>>;

TextRows readTextRows(db::Connection& c, const std::vector<std::int64_t>& ids, const std::string& model) {
    TextRows rows;
    for (const std::int64_t id : ids) {
        const auto detail = db::questionDetail(c, id, model);
        if (!detail) continue;
        QuestionTextRow row;
        row.question = displayText(detail->question.text);
        if (!detail->question.gold.empty()) row.gold = displayText(detail->question.gold.front());
        if (detail->answers && detail->answers->greedy) row.answer = displayText(*detail->answers->greedy);
        rows.emplace_back(id, std::move(row));
    }
    return rows;
}

}  // namespace

QuestionsPage::QuestionsPage(PageContext context, QWidget* parent)
    : Page(context, parent),
      stack_(new QStackedWidget(this)),
      across_(new Splitter(Qt::Horizontal, this)),
      run_(new QComboBox(this)),
      set_(new QComboBox(this)),
      correct_(new QComboBox(this)),
      filter_(new QLineEdit(this)),
      chip_(new Chip({}, Chip::Kind::Closable, this)),
      count_(makeLabel({}, "secondary", this)),
      view_(makeTable(tr("Questions of the run"), this)),
      model_table_(new QuestionTable(this)),
      detail_(new QuestionDetail(this)),
      typing_(new QTimer(this)) {
    auto* list = new QFrame(this);
    setLook(list, "panel");
    auto* column = new QVBoxLayout(list);
    column->setContentsMargins(1, space::s, 1, 1);
    column->setSpacing(space::s);
    auto* line = new QHBoxLayout;
    line->setContentsMargins(space::s, 0, space::s, 0);
    makeFilters(*line);
    column->addLayout(line);
    column->addWidget(view_, 1);
    auto* pane = new QFrame(this);
    setLook(pane, "panel");
    auto* paneLayout = new QVBoxLayout(pane);
    paneLayout->setContentsMargins(1, 1, 1, 1);
    paneLayout->addWidget(detail_);
    across_->addWidget(list);
    across_->addWidget(pane);
    across_->setSizes({780, 372});
    across_->setStretchFactor(0, 1);
    if (const QByteArray state = context.settings.state(QStringLiteral("questions_across_1")); !state.isEmpty())
        across_->restoreState(state);

    view_->setModel(model_table_);
    view_->setSortingEnabled(true);
    view_->horizontalHeader()->setSortIndicator(static_cast<int>(QuestionColumn::Overconfidence), Qt::DescendingOrder);
    const int widths[] = {108, 250, 104, 164, 84, 60, 72};
    for (int c = 0; c < kQuestionColumns; ++c) view_->setColumnWidth(c, widths[c]);
    view_->horizontalHeader()->setSectionResizeMode(static_cast<int>(QuestionColumn::Question), QHeaderView::Stretch);

    QAction* find = context.actions.add(
        tr("Questions"), tr("Filter questions"), QKeySequence(QStringLiteral("Ctrl+F")),
        [this] { filter_->setFocus(); }, this);
    empty_ = new EmptyState(QStringLiteral("questions"), tr("No questions to look at"),
                            tr("The evaluation questions of a finished run appear here, the most overconfident first."),
                            nullptr, this);
    auto* body = new QWidget(this);
    auto* bodyLayout = new QVBoxLayout(body);
    bodyLayout->setContentsMargins(space::m, space::m, space::m, space::m);
    bodyLayout->addWidget(across_);
    stack_->addWidget(empty_);
    stack_->addWidget(body);
    auto* whole = new QVBoxLayout(this);
    whole->setContentsMargins(0, 0, 0, 0);
    whole->addWidget(stack_);
    setFocusProxy(view_);
    Q_UNUSED(find)

    typing_->setSingleShot(true);
    connect(typing_, &QTimer::timeout, this, &QuestionsPage::read);
    connect(model_table_, &QuestionTable::textsNeeded, this, &QuestionsPage::readTexts);
    connect(model_table_, &QuestionTable::sortAsked, this, [this](int at, Qt::SortOrder order) {
        if (at < 0) return;
        sortColumn_ = static_cast<QuestionColumn>(at);
        descending_ = order == Qt::DescendingOrder;
        read();
    });
    connect(view_->selectionModel(), &QItemSelectionModel::currentRowChanged, this, &QuestionsPage::readDetail);
    connect(detail_, &QuestionDetail::runActivated, this, [this](qint64 run) {
        if (session_) session_->selectRun(run);
    });
}

void QuestionsPage::makeFilters(QHBoxLayout& line) {
    line.setSpacing(space::s);
    run_->setAccessibleName(tr("Run"));
    run_->setMinimumContentsLength(18);
    set_->setAccessibleName(tr("Set"));
    correct_->setAccessibleName(tr("Correctness"));
    filter_->setAccessibleName(tr("Filter questions"));
    filter_->setPlaceholderText(tr("Filter questions and gold answers"));
    filter_->setClearButtonEnabled(true);
    correct_->addItems({tr("right and wrong"), tr("right"), tr("wrong")});
    line.addWidget(run_);
    line.addWidget(set_);
    line.addWidget(correct_);
    line.addWidget(filter_, 1);
    line.addWidget(chip_);
    line.addWidget(count_);
    chip_->hide();
    chip_->setAccessibleName(tr("Selection of a plot"));
    connect(run_, &QComboBox::activated, this, [this](int i) {
        if (session_) session_->selectRun(run_->itemData(i).toLongLong());
    });
    connect(set_, &QComboBox::activated, this, &QuestionsPage::read);
    connect(correct_, &QComboBox::activated, this, &QuestionsPage::read);
    connect(filter_, &QLineEdit::textChanged, this, [this] { typing_->start(kTypingMs); });
    connect(chip_, &QAbstractButton::clicked, this, [this] { setPicked({}, {}); });
}

void QuestionsPage::setSession(Session* session) {
    session_ = session;
    cache_ = std::make_shared<ScoredCache>();
    texts_ = std::make_shared<QuestionTexts>();
    reader_ = session ? std::make_unique<Reader>(session->project()) : nullptr;
    textsInFlight_ = false;
    waiting_.clear();
    picked_.reset();
    chip_->hide();
    shownRun_ = 0;
    shownStamp_ = -1;
    model_table_->setRows({}, {});
    model_table_->forgetTexts();
    detail_->clear({});
    if (session) {
        connect(reader_.get(), &Reader::failed, this, [this](const QString& text) {
            textsInFlight_ = false;
            if (session_) emit session_->message(text, true);
        });
        connect(session, &Session::dataChanged, this, &QuestionsPage::refresh);
        connect(session, &Session::selectionChanged, this, &QuestionsPage::refresh);
        connect(session, &Session::questionsPicked, this, &QuestionsPage::setPicked);
    }
    updateState();
}

void QuestionsPage::refresh() {
    updateState();
    if (!session_ || !session_->data()) return;
    fillRuns();
    const db::RunRow* run = session_->data()->run(session_->selectedRun());
    const std::int64_t stamp = run ? run->finishedMs + static_cast<int>(run->status) : 0;
    if (session_->selectedRun() == shownRun_ && stamp == shownStamp_) return;
    shownRun_ = session_->selectedRun();
    shownStamp_ = stamp;
    if (const std::string model = session_->data()->modelOf(shownRun_); model != model_) {
        model_ = model;
        model_table_->forgetTexts();
    }
    read();
}

void QuestionsPage::fillRuns() {
    const auto data = session_->data();
    std::vector<std::pair<QString, qint64>> wanted;
    for (const db::RunRow& run : data->runs)
        if (run.status == RunStatus::Finished && wanted.size() < 2000) wanted.emplace_back(runText(run), run.id);
    bool same = run_->count() == static_cast<int>(wanted.size());
    for (int i = 0; same && i < run_->count(); ++i)
        same = run_->itemData(i).toLongLong() == wanted[static_cast<std::size_t>(i)].second;
    if (!same) {
        run_->clear();
        for (const auto& [name, id] : wanted) run_->addItem(name, id);
    }
    run_->setCurrentIndex(run_->findData(session_->selectedRun()));
    std::vector<SetChoice> sets = {
        {SetChoice::Kind::All, {}, true}, {SetChoice::Kind::In, {}, true}, {SetChoice::Kind::Out, {}, true}};
    for (const db::DatasetRow& row : data->datasets)
        if (row.role == Role::Eval) sets.push_back({SetChoice::Kind::One, row.dataset + "/" + row.split, true});
    if (set_->count() == static_cast<int>(sets.size())) return;
    const QStringList groups = {tr("all sets"), tr("in-domain"), tr("out-of-domain")};
    set_->clear();
    for (std::size_t i = 0; i < sets.size(); ++i)
        set_->addItem(i < 3 ? groups[static_cast<int>(i)] : setText(sets[i]), QVariant::fromValue(sets[i]));
}

void QuestionsPage::read() {
    if (!session_ || !session_->data()) return;
    const db::RunRow* run = session_->data()->run(shownRun_);
    if (!run || run->status != RunStatus::Finished) {
        model_table_->setRows({}, {});
        updateState();
        return;
    }
    QuestionFilter filter;
    filter.text = filter_->text().trimmed().toLower();
    if (set_->currentIndex() > 0) filter.set = set_->currentData().value<SetChoice>();
    if (correct_->currentIndex() > 0) filter.correct = correct_->currentIndex() == 1;
    filter.only = picked_;
    count_->setText(tr("reading"));
    reader_->request(
        this, "rows",
        [filter, cache = cache_, texts = texts_, id = run->id, stamp = run->finishedMs, column = sortColumn_,
         down = descending_](db::Connection& c) {
            Loaded loaded{cache->get(c, id, stamp, {}), {}};
            loaded.order = orderQuestions(*loaded.rows, filter, column, down);
            if (column == QuestionColumn::Question || column == QuestionColumn::Gold)
                texts->sort(c, *loaded.rows, column, down, loaded.order);
            if (filter.text.isEmpty()) return loaded;
            std::vector<std::int64_t> ids;
            for (const std::int32_t i : loaded.order) ids.push_back(loaded.rows->question[static_cast<std::size_t>(i)]);
            const std::vector<bool> holds = texts->holding(c, ids, filter.text);
            std::vector<std::int32_t> kept;
            for (std::size_t i = 0; i < holds.size(); ++i)
                if (holds[i]) kept.push_back(loaded.order[i]);
            loaded.order = std::move(kept);
            return loaded;
        },
        [this](Loaded loaded) {
            const std::int64_t before = model_table_->questionAt(view_->currentIndex().row());
            const auto total = static_cast<qint64>(loaded.rows->question.size()),
                       shown = static_cast<qint64>(loaded.order.size());
            model_table_->setRows(loaded.rows, std::move(loaded.order));
            count_->setText(shown == total ? formatCount(total)
                                           : tr("%1 of %2").arg(formatCount(shown), formatCount(total)));
            const int row = before && isVisible() ? model_table_->rowOf(before) : 0;  // unseen: from the top
            if (shown > 0)
                view_->setCurrentIndex(
                    model_table_->index(std::max(0, row), static_cast<int>(QuestionColumn::Question)));
            else
                detail_->clear(tr("No question passes the filter."));
            updateState();
        });
}

void QuestionsPage::readTexts(const std::vector<std::int64_t>& questions) {
    if (!reader_) return;
    if (textsInFlight_) {  // only what is on screen now matters
        model_table_->unask(waiting_);
        waiting_ = questions;
        return;
    }
    textsInFlight_ = true;
    reader_->request(
        this, "texts", [questions, model = model_](db::Connection& c) { return readTextRows(c, questions, model); },
        [this](TextRows rows) {
            textsInFlight_ = false;
            model_table_->addTexts(std::move(rows));
            if (!waiting_.empty()) readTexts(std::exchange(waiting_, {}));
        });
}

void QuestionsPage::readDetail() {
    const std::int64_t question = model_table_->questionAt(view_->currentIndex().row());
    if (!session_ || question == 0) return;
    session_->reader().request(
        this, "detail",
        [question, model = model_](db::Connection& c) { return db::questionDetail(c, question, model); },
        [this](std::optional<db::QuestionDetail> detail) {
            if (!detail) return detail_->clear(tr("The question is no longer in the project."));
            double confidence = std::numeric_limits<double>::quiet_NaN();
            for (const db::RunConfidence& c : detail->confidences)
                if (c.run == shownRun_) confidence = c.confidence;
            detail_->show(*detail, shownRun_, confidence);
        });
}

void QuestionsPage::setPicked(const QVector<qint64>& questions, const QString& what) {
    if (questions.isEmpty())
        picked_.reset();
    else
        picked_ = std::unordered_set<std::int64_t>(questions.begin(), questions.end());
    chip_->setText(displayText(what));
    chip_->setAccessibleName(tr("Filter: %1").arg(what));
    chip_->updateGeometry();
    chip_->setVisible(picked_.has_value());
    read();
}

void QuestionsPage::updateState() {
    const auto data = session_ ? session_->data() : nullptr;
    const db::RunRow* run = data ? data->run(session_->selectedRun()) : nullptr;
    const bool any = data && std::any_of(data->runs.begin(), data->runs.end(),
                                         [](const db::RunRow& r) { return r.status == RunStatus::Finished; });
    stack_->setCurrentIndex(any ? 1 : 0);
    trail_ = any && run ? runText(*run) : QString();
    emit trailChanged(trail_);
}

bool QuestionsPage::back() {
    if (picked_) {
        setPicked({}, {});
        return true;
    }
    if (filter_->text().isEmpty()) return false;
    filter_->clear();
    return true;
}

void QuestionsPage::saveState() {
    context_.settings.setState(QStringLiteral("questions_across_1"), across_->saveState());
}

}  // namespace candor::ui
