// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/run_detail.h"

#include <QGridLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPainter>
#include <QTableView>
#include <QVBoxLayout>
#include <cmath>

#include "core/metrics/metrics.h"
#include "ui/models/cell_table.h"
#include "ui/models/format.h"
#include "ui/models/run_tree.h"
#include "ui/pages/empty_state.h"
#include "ui/pages/table_view.h"
#include "ui/theme/method_style.h"
#include "ui/theme/theme.h"

namespace candor::ui {

namespace {

constexpr const char* kHeadline[] = {"auroc", "ece_ew10", "brier", "alignment_elical"};

QString selectionText(const std::string& rule) {
    if (rule == "holdout") return QObject::tr("hold-out");
    if (rule == "kfold") return QObject::tr("k-fold");
    if (rule == "last") return QObject::tr("last epoch");
    if (rule == "test") return QObject::tr("test labels");
    return displayText(rule);
}

QWidget* rule(QWidget* parent) {
    class Rule : public QWidget {
      public:
        using QWidget::QWidget;

      protected:
        void paintEvent(QPaintEvent*) override { QPainter(this).fillRect(rect(), theme().line); }
    };
    auto* line = new Rule(parent);
    line->setFixedHeight(space::hairline);
    return line;
}

}  // namespace

RunDetail::RunDetail(QWidget* parent)
    : QFrame(parent),
      name_(makeLabel({}, "section", this)),
      facts_(makeLabel({}, "secondary", this)),
      mark_(makeLabel({}, "warning", this)),
      threshold_(makeLabel({}, "section", this)),
      readout_(makeLabel({}, "secondary", this)),
      table_(makeTable(tr("Numbers by set"), this)),
      model_(new CellTable({{tr("Set"), false, {}},
                            {tr("n"), true, {}},
                            {tr("AUROC"), true, {}},
                            {tr("ECE"), true, tr("Expected calibration error, 10 bins of equal width")},
                            {tr("Brier"), true, {}},
                            {tr("Align."), true, tr("Alignment as the paper computes it")},
                            {tr("Acc."), true, tr("Share of right greedy answers")}},
                           this)) {
    setLook(this, "panel");
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(1, space::m, 1, 1);
    column->setSpacing(space::s);
    auto* head = new QVBoxLayout;
    head->setContentsMargins(space::m, 0, space::m, 0);
    head->setSpacing(space::xs);
    for (QLabel* label : {name_, facts_, mark_}) {
        label->setWordWrap(true);
        head->addWidget(label);
    }
    auto* grid = new QGridLayout;
    grid->setHorizontalSpacing(space::l);
    grid->setVerticalSpacing(space::s);
    const QString names[] = {tr("AUROC"), tr("ECE"), tr("Brier"), tr("Alignment")};
    for (int i = 0; i < 4; ++i) numbers_[i] = addNumber(*grid, i, names[i]);
    head->addSpacing(space::s);
    head->addLayout(grid);
    head->addSpacing(space::s);
    head->addWidget(rule(this));
    head->addWidget(threshold_);
    head->addWidget(readout_);
    readout_->setWordWrap(true);
    column->addLayout(head);
    column->addWidget(rule(this));
    column->addWidget(table_, 1);
    table_->setModel(model_);
    QHeaderView* header = table_->horizontalHeader();
    const int widths[] = {112, 46, 58, 56, 56, 56, 56};
    for (int c = 0; c < 7; ++c) header->resizeSection(c, widths[c]);
    connect(table_, &QTableView::activated, this,
            [this](const QModelIndex& index) { emit setPicked(index.siblingAtColumn(0).data(KeyRole).toString()); });
    clearThreshold();
    setRun(nullptr, nullptr, {});
}

RunDetail::Number RunDetail::addNumber(QGridLayout& grid, int index, const QString& name) {
    auto* cell = new QVBoxLayout;
    cell->setSpacing(0);
    Number number{makeLabel(dash(), "title", this), makeLabel({}, "secondary", this)};
    number.value->setAccessibleName(name);
    cell->addWidget(makeLabel(name, "secondary", this));
    cell->addWidget(number.value);
    cell->addWidget(number.aside);
    grid.addLayout(cell, index / 2, index % 2);
    return number;
}

void RunDetail::setRun(const ProjectData* data, const db::RunRow* run, const SetChoice& choice) {
    const bool present = data && run;
    name_->setText(present ? methodStyle(toQt(run->method)).name : tr("No run selected"));
    QString facts;
    if (present) {
        facts = run->labels > 0 ? tr("%1 labels, seed %2").arg(budgetText(run->budget, run->labels)).arg(run->seed)
                                : tr("no labels");
        if (!run->selection.empty() && run->selection != "none")
            facts += tr(", checkpoint by %1").arg(selectionText(run->selection));
        facts += QLatin1Char('\n') + setText(choice);
        if (run->status != RunStatus::Finished) facts += QLatin1Char('\n') + statusText(run->status);
    } else {
        facts = tr("Choose a row of the list.");
    }
    facts_->setText(facts);
    const bool test = present && run->selection == "test";
    mark_->setText(!present                           ? QString()
                   : test                             ? tr("\u2020 selected on test labels, as the paper does")
                   : run->status == RunStatus::Failed ? displayText(run->message)
                                                      : QString());
    mark_->setVisible(!mark_->text().isEmpty());
    for (int i = 0; i < 4; ++i) {
        numbers_[i].value->setText(dash());
        numbers_[i].value->setToolTip({});
        numbers_[i].aside->clear();
        if (!present) continue;
        const MetricValue value = metricOf(*data, *run, choice, kHeadline[i]);
        if (!value.defined()) {
            numbers_[i].value->setToolTip(value.undefinedReason.toHtmlEscaped());
            numbers_[i].aside->setText(tr("undefined"));
            numbers_[i].aside->setToolTip(value.undefinedReason.toHtmlEscaped());
            continue;
        }
        numbers_[i].value->setText(formatMetric(value.value));
        numbers_[i].aside->setToolTip({});
        if (value.lo && value.hi)
            numbers_[i].aside->setText(tr("%1 to %2").arg(formatMetric(*value.lo), formatMetric(*value.hi)));
        else if (value.n > 0)
            numbers_[i].aside->setText(tr("n = %1").arg(formatCount(value.n)));
    }
}

void RunDetail::setSets(const std::vector<SetMetrics>& sets) {
    std::vector<CellRow> rows;
    for (const SetMetrics& set : sets) {
        const QString name = toQt(set.set);
        CellRow row{set.average ? QVariant() : QVariant(name), {}};
        Cell first = Cell::ofText(name, set.average ? tr("Mean over %1 sets, %2").arg(set.sets).arg(name) : name);
        if (set.average) first.tone = ToneSecondary;
        row.cells = {first, Cell::ofCount(set.n)};
        for (const char* metric : kSetMetrics) {
            const MetricValue& value = set.values.at(metric);
            row.cells.push_back(Cell::ofMetric(value.value, value.undefinedReason));
        }
        rows.push_back(std::move(row));
    }
    model_->setRows(std::move(rows));
}

void RunDetail::setThreshold(double threshold, double coverage, double accuracy, std::int64_t n) {
    threshold_->setText(tr("Threshold %1").arg(formatMetric(threshold)));
    const double answered = std::round(coverage * static_cast<double>(n));
    if (std::isnan(accuracy) || answered < 1) {
        readout_->setText(tr("answers nothing"));
        return;
    }
    const Interval interval = wilson(accuracy * answered, answered);
    readout_->setText(tr("answers %1, %2 of them right (95 %: %3 to %4, n = %5)")
                          .arg(formatPercent(coverage), formatPercent(accuracy), formatPercent(interval.lo),
                               formatPercent(interval.hi), formatCount(static_cast<std::int64_t>(answered))));
}

void RunDetail::clearThreshold() {
    threshold_->setText(tr("Threshold"));
    readout_->setText(tr("Drag the line in the risk-coverage plot: what would be answered, and how much of it right."));
}

}  // namespace candor::ui
