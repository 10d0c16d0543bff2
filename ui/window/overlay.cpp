// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/overlay.h"

#include <QAction>
#include <QApplication>
#include <QGraphicsDropShadowEffect>
#include <QGridLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPainter>
#include <QScrollArea>
#include <QVBoxLayout>
#include <algorithm>

#include "ui/pages/empty_state.h"
#include "ui/theme/theme.h"
#include "ui/window/actions.h"

namespace candor::ui {

namespace {

class Sheet : public QFrame {
  public:
    explicit Sheet(QWidget* parent) : QFrame(parent) {
        auto* shadow = new QGraphicsDropShadowEffect(this);
        shadow->setBlurRadius(32);
        shadow->setOffset(0, 8);
        shadow->setColor(QColor(0, 0, 0, 90));
        setGraphicsEffect(shadow);
    }

  protected:
    void paintEvent(QPaintEvent*) override {
        QPainter painter(this);
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(QPen(theme().line, 1));
        painter.setBrush(theme().raised);
        painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 10, 10);
    }
};

}  // namespace

Overlay::Overlay(QWidget* window) : QWidget(window), sheet_(new Sheet(this)) {
    hide();
    window->installEventFilter(this);
}

void Overlay::open() {
    before_ = QApplication::focusWidget();
    setGeometry(parentWidget()->rect());
    sheet_->setGeometry(place(size()));
    raise();
    show();
    setFocus();
    opened();
}

void Overlay::close_() {
    hide();
    if (before_) before_->setFocus();
}

bool Overlay::eventFilter(QObject* object, QEvent* event) {
    if (object == parentWidget() && event->type() == QEvent::Resize && isVisible()) {
        setGeometry(parentWidget()->rect());
        sheet_->setGeometry(place(size()));
    }
    return QWidget::eventFilter(object, event);
}

void Overlay::mousePressEvent(QMouseEvent*) { close_(); }

void Overlay::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Escape)
        close_();
    else
        QWidget::keyPressEvent(event);
}

void Overlay::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    QColor veil = theme().dark ? QColor(0, 0, 0, 120) : QColor(30, 33, 38, 40);
    painter.fillRect(rect(), veil);
}

int matchScore(const QString& typed, const QString& text) {
    if (typed.isEmpty()) return 0;
    const qsizetype whole = text.indexOf(typed, 0, Qt::CaseInsensitive);
    if (whole >= 0) return static_cast<int>(whole == 0 ? 0 : text.at(whole - 1).isSpace() ? 1 : 2);
    qsizetype at = 0;
    for (const QChar c : typed) {
        if (c.isSpace()) continue;
        at = text.indexOf(c, at, Qt::CaseInsensitive);
        if (at < 0) return -1;
        ++at;
    }
    return 10 + static_cast<int>(at);
}

Palette::Palette(const Actions& actions, QWidget* window)
    : Overlay(window), actions_(actions), field_(new QLineEdit(sheet())), list_(new QListWidget(sheet())) {
    auto* column = new QVBoxLayout(sheet());
    column->setContentsMargins(space::s, space::s, space::s, space::s);
    column->addWidget(field_);
    column->addWidget(list_);
    field_->setPlaceholderText(tr("Go to a page, a run, an action"));
    field_->setAccessibleName(tr("Go to"));
    field_->installEventFilter(this);
    list_->setAccessibleName(tr("What matches"));
    list_->setFrameShape(QFrame::NoFrame);
    list_->setFocusPolicy(Qt::NoFocus);
    list_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    connect(field_, &QLineEdit::textChanged, this, &Palette::fill);
    connect(list_, &QListWidget::itemClicked, this, &Palette::run);
}

void Palette::setExtra(std::function<std::vector<std::pair<QString, std::function<void()>>>()> extra) {
    extra_ = std::move(extra);
}

QRect Palette::place(const QSize& window) const {
    const int width = std::min(560, window.width() - 48), height = std::min(420, window.height() - 120);
    return {(window.width() - width) / 2, std::min(96, window.height() / 8), width, height};
}

void Palette::opened() {
    field_->clear();
    fill({});
    field_->setFocus();
}

void Palette::fill(const QString& typed) {
    struct Hit {
        int score;
        QString text, aside;
        std::function<void()> run;
    };
    std::vector<Hit> hits;
    for (const Actions::Entry& entry : actions_.entries()) {
        if (!entry.action->isEnabled() || (entry.page && !entry.page->isVisible())) continue;
        const QString text = entry.group + QStringLiteral(":  ") + entry.action->text();
        const int score = matchScore(typed, entry.action->text()) >= 0 ? matchScore(typed, entry.action->text())
                                                                       : matchScore(typed, text);
        if (score < 0) continue;
        QAction* action = entry.action;
        hits.push_back(
            {score, text, action->shortcut().toString(QKeySequence::NativeText), [action] { action->trigger(); }});
    }
    if (extra_)
        for (auto& [text, act] : extra_())
            if (const int score = matchScore(typed, text); score >= 0 && !typed.isEmpty())
                hits.push_back({score + 5, text, {}, act});
    std::stable_sort(hits.begin(), hits.end(), [](const Hit& a, const Hit& b) { return a.score < b.score; });
    if (hits.size() > 60) hits.resize(60);
    list_->clear();
    runs_.clear();
    for (Hit& hit : hits) {
        auto* item = new QListWidgetItem(list_);
        item->setSizeHint({0, space::row});
        auto* line = new QWidget(list_);
        auto* row = new QHBoxLayout(line);
        row->setContentsMargins(space::s, 0, space::s, 0);
        row->addWidget(makeLabel(hit.text, "", line), 1);
        row->addWidget(makeLabel(hit.aside, "secondary", line));
        line->setAttribute(Qt::WA_TransparentForMouseEvents);
        item->setData(Qt::AccessibleTextRole, hit.text);
        list_->setItemWidget(item, line);
        runs_.push_back(std::move(hit.run));
    }
    list_->setCurrentRow(0);
}

void Palette::run() {
    const int row = list_->currentRow();
    if (row < 0 || row >= static_cast<int>(runs_.size())) return;
    const std::function<void()> act = runs_[static_cast<std::size_t>(row)];
    close_();
    act();
}

bool Palette::eventFilter(QObject* object, QEvent* event) {
    if (object == field_ && event->type() == QEvent::KeyPress) {
        const int key = static_cast<QKeyEvent*>(event)->key();
        const int rows = list_->count();
        if (key == Qt::Key_Down && rows)
            list_->setCurrentRow((list_->currentRow() + 1) % rows);
        else if (key == Qt::Key_Up && rows)
            list_->setCurrentRow((list_->currentRow() + rows - 1) % rows);
        else if (key == Qt::Key_Return || key == Qt::Key_Enter)
            run();
        else if (key == Qt::Key_Escape)
            close_();
        else
            return false;
        return true;
    }
    return Overlay::eventFilter(object, event);
}

ShortcutSheet::ShortcutSheet(const Actions& actions, QWidget* window) : Overlay(window) {
    auto* column = new QVBoxLayout(sheet());
    column->setContentsMargins(space::xl, space::l, space::xl, space::l);
    column->setSpacing(space::m);
    column->addWidget(makeLabel(tr("Keys"), "title", sheet()));
    auto* grid = new QGridLayout;
    grid->setHorizontalSpacing(40);
    grid->setVerticalSpacing(6);
    column->addLayout(grid);
    column->addStretch(1);
    std::vector<QString> groups;
    for (const Actions::Entry& entry : actions.entries())
        if (std::find(groups.begin(), groups.end(), entry.group) == groups.end()) groups.push_back(entry.group);
    int heights[2] = {0, 0};
    for (const QString& group : groups) {
        const int side = heights[0] <= heights[1] ? 0 : 1;
        int& row = heights[side];
        grid->addWidget(makeLabel(group, "section", sheet()), row++, side * 2, 1, 2);
        for (const Actions::Entry& entry : actions.entries()) {
            if (entry.group != group || entry.action->shortcut().isEmpty()) continue;
            grid->addWidget(makeLabel(entry.action->text(), "", sheet()), row, side * 2);
            grid->addWidget(
                makeLabel(entry.action->shortcut().toString(QKeySequence::NativeText), "secondary", sheet()), row++,
                side * 2 + 1, Qt::AlignRight);
        }
    }
    grid->setColumnStretch(0, 1);
    grid->setColumnStretch(2, 1);
}

QRect ShortcutSheet::place(const QSize& window) const {
    const QSize want = sheet()->sizeHint().expandedTo({640, 320});
    const int width = std::min(want.width(), window.width() - 48),
              height = std::min(want.height(), window.height() - 48);
    return {(window.width() - width) / 2, (window.height() - height) / 2, width, height};
}

}  // namespace candor::ui
