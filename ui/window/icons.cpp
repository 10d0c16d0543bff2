// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/icons.h"

#include <QFile>
#include <QPainter>
#include <QSvgRenderer>

#include "ui/theme/theme.h"

namespace candor::ui {

namespace {

constexpr int kSize = 20;

void add(QIcon& icon, const QString& name, const QColor& color, QIcon::Mode mode, QIcon::State state) {
    for (const double ratio : {1.0, 2.0, 3.0}) icon.addPixmap(iconPixmap(name, color, kSize, ratio), mode, state);
}

}  // namespace

QPixmap iconPixmap(const QString& name, const QColor& color, int size, double ratio) {
    QFile file(QStringLiteral(":/icons/%1.svg").arg(name));
    if (!file.open(QIODevice::ReadOnly)) return {};
    QByteArray svg = file.readAll();
    svg.replace("currentColor", color.name().toUtf8());
    const int pixels = static_cast<int>(size * ratio + 0.5);
    QPixmap pixmap(pixels, pixels);
    pixmap.fill(Qt::transparent);
    QPainter painter(&pixmap);
    QSvgRenderer(svg).render(&painter, QRectF(0, 0, pixels, pixels));
    painter.end();
    pixmap.setDevicePixelRatio(ratio);
    return pixmap;
}

QIcon icon(const QString& name) {
    QIcon made;
    QColor faint = theme().secondary;
    faint.setAlpha(110);
    add(made, name, theme().secondary, QIcon::Normal, QIcon::Off);
    add(made, name, theme().text, QIcon::Active, QIcon::Off);
    add(made, name, theme().accent, QIcon::Normal, QIcon::On);
    add(made, name, theme().accent, QIcon::Active, QIcon::On);
    add(made, name, faint, QIcon::Disabled, QIcon::Off);
    return made;
}

QIcon icon(const QString& name, const QColor& color) {
    QIcon made;
    add(made, name, color, QIcon::Normal, QIcon::Off);
    return made;
}

}  // namespace candor::ui
