// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/close_bar.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>

#include "ui/pages/empty_state.h"
#include "ui/theme/theme.h"

namespace candor::ui {

CloseBar::CloseBar(QWidget* parent) : QFrame(parent), text_(makeLabel({}, "warning", this)) {
    setLook(this, "bar");
    auto* line = new QHBoxLayout(this);
    line->setContentsMargins(space::l, space::s, space::l, space::s);
    text_->setWordWrap(true);
    line->addWidget(text_, 1);
    stay_ = new QPushButton(tr("Keep working"), this);
    auto* close = new QPushButton(tr("Stop and close"), this);
    setLook(close, "danger");
    line->addWidget(stay_);
    line->addWidget(close);
    connect(stay_, &QPushButton::clicked, this, &QWidget::hide);
    connect(close, &QPushButton::clicked, this, [this] {
        hide();
        emit confirmed();
    });
    hide();
}

void CloseBar::ask(const QString& what) {
    text_->setText(what);
    show();
    stay_->setFocus();
}

}  // namespace candor::ui
