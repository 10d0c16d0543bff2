// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/plot_panel.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QPainter>
#include <QStackedWidget>
#include <QTableView>
#include <QToolButton>
#include <QVBoxLayout>

#include "ui/models/cell_table.h"
#include "ui/pages/table_view.h"
#include "ui/plots/plot_view.h"
#include "ui/theme/theme.h"
#include "ui/window/icons.h"

namespace candor::ui {

namespace {

// A word that can be chosen: the current one in the text colour, the others secondary.
class TabButton : public QToolButton {
  public:
    using QToolButton::QToolButton;
    QSize sizeHint() const override { return {QFontMetrics(words()).horizontalAdvance(text()) + 12, 24}; }

  protected:
    static QFont words() {
        QFont font = candor::ui::font(TypeRole::Body);
        font.setWeight(QFont::DemiBold);
        return font;
    }
    void paintEvent(QPaintEvent*) override {
        QPainter painter(this);
        painter.setFont(words());
        painter.setPen(isChecked() || underMouse() ? theme().text : theme().secondary);
        painter.drawText(rect(), Qt::AlignCenter, text());
        if (hasFocus()) {
            painter.setPen(QPen(theme().accent, space::focus));
            painter.drawRoundedRect(rect().adjusted(1, 1, -1, -1), 4, 4);
        }
    }
};

}  // namespace

PlotPanel::PlotPanel(std::vector<PlotView*> plots, QWidget* parent)
    : QFrame(parent),
      plots_(std::move(plots)),
      stack_(new QStackedWidget(this)),
      table_(makeTable(tr("The plot as a table"), this)),
      head_(new QHBoxLayout) {
    setLook(this, "panel");
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(space::s, space::xs, space::s, space::xs);
    column->setSpacing(0);
    head_->setSpacing(0);
    column->addLayout(head_);
    column->addWidget(stack_, 1);
    for (std::size_t i = 0; i < plots_.size(); ++i) {
        auto* tab = new TabButton(this);
        tab->setText(plots_[i]->title());
        tab->setAccessibleName(plots_[i]->title());
        tab->setCheckable(true);
        tab->setAutoExclusive(true);
        tab->setFocusPolicy(plots_.size() > 1 ? Qt::TabFocus : Qt::NoFocus);
        head_->addWidget(tab);
        tabs_.push_back(tab);
        connect(tab, &QToolButton::clicked, this, [this, i] { showPlot(static_cast<int>(i)); });
        plots_[i]->setTitle({});  // stands in the head
        plots_[i]->setAccessibleName(tab->text());
        stack_->addWidget(plots_[i]);
        plots_[i]->installEventFilter(this);
        connect(plots_[i], &PlotView::dataChanged, this, [this] {
            if (isTable()) fillTable();
        });
    }
    head_->addStretch(1);
    auto* fill = new QToolButton(this);
    fill->setAutoRaise(true);
    fill->setIconSize({14, 14});
    fill->setFixedSize(24, 24);
    fill->setToolTip(tr("Fill the page  F"));
    fill->setAccessibleName(tr("Fill the page with this plot"));
    const auto paint = [fill] { fill->setIcon(icon(QStringLiteral("fill"))); };
    paint();
    connect(themeNotifier(), &ThemeNotifier::changed, fill, paint);
    connect(fill, &QToolButton::clicked, this, [this] {
        emit activated();
        emit fillAsked();
    });
    head_->addWidget(fill);
    stack_->addWidget(table_);
    tabs_.front()->setChecked(true);
}

PlotView* PlotPanel::plot() const { return plots_[static_cast<std::size_t>(current_)]; }

QString PlotPanel::plotName() const { return tabs_[static_cast<std::size_t>(current_)]->text(); }

void PlotPanel::showPlot(int index) {
    current_ = index;
    tabs_[static_cast<std::size_t>(index)]->setChecked(true);
    const bool table = isTable();
    stack_->setCurrentIndex(index);
    if (table) setAsTable(true);
    emit activated();
}

void PlotPanel::setAsTable(bool on) {
    if (on) fillTable();
    stack_->setCurrentWidget(on ? static_cast<QWidget*>(table_) : plot());
}

bool PlotPanel::isTable() const { return stack_->currentWidget() == table_; }

void PlotPanel::addControl(QWidget* widget) { head_->insertWidget(head_->count() - 1, widget); }

void PlotPanel::fillTable() {
    const FigureData data = plot()->data();
    std::vector<CellTable::Column> columns;
    for (const FigureColumn& column : data.columns) columns.push_back({column.name, !column.isText, {}});
    auto* model = new CellTable(columns, this);
    std::vector<CellRow> rows;
    for (int row = 0; row < data.rows(); ++row) {
        CellRow cells{row, {}};
        for (std::size_t c = 0; c < data.columns.size(); ++c)
            cells.cells.push_back(Cell::ofText(data.cell(row, static_cast<int>(c))));
        rows.push_back(std::move(cells));
    }
    model->setRows(std::move(rows));
    table_->setModel(model);
    delete model_;
    model_ = model;
}

bool PlotPanel::eventFilter(QObject* object, QEvent* event) {
    if (event->type() == QEvent::Enter || event->type() == QEvent::FocusIn || event->type() == QEvent::MouseButtonPress)
        emit activated();
    return QFrame::eventFilter(object, event);
}

}  // namespace candor::ui
