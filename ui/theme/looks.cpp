// SPDX-License-Identifier: GPL-3.0-or-later
#include <QAbstractButton>
#include <QFrame>
#include <QLabel>
#include <QStyle>
#include <QVariant>
#include <QWidget>

#include "ui/theme/style.h"
#include "ui/theme/theme.h"

namespace candor::ui {
namespace {

struct Look {
    const char* name;
    TypeRole type;
    QColor Theme::*color;
};

constexpr Look kLabels[] = {
    {"title", TypeRole::Title, &Theme::text},
    {"section", TypeRole::Section, &Theme::text},
    {"secondary", TypeRole::Secondary, &Theme::secondary},
    {"question", TypeRole::Question, &Theme::text},
    {"number", TypeRole::Number, &Theme::text},
    {"positive", TypeRole::Body, &Theme::positive},
    {"negative", TypeRole::Body, &Theme::negative},
    {"warning", TypeRole::Body, &Theme::warning},
};

void background(QWidget* widget, const QColor& color) {
    QPalette palette = widget->palette();
    palette.setColor(QPalette::Window, color);
    widget->setPalette(palette);
    widget->setAutoFillBackground(true);
}

}  // namespace

void setLook(QWidget* widget, const char* look) {
    widget->setProperty("look", QString::fromLatin1(look));
    polishLook(widget);
    widget->updateGeometry();
    widget->update();
}

void polishLook(QWidget* widget) {
    const QVariant property = widget->property("look");
    if (!property.isValid()) return;
    const QString look = property.toString();
    if (qobject_cast<QLabel*>(widget) != nullptr) {
        for (const Look& known : kLabels) {
            if (look != QLatin1String(known.name)) continue;
            widget->setFont(font(known.type));
            QPalette palette = widget->palette();
            palette.setColor(QPalette::WindowText, theme().*known.color);
            palette.setColor(QPalette::Text, theme().*known.color);
            widget->setPalette(palette);
        }
    } else if (look == QLatin1String("panel") || look == QLatin1String("surface")) {
        background(widget, theme().surface);
        if (auto* frame = qobject_cast<QFrame*>(widget); frame && look == QLatin1String("panel"))
            frame->setFrameShape(QFrame::StyledPanel);
    } else if (look == QLatin1String("bar")) {
        background(widget, theme().window);
    }
}

}  // namespace candor::ui
