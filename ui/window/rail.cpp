// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/rail.h"

#include <QAction>
#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QToolButton>
#include <QVBoxLayout>

#include "ui/pages/empty_state.h"
#include "ui/theme/theme.h"
#include "ui/window/icons.h"

namespace candor::ui {

namespace {

constexpr int kPlaceHeight = 32;

// A place: icon, word, and a bar of the accent colour where it is the current one.
class PlaceButton : public QToolButton {
  public:
    using QToolButton::QToolButton;

  protected:
    void paintEvent(QPaintEvent*) override {
        QPainter painter(this);
        painter.setRenderHint(QPainter::Antialiasing);
        const QRectF body = QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5);
        if (isChecked() || (underMouse() && isEnabled())) {
            painter.setPen(Qt::NoPen);
            painter.setBrush(isChecked() ? theme().selection : theme().hover);
            painter.drawRoundedRect(body, space::radius, space::radius);
        }
        if (hasFocus()) {
            painter.setPen(QPen(theme().accent, space::focus));
            painter.setBrush(Qt::NoBrush);
            painter.drawRoundedRect(body.adjusted(0.5, 0.5, -0.5, -0.5), space::radius, space::radius);
        }
        const QIcon::Mode mode = !isEnabled() ? QIcon::Disabled : underMouse() ? QIcon::Active : QIcon::Normal;
        const int left = toolButtonStyle() == Qt::ToolButtonIconOnly ? (width() - 20) / 2 : 8;
        icon().paint(&painter, QRect(left, (height() - 20) / 2, 20, 20), Qt::AlignCenter, mode,
                     isChecked() ? QIcon::On : QIcon::Off);
        if (toolButtonStyle() == Qt::ToolButtonIconOnly) return;
        QFont words = font(TypeRole::Body);
        if (isChecked()) words.setWeight(QFont::DemiBold);
        painter.setFont(words);
        QColor ink = isEnabled() ? theme().text : theme().secondary;
        painter.setPen(ink);
        painter.drawText(QRect(38, 0, width() - 42, height()), Qt::AlignVCenter | Qt::AlignLeft, text());
    }
    QSize sizeHint() const override { return {kPlaceHeight, kPlaceHeight}; }
    QSize minimumSizeHint() const override { return {kPlaceHeight, kPlaceHeight}; }
    // The widget's own font() hides the theme's.
    static QFont font(TypeRole role) { return candor::ui::font(role); }
};

}  // namespace

Rail::Rail(QWidget* parent)
    : QFrame(parent),
      menu_(new QToolButton(this)),
      fold_(new QToolButton(this)),
      brand_(makeLabel(QStringLiteral("Candor"), "section", this)),
      project_(makeLabel({}, "secondary", this)),
      places_(new QVBoxLayout) {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(space::s, space::s, space::s, space::s);
    column->setSpacing(2);
    auto* top = new QHBoxLayout;
    top->setSpacing(space::s);
    top->addWidget(menu_);
    top->addWidget(brand_, 1);
    column->addLayout(top);
    column->addSpacing(space::m);
    places_->setSpacing(2);
    column->addLayout(places_);
    column->addStretch(1);
    auto* bottom = new QHBoxLayout;
    bottom->setSpacing(space::xs);
    bottom->addWidget(project_, 1);
    bottom->addWidget(fold_);
    column->addLayout(bottom);

    project_->setMinimumWidth(0);
    menu_->setAccessibleName(tr("Menu"));
    menu_->setToolTip(tr("Menu  F10"));
    menu_->setPopupMode(QToolButton::InstantPopup);
    fold_->setAccessibleName(tr("Collapse the rail"));
    for (QToolButton* button : {menu_, fold_}) {
        button->setAutoRaise(true);
        button->setFocusPolicy(Qt::TabFocus);
        button->setIconSize({20, 20});
        button->setFixedSize(32, 32);
        button->setStyleSheet(QStringLiteral("QToolButton::menu-indicator{image:none;}"));
    }
    connect(fold_, &QToolButton::clicked, this, &Rail::collapseAsked);
    connect(themeNotifier(), &ThemeNotifier::changed, this, &Rail::restyle);
    restyle();
    setCollapsed(false);
}

void Rail::addPlace(QAction* action, const QString& icon) {
    auto* button = new PlaceButton(this);
    button->setCheckable(true);
    button->setText(action->text());
    button->setAccessibleName(action->text());
    button->setToolTip(action->toolTip());
    button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    button->setFixedHeight(kPlaceHeight);
    button->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    button->setFocusPolicy(Qt::TabFocus);
    places_->addWidget(button);
    const int place = static_cast<int>(buttons_.size());
    connect(button, &QToolButton::clicked, action, [this, action, place] {
        setCurrent(place);
        action->trigger();
    });
    buttons_.emplace_back(icon, button);
    restyle();
}

void Rail::setCurrent(int place) {
    for (std::size_t i = 0; i < buttons_.size(); ++i) buttons_[i].second->setChecked(static_cast<int>(i) == place);
}

void Rail::setPlacesEnabled(bool enabled) {
    for (const auto& [name, button] : buttons_) button->setEnabled(enabled);
}

void Rail::setProject(const QString& name, const QString& tip) {
    projectName_ = name;
    project_->setToolTip(tip.toHtmlEscaped());
    const int room = space::rail - 2 * space::s - 44;
    project_->setText(QFontMetrics(candor::ui::font(TypeRole::Secondary)).elidedText(name, Qt::ElideMiddle, room));
}

void Rail::setCollapsed(bool collapsed) {
    collapsed_ = collapsed;
    setFixedWidth(collapsed ? space::railCollapsed : space::rail);
    brand_->setVisible(!collapsed);
    project_->setVisible(!collapsed);
    for (const auto& [name, button] : buttons_)
        button->setToolButtonStyle(collapsed ? Qt::ToolButtonIconOnly : Qt::ToolButtonTextBesideIcon);
    fold_->setToolTip(collapsed ? tr("Expand the rail  Ctrl+B") : tr("Collapse the rail  Ctrl+B"));
    restyle();
}

void Rail::restyle() {
    menu_->setIcon(icon(QStringLiteral("menu")));
    fold_->setIcon(icon(collapsed_ ? QStringLiteral("expand") : QStringLiteral("collapse")));
    for (const auto& [name, button] : buttons_) button->setIcon(icon(name));
    update();
}

void Rail::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.fillRect(rect(), theme().window);
    painter.fillRect(QRect(width() - 1, 0, 1, height()), theme().line);
}

}  // namespace candor::ui
