// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/empty_state.h"

#include <QAction>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

#include "ui/theme/theme.h"
#include "ui/window/icons.h"

namespace candor::ui {

EmptyState::EmptyState(const QString& icon, const QString& title, const QString& text, QAction* action, QWidget* parent)
    : QWidget(parent), icon_(icon), picture_(new QLabel(this)) {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(space::xl, space::xl, space::xl, space::xl);
    column->setSpacing(space::s);
    column->addStretch(2);
    picture_->setAlignment(Qt::AlignCenter);
    column->addWidget(picture_);
    title_ = makeLabel(title, "section", this);
    text_ = makeLabel(text, "secondary", this);
    for (QLabel* label : {title_, text_}) {
        label->setAlignment(Qt::AlignCenter);
        label->setWordWrap(true);
        column->addWidget(label);
    }
    if (action) {
        column->addSpacing(space::s);
        column->addWidget(makeButton(action, "primary", this), 0, Qt::AlignCenter);
    }
    column->addStretch(3);
    paintIcon();
    connect(themeNotifier(), &ThemeNotifier::changed, this, &EmptyState::paintIcon);
}

void EmptyState::setTexts(const QString& title, const QString& text) {
    title_->setText(title);
    text_->setText(text);
}

void EmptyState::paintIcon() { picture_->setPixmap(iconPixmap(icon_, theme().secondary, 36, devicePixelRatioF())); }

QLabel* makeLabel(const QString& text, const char* look, QWidget* parent) {
    auto* label = new QLabel(parent);
    label->setTextFormat(Qt::PlainText);
    label->setText(text);
    setLook(label, look);
    return label;
}

QPushButton* makeButton(QAction* action, const char* look, QWidget* parent) {
    auto* button = new QPushButton(parent);
    setLook(button, look);
    const auto follow = [button, action] {
        QString text = action->text();
        button->setText(text.remove(QLatin1Char('&')));
        button->setAccessibleName(text);
        button->setEnabled(action->isEnabled());
        if (button->parentWidget()) button->setVisible(action->isVisible());
        button->setToolTip(action->toolTip());
    };
    follow();
    QObject::connect(action, &QAction::changed, button, follow);
    QObject::connect(button, &QPushButton::clicked, action, &QAction::trigger);
    return button;
}

}  // namespace candor::ui
