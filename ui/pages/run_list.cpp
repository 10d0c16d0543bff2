// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/run_list.h"

#include <QComboBox>
#include <QHeaderView>
#include <QLineEdit>
#include <QMenu>
#include <QTreeView>
#include <QVBoxLayout>

#include "ui/models/format.h"
#include "ui/models/run_tree.h"
#include "ui/pages/table_view.h"
#include "ui/theme/theme.h"
#include "ui/window/session.h"
#include "ui/window/settings.h"

namespace candor::ui {

RunList::RunList(Settings& settings, QWidget* parent)
    : QFrame(parent),
      settings_(settings),
      experiment_(new QComboBox(this)),
      filter_(new QLineEdit(this)),
      view_(makeTree(tr("Runs"), this)),
      model_(new RunTree(this)),
      sort_(new CellSort(this)) {
    setLook(this, "panel");
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(1, space::s, 1, 1);
    column->setSpacing(space::s);
    auto* head = new QHBoxLayout;
    head->setContentsMargins(space::s, 0, space::s, 0);
    head->setSpacing(space::s);
    head->addWidget(experiment_, 1);
    head->addWidget(filter_, 1);
    column->addLayout(head);
    column->addWidget(view_, 1);
    experiment_->setAccessibleName(tr("Experiment"));
    experiment_->setMinimumContentsLength(8);
    experiment_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    filter_->setPlaceholderText(tr("Filter runs"));
    filter_->setAccessibleName(tr("Filter runs"));
    filter_->setClearButtonEnabled(true);

    sort_->setSourceModel(model_);
    sort_->setFilterKeyColumn(RunTree::Name);
    view_->setModel(sort_);
    view_->setSortingEnabled(true);
    view_->sortByColumn(RunTree::Name, Qt::AscendingOrder);
    cellDelegate(view_)->reserveAside({RunTree::Auroc, RunTree::Ece, RunTree::Brier, RunTree::Alignment},
                                      QStringLiteral("\u00b10.000"));
    QHeaderView* header = view_->header();
    const int widths[] = {152, 92, 64, 94, 94, 94, 94};
    for (int c = 0; c < RunTree::ColumnCount; ++c) header->resizeSection(c, widths[c]);
    header->moveSection(header->visualIndex(RunTree::Status), RunTree::ColumnCount - 1);
    header->moveSection(header->visualIndex(RunTree::Labels), RunTree::ColumnCount - 2);
    if (const QByteArray state = settings_.state(QStringLiteral("runs_header_3")); !state.isEmpty())
        header->restoreState(state);
    header->setContextMenuPolicy(Qt::CustomContextMenu);
    connect(header, &QWidget::customContextMenuRequested, this, &RunList::chooseColumns);

    connect(filter_, &QLineEdit::textChanged, this, [this](const QString& text) {
        sort_->setFilterFixedString(text);
        if (!text.isEmpty()) view_->expandAll();
    });
    connect(experiment_, &QComboBox::activated, this, [this](int index) {
        if (session_) session_->chooseExperiment(experiment_->itemData(index).toLongLong());
    });
    connect(model_, &RunTree::visibilityAsked, this, [this](const std::vector<qint64>& runs, bool visible) {
        if (session_) session_->askVisible(runs, visible);
    });
    connect(view_->selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this](const QModelIndex& current) {
        if (!session_ || selecting_ || !current.isValid()) return;
        const std::vector<qint64> runs = model_->runsAt(sort_->mapToSource(current));
        if (!runs.empty()) session_->selectRun(runs.front());
    });
}

void RunList::setSession(Session* session) {
    session_ = session;
    expanded_ = false;
    refresh();
    if (!session) return;
    connect(session, &Session::dataChanged, this, &RunList::refresh);
    connect(session, &Session::setChanged, this, &RunList::refresh);
    connect(session, &Session::experimentChanged, this, [this] {
        expanded_ = false;
        refresh();
    });
    connect(session, &Session::visibleChanged, this, [this] { model_->setVisible(session_->visibleRuns()); });
    connect(session, &Session::selectionChanged, this, &RunList::showSelection);
}

void RunList::refresh() {
    if (!session_) {
        model_->update({}, 0, {});
        return;
    }
    fillExperiments();
    model_->update(session_->data(), session_->experiment(), session_->setChoice());
    model_->setVisible(session_->visibleRuns());
    if (!expanded_ && model_->rowCount() > 0) {
        expanded_ = true;
        for (int row = 0; row < sort_->rowCount(); ++row) view_->expand(sort_->index(row, 0));
    }
    showSelection();
}

void RunList::fillExperiments() {
    const auto data = session_->data();
    if (!data) return;
    std::vector<std::pair<QString, qint64>> wanted = {{tr("All experiments"), 0}};
    for (auto e = data->experiments.rbegin(); e != data->experiments.rend(); ++e)
        wanted.emplace_back(e->name.empty() ? tr("Experiment %1").arg(e->id) : displayText(e->name), e->id);
    bool same = experiment_->count() == static_cast<int>(wanted.size());
    for (int i = 0; same && i < experiment_->count(); ++i)
        same = experiment_->itemText(i) == wanted[static_cast<std::size_t>(i)].first;
    if (!same) {
        experiment_->clear();
        for (const auto& [name, id] : wanted) experiment_->addItem(name, id);
    }
    experiment_->setCurrentIndex(std::max(0, experiment_->findData(session_->experiment())));
}

void RunList::showSelection() {
    if (!session_) return;
    const QModelIndex current = view_->currentIndex();
    if (current.isValid()) {
        const std::vector<qint64> runs = model_->runsAt(sort_->mapToSource(current));
        if (!runs.empty() && runs.front() == session_->selectedRun()) return;  // a group stands for its first run
    }
    QModelIndex index = sort_->mapFromSource(model_->indexOf(session_->selectedRun()));
    if (!index.isValid()) return;
    if (index.parent().isValid() && !view_->isExpanded(index.parent())) index = index.parent();
    selecting_ = true;
    view_->setCurrentIndex(index);
    selecting_ = false;
}

void RunList::chooseColumns(const QPoint& at) {
    QMenu menu(this);
    for (int c = 1; c < RunTree::ColumnCount; ++c) {
        QAction* action = menu.addAction(model_->headerData(c, Qt::Horizontal, Qt::DisplayRole).toString());
        action->setCheckable(true);
        action->setChecked(!view_->isColumnHidden(c));
        connect(action, &QAction::toggled, this, [this, c](bool on) { view_->setColumnHidden(c, !on); });
    }
    menu.exec(view_->header()->mapToGlobal(at));
}

void RunList::focusFilter() { filter_->setFocus(); }

void RunList::saveState() { settings_.setState(QStringLiteral("runs_header_3"), view_->header()->saveState()); }

}  // namespace candor::ui
