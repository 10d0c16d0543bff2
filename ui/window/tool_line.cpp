// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/tool_line.h"

#include <QAction>
#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QPushButton>

#include "ui/pages/empty_state.h"
#include "ui/theme/theme.h"
#include "ui/window/icons.h"

namespace candor::ui {

namespace {

constexpr int kHeight = 52;

void clear(QHBoxLayout& layout) {
    while (QLayoutItem* item = layout.takeAt(0)) {
        if (item->widget()) {
            item->widget()->hide();
            item->widget()->deleteLater();
        }
        delete item;
    }
}

}  // namespace

ToolLine::ToolLine(QAction* goTo, QWidget* parent)
    : QFrame(parent),
      title_(makeLabel({}, "title", this)),
      trail_(makeLabel({}, "secondary", this)),
      buttons_(new QHBoxLayout),
      last_(new QHBoxLayout) {
    setFixedHeight(kHeight);
    auto* line = new QHBoxLayout(this);
    line->setContentsMargins(space::l, 0, space::l, 0);
    line->setSpacing(space::s);
    line->addWidget(title_);
    line->addSpacing(space::xs);
    trail_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    line->addWidget(trail_, 1);
    buttons_->setSpacing(space::s);
    last_->setSpacing(space::s);
    line->addLayout(buttons_);
    QPushButton* go = makeButton(goTo, "quiet", this);
    const auto paint = [go] { go->setIcon(icon(QStringLiteral("search"))); };
    paint();
    connect(themeNotifier(), &ThemeNotifier::changed, go, paint);
    line->addWidget(go);
    line->addLayout(last_);
}

void ToolLine::setTitle(const QString& title) { title_->setText(title); }

void ToolLine::setTrail(const QString& trail) {
    trailText_ = trail;
    elide();
}

void ToolLine::elide() {
    const QFontMetrics metrics(trail_->font());
    trail_->setText(metrics.elidedText(trailText_, Qt::ElideRight, trail_->width()));
    trail_->setToolTip(trailText_.toHtmlEscaped());
}

void ToolLine::setActions(const std::vector<QAction*>& actions, QAction* primary) {
    clear(*buttons_);
    clear(*last_);
    for (QAction* action : actions) buttons_->addWidget(makeButton(action, "", this));
    if (primary) last_->addWidget(makeButton(primary, "primary", this));
}

void ToolLine::resizeEvent(QResizeEvent* event) {
    QFrame::resizeEvent(event);
    elide();
}

void ToolLine::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.fillRect(rect(), theme().window);
    painter.fillRect(QRect(0, height() - 1, width(), 1), theme().line);
}

}  // namespace candor::ui
