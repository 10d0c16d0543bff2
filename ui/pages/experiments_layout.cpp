// SPDX-License-Identifier: GPL-3.0-or-later
// The Experiments page's widgets; what they do is in experiments_page.cpp.
#include <QAction>
#include <QComboBox>
#include <QFontDatabase>
#include <QHBoxLayout>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QScrollArea>
#include <QTimer>
#include <QVBoxLayout>

#include "core/error.h"
#include "ui/pages/empty_state.h"
#include "ui/pages/experiments_page.h"
#include "ui/pages/runs_matrix.h"
#include "ui/pages/spec_form.h"
#include "ui/pages/splitter.h"
#include "ui/plots/loss_plot.h"
#include "ui/theme/theme.h"
#include "ui/window/actions.h"
#include "ui/window/session.h"
#include "ui/window/settings.h"

namespace candor::ui {

ExperimentsPage::ExperimentsPage(PageContext context, QWidget* parent)
    : Page(context, parent),
      across_(new Splitter(Qt::Horizontal, this)),
      down_(new Splitter(Qt::Vertical, this)),
      typing_(new QTimer(this)) {
    const QString group = tr("Experiment");
    start_ = context.actions.add(
        group, tr("Start"), QKeySequence(QStringLiteral("Ctrl+Return")), [this] { start(); }, this);
    stop_ = context.actions.add(
        group, tr("Stop"), QKeySequence(QStringLiteral("Ctrl+.")), [this] { stop(); }, this);
    new_ = context.actions.add(
        group, tr("New experiment"), QKeySequence(QStringLiteral("Ctrl+Shift+N")), [this] { showDraft(); }, this);
    json_ = context.actions.add(
        group, tr("JSON"), QKeySequence(QStringLiteral("Ctrl+J")),
        [this] { jsonPanel_->setVisible(!jsonPanel_->isVisible()); }, this);
    across_->addWidget(makeForm());
    across_->addWidget(makeLive());
    across_->addWidget(makeJson());
    across_->setSizes({332, 590, 238});
    across_->setStretchFactor(1, 1);
    if (const QByteArray state = context.settings.state(QStringLiteral("experiments_across_1")); !state.isEmpty())
        across_->restoreState(state);
    if (const QByteArray state = context.settings.state(QStringLiteral("experiments_down_1")); !state.isEmpty())
        down_->restoreState(state);
    auto* whole = new QVBoxLayout(this);
    whole->setContentsMargins(space::m, space::m, space::m, space::m);
    whole->addWidget(across_);
    setFocusProxy(matrix_);

    typing_->setSingleShot(true);
    connect(typing_, &QTimer::timeout, this, &ExperimentsPage::takeJson);
    connect(text_, &QPlainTextEdit::textChanged, this, [this] {
        if (!writing_) typing_->start(300);
    });
    connect(form_, &SpecForm::changed, this, &ExperimentsPage::takeForm);
    connect(chooser_, &QComboBox::activated, this, [this](int index) {
        const qint64 id = chooser_->itemData(index).toLongLong();
        const auto data = session_ ? session_->data() : nullptr;
        const db::ExperimentRow* row = data ? data->experiment(id) : nullptr;
        if (!row) return showDraft();
        try {
            setSpec(parseSpec(row->spec));
        } catch (const Error& error) {
            emit session_->message(QString::fromStdString(error.what()), true);
        }
    });
    connect(matrix_, &RunsMatrix::runSelected, this, [this](qint64 run) {
        focusRun_ = run;
        if (!session_) return;
        session_->selectRun(run);
        readCurves();
    });
    connect(matrix_, &RunsMatrix::runActivated, this, [this](qint64 run) {
        if (session_) session_->showRun(run);
    });
}

QWidget* ExperimentsPage::makeForm() {
    auto* panel = new QFrame(this);
    setLook(panel, "panel");
    panel->setMinimumWidth(288);
    auto* column = new QVBoxLayout(panel);
    column->setContentsMargins(1, space::s, 1, 1);
    column->setSpacing(0);
    chooser_ = new QComboBox(panel);
    chooser_->setAccessibleName(tr("Experiment"));
    auto* head = new QHBoxLayout;
    head->setContentsMargins(space::m, 0, space::m, space::s);
    head->addWidget(chooser_);
    column->addLayout(head);
    form_ = new SpecForm(panel);
    column->addWidget(form_, 1);
    auto* line = new QFrame(panel);
    line->setFixedHeight(1);
    setLook(line, "rule");
    column->addWidget(line);
    auto* foot = new QVBoxLayout;
    foot->setContentsMargins(space::m, space::s, space::m, space::m);
    error_ = makeLabel({}, "negative", panel);
    error_->setWordWrap(true);
    foot->addWidget(error_);
    auto* last = new QHBoxLayout;
    estimate_ = makeLabel({}, "secondary", panel);
    estimate_->setWordWrap(true);
    estimate_->setAccessibleName(tr("Estimate"));
    last->setSpacing(space::m);
    last->addWidget(estimate_, 1);
    startButton_ = makeButton(start_, "primary", panel);
    stopButton_ = new QPushButton(tr("Stop"), panel);
    setLook(stopButton_, "danger");
    connect(stopButton_, &QPushButton::clicked, stop_, &QAction::trigger);
    connect(stop_, &QAction::changed, stopButton_, [this] { stopButton_->setEnabled(stop_->isEnabled()); });
    last->addWidget(startButton_);
    last->addWidget(stopButton_);
    foot->addLayout(last);
    column->addLayout(foot);
    return panel;
}

QWidget* ExperimentsPage::makeLive() {
    auto* plan = new QFrame(this);
    setLook(plan, "panel");
    auto* planColumn = new QVBoxLayout(plan);
    planColumn->setContentsMargins(space::m, space::s, 1, 1);
    planTitle_ = makeLabel(tr("Plan"), "section", plan);
    auto* planHead = new QHBoxLayout;
    planHead->setContentsMargins(0, 0, space::m, 0);
    planHead->addWidget(planTitle_);
    planHead->addStretch(1);
    planHead->addWidget(
        makeLabel(tr("a square a seed; mean AUROC, in-domain, ± deviation over seeds"), "secondary", plan));
    planColumn->addLayout(planHead);
    matrix_ = new RunsMatrix(plan);
    auto* scroll = new QScrollArea(plan);
    scroll->setAccessibleName(tr("Plan"));
    scroll->setWidget(matrix_);
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    setLook(scroll, "surface");
    setLook(matrix_, "surface");
    planColumn->addWidget(scroll, 1);

    auto* curves = new QFrame(this);
    setLook(curves, "panel");
    auto* curvesColumn = new QVBoxLayout(curves);
    curvesColumn->setContentsMargins(space::m, space::s, space::m, space::s);
    curvesColumn->setSpacing(0);
    curvesColumn->addWidget(makeLabel(tr("Loss"), "section", curves));
    liveText_ = makeLabel({}, "secondary", curves);
    liveText_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    liveText_->setWordWrap(true);
    curvesColumn->addWidget(liveText_);
    loss_ = new LossPlot(curves);
    loss_->setTitle({});
    loss_->setAccessibleName(tr("Loss"));
    loss_->setValueName(tr("Loss (MSE)"));
    loss_->setEmptyText(tr("The curves of a trained run appear here."));
    curvesColumn->addWidget(loss_, 1);
    down_->addWidget(plan);
    down_->addWidget(curves);
    down_->setSizes({420, 320});
    return down_;
}

QWidget* ExperimentsPage::makeJson() {
    auto* panel = new QFrame(this);
    jsonPanel_ = panel;
    setLook(panel, "panel");
    auto* column = new QVBoxLayout(panel);
    column->setContentsMargins(1, space::s, 1, 1);
    auto* head = new QHBoxLayout;
    head->setContentsMargins(space::m, 0, space::m, 0);
    head->addWidget(makeLabel(tr("JSON"), "section", panel));
    head->addStretch(1);
    column->addLayout(head);
    text_ = new QPlainTextEdit(panel);
    text_->setAccessibleName(tr("The experiment as JSON"));
    text_->setFrameShape(QFrame::NoFrame);
    text_->setLineWrapMode(QPlainTextEdit::NoWrap);
    text_->setTabChangesFocus(true);
    QFont fixed = QFontDatabase::systemFont(QFontDatabase::FixedFont);
    fixed.setPixelSize(12);
    text_->setFont(fixed);
    column->addWidget(text_, 1);
    return panel;
}

void ExperimentsPage::saveState() {
    context_.settings.setState(QStringLiteral("experiments_across_1"), across_->saveState());
    context_.settings.setState(QStringLiteral("experiments_down_1"), down_->saveState());
}

}  // namespace candor::ui
