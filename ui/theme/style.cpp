// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/theme/style.h"

#include <QAbstractItemView>
#include <QAbstractSpinBox>
#include <QComboBox>
#include <QHeaderView>
#include <QLineEdit>
#include <QMenu>
#include <QPainter>
#include <QPainterPath>
#include <QPushButton>
#include <QScrollBar>
#include <QStyleFactory>
#include <QStyleOption>
#include <QTabBar>
#include <QToolButton>

#include "ui/theme/paint.h"
#include "ui/theme/theme.h"

namespace candor::ui {

Style::Style() : QProxyStyle(QStyleFactory::create(QStringLiteral("Fusion"))) {}

void Style::polish(QWidget* widget) {
    QProxyStyle::polish(widget);
    if (qobject_cast<QAbstractButton*>(widget) || qobject_cast<QComboBox*>(widget) ||
        qobject_cast<QScrollBar*>(widget) || qobject_cast<QTabBar*>(widget) || qobject_cast<QHeaderView*>(widget) ||
        qobject_cast<QLineEdit*>(widget) || qobject_cast<QAbstractSpinBox*>(widget))
        widget->setAttribute(Qt::WA_Hover);
    if (auto* view = qobject_cast<QAbstractItemView*>(widget)) view->viewport()->setAttribute(Qt::WA_Hover);
    if (auto* tabs = qobject_cast<QTabBar*>(widget)) tabs->setExpanding(false);
    if (auto* header = qobject_cast<QHeaderView*>(widget); header && header->orientation() == Qt::Horizontal)
        header->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    polishLook(widget);
}

void Style::unpolish(QWidget* widget) { QProxyStyle::unpolish(widget); }

int Style::pixelMetric(PixelMetric metric, const QStyleOption* option, const QWidget* widget) const {
    switch (metric) {
        case PM_DefaultFrameWidth:
            return 1;
        case PM_SplitterWidth:
            return 1;
        case PM_ScrollBarExtent:
            return 10;
        case PM_ScrollBarSliderMin:
            return 28;
        case PM_MenuPanelWidth:
            return 1;
        case PM_MenuVMargin:
        case PM_MenuHMargin:
            return 4;
        case PM_MenuBarItemSpacing:
            return 2;
        case PM_MenuBarVMargin:
            return 2;
        case PM_IndicatorWidth:
        case PM_IndicatorHeight:
        case PM_ExclusiveIndicatorWidth:
        case PM_ExclusiveIndicatorHeight:
            return 16;
        case PM_CheckBoxLabelSpacing:
        case PM_RadioButtonLabelSpacing:
            return space::s;
        case PM_ButtonMargin:
            return 2 * space::m;
        case PM_ButtonShiftHorizontal:
        case PM_ButtonShiftVertical:
            return 0;
        case PM_ButtonDefaultIndicator:
            return 0;
        case PM_ButtonIconSize:
        case PM_SmallIconSize:
            return 16;
        case PM_ToolBarIconSize:
            return 18;
        case PM_ToolBarFrameWidth:
            return 0;
        case PM_ToolBarItemSpacing:
            return space::xs;
        case PM_TabBarTabHSpace:
            return 2 * space::m;
        case PM_TabBarTabVSpace:
            return space::m;
        case PM_TabBarBaseOverlap:
            return 1;
        case PM_TabBarTabShiftVertical:
            return 0;
        case PM_HeaderMargin:
            return space::s;
        case PM_HeaderMarkSize:
            return 8;
        case PM_FocusFrameHMargin:
            return 5;
        case PM_FocusFrameVMargin:
            return 2;
        case PM_LayoutHorizontalSpacing:
        case PM_LayoutVerticalSpacing:
            return space::s;
        case PM_LayoutLeftMargin:
        case PM_LayoutRightMargin:
        case PM_LayoutTopMargin:
        case PM_LayoutBottomMargin:
            return space::m;
        case PM_SliderThickness:
        case PM_SliderLength:
            return 16;
        case PM_SliderControlThickness:
            return 16;
        case PM_ToolTipLabelFrameWidth:
            return 6;
        default:
            return QProxyStyle::pixelMetric(metric, option, widget);
    }
}

int Style::styleHint(StyleHint hint, const QStyleOption* option, const QWidget* widget, QStyleHintReturn* data) const {
    switch (hint) {
        case SH_ComboBox_Popup:
            return 0;
        case SH_EtchDisabledText:
        case SH_DitherDisabledText:
            return 0;
        case SH_ItemView_ShowDecorationSelected:
            return 1;
        case SH_ItemView_MovementWithoutUpdatingSelection:
            return 1;
        case SH_Table_GridLineColor:
            return static_cast<int>(theme().line.rgb());
        case SH_UnderlineShortcut:
            return 0;
        case SH_TabBar_Alignment:
            return Qt::AlignLeft;
        case SH_TabBar_ElideMode:
            return Qt::ElideRight;
        case SH_ScrollBar_LeftClickAbsolutePosition:
            return 0;
        case SH_Slider_AbsoluteSetButtons:
            return Qt::LeftButton;
        case SH_ToolTipLabel_Opacity:
            return 255;
        case SH_ToolTip_WakeUpDelay:
            return 350;
        case SH_Menu_Scrollable:
            return 1;
        case SH_MessageBox_TextInteractionFlags:
            return Qt::TextSelectableByMouse;
        default:
            return QProxyStyle::styleHint(hint, option, widget, data);
    }
}

QSize Style::sizeFromContents(ContentsType type, const QStyleOption* option, const QSize& size,
                              const QWidget* widget) const {
    QSize s = QProxyStyle::sizeFromContents(type, option, size, widget);
    switch (type) {
        case CT_PushButton: {
            const auto* button = qstyleoption_cast<const QStyleOptionButton*>(option);
            s = size + QSize(2 * space::m, 0);
            if (button && (button->features & QStyleOptionButton::HasMenu)) s.rwidth() += space::l;
            s.setHeight(std::max(space::control, size.height() + space::s));
            if (button && !button->text.isEmpty()) s.setWidth(std::max(s.width(), 64));
            return s;
        }
        case CT_ToolButton:
            return QSize(std::max(s.width(), space::control), std::max(s.height(), space::control));
        case CT_LineEdit:
        case CT_SpinBox:
            return QSize(size.width() + 36, std::max(space::control, option->fontMetrics.height() + space::s));
        case CT_ComboBox:
            return QSize(size.width() + 2 * space::s + space::xl, std::max(space::control, size.height()));
        case CT_HeaderSection:
            return QSize(s.width() + space::s, std::max(s.height(), space::row));
        case CT_ItemViewItem:
            return QSize(s.width() + space::s, std::max(s.height(), space::row));
        case CT_MenuItem: {
            const auto* item = qstyleoption_cast<const QStyleOptionMenuItem*>(option);
            if (item && item->menuItemType == QStyleOptionMenuItem::Separator) return QSize(10, 9);
            return QSize(s.width() + space::l, std::max(s.height(), space::row));
        }
        case CT_MenuBarItem:
            return QSize(s.width(), std::max(s.height(), space::row));
        case CT_TabBarTab:
            return QSize(s.width(), 32);
        case CT_ProgressBar:
            return QSize(s.width(), std::max(6, option->fontMetrics.height() + 2));
        default:
            return s;
    }
}

void Style::drawPrimitive(PrimitiveElement element, const QStyleOption* option, QPainter* painter,
                          const QWidget* widget) const {
    const Theme& t = theme();
    const Restore restore(painter);
    const QRectF rect = QRectF(option->rect);
    const bool enabled = option->state & State_Enabled;
    switch (element) {
        case PE_PanelButtonCommand:
        case PE_PanelButtonBevel:
            return drawButtonPanel(option, painter, widget);
        case PE_FrameDefaultButton:
            return;
        case PE_PanelButtonTool: {
            const bool on = option->state & (State_On | State_Sunken);
            const bool over = enabled && (option->state & State_MouseOver);
            if (on || over) roundedBox(painter, rect, space::radius, on ? t.selection : t.hover, Qt::transparent);
            return;
        }
        case PE_FrameFocusRect:
            return focusRing(painter, rect, 4);
        case PE_PanelLineEdit: {
            const auto* frame = qstyleoption_cast<const QStyleOptionFrame*>(option);
            if (frame && frame->lineWidth <= 0) {
                painter->fillRect(option->rect, option->palette.brush(QPalette::Base));
                return;
            }
            fieldBox(painter, rect, option->state);
            return;
        }
        case PE_FrameLineEdit:
            return;  // the panel has drawn it
        case PE_Frame:
        case PE_FrameGroupBox:
        case PE_FrameWindow:
        case PE_FrameTabWidget: {
            if (widget && qobject_cast<const QAbstractItemView*>(widget) && (option->state & State_HasFocus)) {
                painter->setPen(t.accent);
                painter->drawRect(rect.adjusted(0.5, 0.5, -0.5, -0.5));
                return;
            }
            painter->setPen(t.line);
            if (element == PE_FrameTabWidget)
                painter->drawLine(option->rect.topLeft(), option->rect.topRight());
            else
                painter->drawRoundedRect(rect.adjusted(0.5, 0.5, -0.5, -0.5), 2, 2);
            return;
        }
        case PE_FrameTabBarBase:
            painter->fillRect(QRect(option->rect.left(), option->rect.bottom(), option->rect.width(), 1), t.line);
            return;
        case PE_PanelScrollAreaCorner:
            painter->fillRect(option->rect, option->palette.brush(QPalette::Base));
            return;
        case PE_FrameMenu:
        case PE_FrameStatusBarItem:
            return;
        case PE_PanelStatusBar:
        case PE_PanelMenuBar:
            return;
        case PE_PanelMenu:
            painter->fillRect(option->rect, t.raised);
            painter->setPen(t.control);
            painter->drawRect(rect.adjusted(0.5, 0.5, -0.5, -0.5));
            return;
        case PE_PanelTipLabel:
            roundedBox(painter, rect, 2, t.raised, t.control);
            return;
        case PE_IndicatorCheckBox:
        case PE_IndicatorItemViewItemCheck:
            return checkMark(painter, rect, option->state);
        case PE_IndicatorRadioButton:
            return radioMark(painter, rect, option->state);
        case PE_IndicatorArrowDown:
        case PE_IndicatorSpinDown:
            return chevron(painter, rect, 90, enabled ? t.secondary : t.control);
        case PE_IndicatorArrowUp:
        case PE_IndicatorSpinUp:
            return chevron(painter, rect, 270, enabled ? t.secondary : t.control);
        case PE_IndicatorArrowLeft:
            return chevron(painter, rect, 180, enabled ? t.secondary : t.control);
        case PE_IndicatorArrowRight:
            return chevron(painter, rect, 0, enabled ? t.secondary : t.control);
        case PE_IndicatorBranch:
            if (option->state & State_Children)
                chevron(painter, rect, option->state & State_Open ? 90 : 0, t.secondary);
            return;
        case PE_IndicatorHeaderArrow: {
            const auto* header = qstyleoption_cast<const QStyleOptionHeader*>(option);
            if (header && header->sortIndicator != QStyleOptionHeader::None)
                chevron(painter, rect, header->sortIndicator == QStyleOptionHeader::SortUp ? 90 : 270, t.accent);
            return;
        }
        case PE_PanelItemViewRow:
        case PE_PanelItemViewItem: {
            const auto* item = qstyleoption_cast<const QStyleOptionViewItem*>(option);
            if (item && element == PE_PanelItemViewItem && item->backgroundBrush.style() != Qt::NoBrush)
                painter->fillRect(option->rect, item->backgroundBrush);
            if (option->state & State_Selected)
                painter->fillRect(option->rect, t.selection);
            else if (enabled && (option->state & State_MouseOver) && element == PE_PanelItemViewItem)
                painter->fillRect(option->rect, t.hover);
            else if (item && (item->features & QStyleOptionViewItem::Alternate) && element == PE_PanelItemViewRow)
                painter->fillRect(option->rect, option->palette.brush(QPalette::AlternateBase));
            return;
        }
        default:
            break;
    }
    QProxyStyle::drawPrimitive(element, option, painter, widget);
}

void Style::drawButtonPanel(const QStyleOption* option, QPainter* painter, const QWidget* widget) const {
    const Theme& t = theme();
    const bool enabled = option->state & State_Enabled, over = enabled && (option->state & State_MouseOver);
    const bool down = option->state & (State_Sunken | State_On);
    const QString look = widget ? widget->property("look").toString() : QString();
    const QRectF box = QRectF(option->rect);
    QColor fill = t.surface, border = t.control;
    if (look == QLatin1String("primary") || look == QLatin1String("danger")) {
        const QColor base = look == QLatin1String("primary") ? t.accent : t.negative;
        fill = !enabled ? mix(base, t.window, 0.62)
               : down   ? mix(base, t.text, 0.22)
               : over   ? mix(base, t.text, 0.1)
                        : base;
        border = Qt::transparent;
    } else if (look == QLatin1String("quiet")) {
        fill = down ? t.selection : over ? t.hover : QColor(Qt::transparent);
        border = Qt::transparent;
    } else if (!enabled) {
        fill = mix(t.surface, t.window, 0.7), border = t.line;
    } else if (down) {
        fill = option->state & State_On ? t.selection : mix(t.hover, t.control, 0.35);
        if (option->state & State_On) border = t.accent;
    } else if (over) {
        fill = t.hover, border = mix(t.control, t.secondary, 0.4);
    }
    roundedBox(painter, box, space::radius, fill, border);
    if ((option->state & State_HasFocus) && (option->state & State_KeyboardFocusChange))
        focusRing(painter, box, space::radius, look == QLatin1String("primary") ? t.surface : QColor());
}

}  // namespace candor::ui
