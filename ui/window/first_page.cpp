// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/first_page.h"

#include <QAbstractButton>
#include <QAction>
#include <QDateTime>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QVBoxLayout>

#include "ui/models/format.h"
#include "ui/pages/empty_state.h"
#include "ui/theme/theme.h"
#include "ui/window/icons.h"

namespace candor::ui {

namespace {

constexpr int kWidth = 680;

// A wide button with an icon, a line and a smaller line below it.
class Card : public QAbstractButton {
  public:
    Card(const QString& icon, const QString& title, const QString& text, bool primary, QWidget* parent)
        : QAbstractButton(parent), icon_(icon), below_(text), primary_(primary) {
        setText(title);
        setAccessibleName(title);
        setAccessibleDescription(text);
        setFocusPolicy(Qt::StrongFocus);
        setCursor(Qt::PointingHandCursor);
        setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
        connect(themeNotifier(), &ThemeNotifier::changed, this, qOverload<>(&QWidget::update));
    }
    QSize sizeHint() const override { return {200, icon_.isEmpty() ? 44 : 112}; }

  protected:
    void enterEvent(QEnterEvent*) override { update(); }
    void leaveEvent(QEvent*) override { update(); }
    void paintEvent(QPaintEvent*) override {
        QPainter painter(this);
        painter.setRenderHint(QPainter::Antialiasing);
        const QRectF body = QRectF(rect()).adjusted(1, 1, -1, -1);
        const bool lit = underMouse() && isEnabled();
        QColor fill = primary_ ? theme().accent : lit ? theme().hover : theme().surface;
        if (primary_ && lit) fill = fill.lighter(theme().dark ? 90 : 112);
        painter.setBrush(icon_.isEmpty() && !lit ? QBrush(Qt::NoBrush) : QBrush(fill));
        const QColor edge = hasFocus() ? (primary_ ? theme().text : theme().accent) : theme().line;
        painter.setPen(icon_.isEmpty() && !hasFocus() ? QPen(Qt::NoPen)
                       : primary_ && !hasFocus()      ? QPen(fill, 1)
                                                      : QPen(edge, hasFocus() ? 2 : 1));
        painter.drawRoundedRect(body, 8, 8);
        const QColor ink = primary_ ? theme().onAccent : theme().text;
        const QColor dim = primary_ ? theme().onAccent : theme().secondary;
        QRectF words = body.adjusted(12, 6, -12, -4);
        if (!icon_.isEmpty()) {
            painter.drawPixmap(QPointF(15, 15),
                               iconPixmap(icon_, primary_ ? ink : theme().accent, 22, devicePixelRatioF()));
            words = body.adjusted(14, 46, -12, -8);
        }
        QFont strong = candor::ui::font(TypeRole::Body);
        strong.setWeight(QFont::DemiBold);
        painter.setFont(strong);
        painter.setPen(ink);
        const QRectF first(words.left(), words.top(), words.width(), 18);
        painter.drawText(first, Qt::AlignLeft | Qt::AlignVCenter | Qt::TextSingleLine, text());
        painter.setFont(candor::ui::font(TypeRole::Secondary));
        painter.setPen(dim);
        const QRectF second(words.left(), first.bottom() + 1, words.width(), words.bottom() - first.bottom() - 1);
        if (icon_.isEmpty()) {
            painter.drawText(
                second, Qt::AlignLeft | Qt::AlignTop | Qt::TextSingleLine,
                painter.fontMetrics().elidedText(below_, Qt::ElideMiddle, static_cast<int>(second.width())));
        } else {
            painter.drawText(second, Qt::AlignLeft | Qt::AlignTop | Qt::TextWordWrap, below_);
        }
    }

  private:
    QString icon_, below_;
    bool primary_;
};

void follow(Card* card, QAction* action) {
    QObject::connect(card, &QAbstractButton::clicked, action, &QAction::trigger);
    QObject::connect(action, &QAction::changed, card, [card, action] { card->setEnabled(action->isEnabled()); });
    card->setEnabled(action->isEnabled());
    card->setToolTip(action->toolTip());
}

}  // namespace

FirstPage::FirstPage(QAction* example, QAction* open, QAction* create, QWidget* parent)
    : QWidget(parent), list_(new QWidget(this)), recent_(new QVBoxLayout(list_)) {
    auto* across = new QHBoxLayout(this);
    auto* body = new QWidget(this);
    body->setMaximumWidth(kWidth);
    across->addStretch(1);
    across->addWidget(body, 20);
    across->addStretch(1);
    auto* column = new QVBoxLayout(body);
    column->setSpacing(space::s);
    column->addStretch(2);
    QLabel* title = makeLabel(tr("Does a model know what it knows?"), "", body);
    QFont large = candor::ui::font(TypeRole::Title);
    large.setPixelSize(28);
    title->setFont(large);
    column->addWidget(title);
    QLabel* text = makeLabel(
        tr("Train confidence estimators, sweep annotation budgets, and look question by question at where a model is "
           "surer than it should be."),
        "secondary", body);
    text->setWordWrap(true);
    column->addWidget(text);
    column->addSpacing(space::l);
    auto* cards = new QHBoxLayout;
    cards->setSpacing(space::m);
    auto* first = new Card(QStringLiteral("example"), tr("Open the example"),
                           tr("World facts with a small model's answers, trains in minutes"), true, body);
    auto* second =
        new Card(QStringLiteral("open"), tr("Open a project"), tr("A .candor file; or drop one here"), false, body);
    auto* third =
        new Card(QStringLiteral("new"), tr("New project"), tr("Then import questions and answers"), false, body);
    follow(first, example);
    follow(second, open);
    follow(third, create);
    for (Card* card : {first, second, third}) cards->addWidget(card, 1);
    column->addLayout(cards);
    column->addSpacing(space::l);
    heading_ = makeLabel(tr("Recent"), "section", body);
    column->addWidget(heading_);
    recent_->setContentsMargins(0, 0, 0, 0);
    recent_->setSpacing(2);
    column->addWidget(list_);
    column->addStretch(3);
}

void FirstPage::setRecent(const QStringList& paths) {
    while (QLayoutItem* item = recent_->takeAt(0)) {
        delete item->widget();
        delete item;
    }
    heading_->setVisible(!paths.isEmpty());
    for (const QString& path : paths.mid(0, 5)) {
        const QFileInfo file(path);
        auto* card =
            new Card({}, file.completeBaseName(),
                     tr("%1, changed %2").arg(file.absolutePath(), formatTime(file.lastModified().toMSecsSinceEpoch())),
                     false, list_);
        connect(card, &QAbstractButton::clicked, this, [this, path] { emit recentAsked(path); });
        recent_->addWidget(card);
        card->show();
    }
}

}  // namespace candor::ui
