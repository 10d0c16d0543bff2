// SPDX-License-Identifier: GPL-3.0-or-later
#include <QPainter>
#include <QStyleOption>

#include "ui/theme/paint.h"
#include "ui/theme/style.h"
#include "ui/theme/theme.h"

namespace candor::ui {

QRect Style::subElementRect(SubElement element, const QStyleOption* option, const QWidget* widget) const {
    const QRect r = option->rect;
    switch (element) {
        case SE_LineEditContents:
            return r.adjusted(6, 1, -6, -1);
        // The bar is thin; its words stand to its right, never on the fill.
        case SE_ProgressBarLabel:
            return visualRect(option->direction, r, QRect(r.right() - 43, r.top(), 44, r.height()));
        case SE_ProgressBarGroove:
        case SE_ProgressBarContents: {
            const auto* bar = qstyleoption_cast<const QStyleOptionProgressBar*>(option);
            const bool words = bar && bar->textVisible && r.height() >= 14;
            const int height = std::min(6, r.height());
            return visualRect(option->direction, r,
                              QRect(r.left(), r.center().y() - (height - 1) / 2, r.width() - (words ? 48 : 0), height));
        }
        case SE_HeaderArrow:
            return visualRect(option->direction, r, QRect(r.right() - 18, r.top(), 14, r.height()));
        case SE_HeaderLabel: {
            const auto* header = qstyleoption_cast<const QStyleOptionHeader*>(option);
            const int arrow = header && header->sortIndicator != QStyleOptionHeader::None ? 18 : 0;
            return visualRect(option->direction, r, r.adjusted(space::s, 0, -space::s - arrow, 0));
        }
        default:
            return QProxyStyle::subElementRect(element, option, widget);
    }
}

QRect Style::subControlRect(ComplexControl control, const QStyleOptionComplex* option, SubControl sub,
                            const QWidget* widget) const {
    const QRect r = option->rect;
    if (control == CC_ScrollBar) {  // no arrow buttons: the groove is all of it
        const auto* bar = qstyleoption_cast<const QStyleOptionSlider*>(option);
        if (bar) {
            const bool across = bar->orientation == Qt::Horizontal;
            const int length = across ? r.width() : r.height();
            const qint64 range = qint64(bar->maximum) - bar->minimum;
            int slider = length;
            if (range > 0)
                slider = std::max<int>(pixelMetric(PM_ScrollBarSliderMin, option, widget),
                                       int(qint64(length) * bar->pageStep / (range + bar->pageStep)));
            slider = std::min(slider, length);
            const int start = sliderPositionFromValue(bar->minimum, bar->maximum, bar->sliderPosition, length - slider,
                                                      bar->upsideDown);
            const auto part = [&](int from, int size) {
                return across ? QRect(r.left() + from, r.top(), size, r.height())
                              : QRect(r.left(), r.top() + from, r.width(), size);
            };
            QRect found;
            switch (sub) {
                case SC_ScrollBarGroove:
                    found = r;
                    break;
                case SC_ScrollBarSlider:
                    found = part(start, slider);
                    break;
                case SC_ScrollBarSubPage:
                    found = part(0, start);
                    break;
                case SC_ScrollBarAddPage:
                    found = part(start + slider, length - start - slider);
                    break;
                default:
                    return QRect();
            }
            return visualRect(bar->direction, r, found);
        }
    }
    if (control == CC_ComboBox) {
        if (sub == SC_ComboBoxArrow)
            return visualRect(option->direction, r, QRect(r.right() - 26, r.top(), 26, r.height()));
        if (sub == SC_ComboBoxEditField) return visualRect(option->direction, r, r.adjusted(space::s, 2, -26, -2));
    }
    if (control == CC_SpinBox) {
        const QRect buttons(r.right() - 20, r.top() + 2, 19, r.height() - 4);
        if (sub == SC_SpinBoxUp)
            return visualRect(option->direction, r, buttons.adjusted(0, 0, 0, -buttons.height() / 2));
        if (sub == SC_SpinBoxDown)
            return visualRect(option->direction, r, buttons.adjusted(0, buttons.height() / 2, 0, 0));
        if (sub == SC_SpinBoxEditField) return visualRect(option->direction, r, r.adjusted(4, 2, -22, -2));
    }
    return QProxyStyle::subControlRect(control, option, sub, widget);
}

void Style::drawComplexControl(ComplexControl control, const QStyleOptionComplex* option, QPainter* painter,
                               const QWidget* widget) const {
    const Restore restore(painter);
    switch (control) {
        case CC_ScrollBar:
            return drawScrollBar(option, painter);
        case CC_ComboBox:
            return drawComboBox(option, painter, widget);
        case CC_SpinBox:
            return drawSpinBox(option, painter, widget);
        case CC_Slider:
            return drawSlider(option, painter);
        default:
            break;
    }
    QProxyStyle::drawComplexControl(control, option, painter, widget);
}

void Style::drawScrollBar(const QStyleOptionComplex* option, QPainter* painter) const {
    const auto* bar = qstyleoption_cast<const QStyleOptionSlider*>(option);
    if (!bar) return;
    painter->fillRect(option->rect, option->palette.brush(QPalette::Base));
    if (bar->maximum <= bar->minimum) return;
    const Theme& t = theme();
    const bool across = bar->orientation == Qt::Horizontal;
    const bool over = option->state & State_MouseOver,
               held = option->activeSubControls & SC_ScrollBarSlider && option->state & State_Sunken;
    QRectF r = QRectF(subControlRect(CC_ScrollBar, option, SC_ScrollBarSlider, nullptr));
    const double inset = over || held ? 1.5 : 3;
    r = across ? r.adjusted(2, inset, -2, -inset) : r.adjusted(inset, 2, -inset, -2);
    const double radius = std::min(r.width(), r.height()) / 2;
    roundedBox(painter, r, radius, mix(t.control, t.secondary, held ? 0.8 : over ? 0.45 : 0.1), Qt::transparent);
}

void Style::drawComboBox(const QStyleOptionComplex* option, QPainter* painter, const QWidget* widget) const {
    const auto* box = qstyleoption_cast<const QStyleOptionComboBox*>(option);
    if (!box) return;
    State state = option->state;
    if (!box->editable && !(state & State_KeyboardFocusChange)) state &= ~State_HasFocus;
    if (box->frame) fieldBox(painter, QRectF(option->rect), state);
    const QRect arrow = subControlRect(CC_ComboBox, option, SC_ComboBoxArrow, widget);
    chevron(painter, QRectF(arrow), 90, option->state & State_Enabled ? theme().secondary : theme().control);
}

void Style::drawSpinBox(const QStyleOptionComplex* option, QPainter* painter, const QWidget* widget) const {
    const auto* box = qstyleoption_cast<const QStyleOptionSpinBox*>(option);
    if (!box) return;
    const Theme& t = theme();
    if (box->frame) fieldBox(painter, QRectF(option->rect), option->state);
    if (box->buttonSymbols == QAbstractSpinBox::NoButtons) return;
    for (const SubControl sub : {SC_SpinBoxUp, SC_SpinBoxDown}) {
        const QRectF r = QRectF(subControlRect(CC_SpinBox, option, sub, widget));
        const bool can = option->state & State_Enabled &&
                         box->stepEnabled & (sub == SC_SpinBoxUp ? QAbstractSpinBox::StepUpEnabled
                                                                 : QAbstractSpinBox::StepDownEnabled);
        if (can && option->activeSubControls == sub && option->state & State_MouseOver)
            roundedBox(painter, r.adjusted(1, 0, -1, 0), 3, t.hover, Qt::transparent);
        chevron(painter, r, sub == SC_SpinBoxUp ? 270 : 90, can ? t.secondary : t.control);
    }
}

void Style::drawSlider(const QStyleOptionComplex* option, QPainter* painter) const {
    const auto* slider = qstyleoption_cast<const QStyleOptionSlider*>(option);
    if (!slider) return;
    const Theme& t = theme();
    const bool across = slider->orientation == Qt::Horizontal, enabled = option->state & State_Enabled;
    const QRectF groove = QRectF(proxy()->subControlRect(CC_Slider, option, SC_SliderGroove, nullptr));
    const QRectF handle = QRectF(proxy()->subControlRect(CC_Slider, option, SC_SliderHandle, nullptr));
    const QPointF c = handle.center();
    const QRectF track = across ? QRectF(groove.left(), c.y() - 1.5, groove.width(), 3)
                                : QRectF(c.x() - 1.5, groove.top(), 3, groove.height());
    roundedBox(painter, track, 1.5, t.line, Qt::transparent);
    QRectF done = track;
    if (across)
        slider->upsideDown ? done.setLeft(c.x()) : done.setRight(c.x());
    else
        slider->upsideDown ? done.setTop(c.y()) : done.setBottom(c.y());
    if (enabled) roundedBox(painter, done, 1.5, t.accent, Qt::transparent);
    painter->setPen(QPen(enabled ? t.accent : t.control, 1.5));
    painter->setBrush(t.surface);
    painter->drawEllipse(c, 6, 6);
    if (option->state & State_HasFocus && option->state & State_KeyboardFocusChange)
        focusRing(painter, QRectF(c.x() - 9, c.y() - 9, 18, 18), 9);
}

}  // namespace candor::ui
