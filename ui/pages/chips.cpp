// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/chips.h"

#include <QPainter>
#include <functional>

#include "ui/theme/method_style.h"
#include "ui/theme/theme.h"

namespace candor::ui {

FlowLayout::FlowLayout(QWidget* parent, int gap) : QLayout(parent), gap_(gap) { setContentsMargins(0, 0, 0, 0); }

FlowLayout::~FlowLayout() {
    for (QLayoutItem* item : items_) delete item;
}

QLayoutItem* FlowLayout::itemAt(int index) const {
    return index >= 0 && index < count() ? items_[static_cast<std::size_t>(index)] : nullptr;
}

QLayoutItem* FlowLayout::takeAt(int index) {
    QLayoutItem* item = itemAt(index);
    if (item) items_.erase(items_.begin() + index);
    return item;
}

QSize FlowLayout::minimumSize() const {
    QSize size;
    for (const QLayoutItem* item : items_) size = size.expandedTo(item->minimumSize());
    return size;
}

void FlowLayout::setGeometry(const QRect& rect) {
    QLayout::setGeometry(rect);
    place(rect, true);
}

int FlowLayout::place(const QRect& rect, bool move) const {
    int x = rect.x(), y = rect.y(), line = 0;
    for (QLayoutItem* item : items_) {
        if (item->isEmpty()) continue;
        const QSize size = item->sizeHint();
        if (x + size.width() > rect.right() + 1 && line > 0) {
            x = rect.x();
            y += line + gap_;
            line = 0;
        }
        if (move) item->setGeometry(QRect(QPoint(x, y), size));
        x += size.width() + gap_;
        line = std::max(line, size.height());
    }
    return y + line - rect.y();
}

Chip::Chip(const QString& text, Kind kind, QWidget* parent) : QAbstractButton(parent), kind_(kind) {
    setText(text);
    setAccessibleName(text);
    setCheckable(kind == Kind::Toggle);
    setFocusPolicy(Qt::StrongFocus);
    setCursor(Qt::PointingHandCursor);
    if (kind == Kind::Closable) setToolTip(tr("Remove this filter"));
    connect(themeNotifier(), &ThemeNotifier::changed, this, qOverload<>(&QWidget::update));
}

void Chip::setMethod(const QString& method) {
    method_ = method;
    updateGeometry();
}

QSize Chip::sizeHint() const {
    int width = QFontMetrics(candor::ui::font(TypeRole::Secondary)).horizontalAdvance(text()) + 20;
    if (!method_.isEmpty()) width += 26;
    if (kind_ == Kind::Closable) width += 14;
    return {width, 24};
}

void Chip::enterEvent(QEnterEvent*) { update(); }
void Chip::leaveEvent(QEvent*) { update(); }

void Chip::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const QRectF body = QRectF(rect()).adjusted(1, 1, -1, -1);
    const bool on = isChecked() || kind_ == Kind::Closable;
    QColor fill = on ? theme().accent : theme().surface;
    if (on)
        fill.setAlphaF(theme().dark ? 0.22f : 0.12f);
    else if (underMouse() && isEnabled())
        fill = theme().hover;
    painter.setBrush(fill);
    painter.setPen(QPen(hasFocus() ? theme().accent : on ? theme().accent : theme().control, hasFocus() ? 2 : 1));
    painter.drawRoundedRect(body, body.height() / 2, body.height() / 2);
    QRectF inner = body.adjusted(9, 0, -9, 0);
    if (!method_.isEmpty()) {
        drawSwatch(painter, QRectF(inner.left() - 2, inner.center().y() - 6, 22, 12), methodStyle(method_));
        inner.setLeft(inner.left() + 26);
    }
    painter.setFont(candor::ui::font(TypeRole::Secondary));
    painter.setPen(!isEnabled() ? theme().secondary : theme().text);
    painter.drawText(inner, Qt::AlignVCenter | Qt::AlignLeft | Qt::TextSingleLine, text());
    if (kind_ != Kind::Closable) return;
    painter.setPen(QPen(theme().secondary, 1.5, Qt::SolidLine, Qt::RoundCap));
    const QPointF c(inner.right() - 2, inner.center().y());
    painter.drawLine(c + QPointF(-3, -3), c + QPointF(3, 3));
    painter.drawLine(c + QPointF(-3, 3), c + QPointF(3, -3));
}

ChipGroup::ChipGroup(QWidget* parent) : QWidget(parent), flow_(new FlowLayout(this)) {
    QSizePolicy policy(QSizePolicy::Preferred, QSizePolicy::Minimum);
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
}

Chip* ChipGroup::add(const QString& value) {
    auto* chip = new Chip(title_ ? title_(value) : value, Chip::Kind::Toggle, this);
    if (methods_) chip->setMethod(value);
    connect(chip, &QAbstractButton::toggled, this, &ChipGroup::changed);
    flow_->addWidget(chip);
    chips_.emplace_back(value, chip);
    return chip;
}

void ChipGroup::setChoices(const QStringList& values, const std::function<QString(const QString&)>& title,
                           bool methods) {
    QStringList present;
    for (const auto& [value, chip] : chips_) present << value;
    title_ = title;
    methods_ = methods;
    if (present == values) return;
    const QStringList kept = chosen();
    for (const auto& [value, chip] : chips_) {
        flow_->removeWidget(chip);
        delete chip;
    }
    chips_.clear();
    for (const QString& value : values) add(value)->show();
    setChosen(kept);
    updateGeometry();
}

void ChipGroup::setChosen(const QStringList& values) {
    const QSignalBlocker blocker(this);
    QStringList unknown = values;
    for (const auto& [value, chip] : chips_) {
        chip->setChecked(values.contains(value));
        unknown.removeAll(value);
    }
    for (const QString& value : unknown) {
        Chip* chip = add(value);
        chip->setChecked(true);
        chip->show();
    }
    updateGeometry();
}

QStringList ChipGroup::chosen() const {
    QStringList values;
    for (const auto& [value, chip] : chips_)
        if (chip->isChecked()) values << value;
    return values;
}

}  // namespace candor::ui
