// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QColor>
#include <QIcon>
#include <QPixmap>
#include <QString>

namespace candor::ui {

// An icon of resources/icons drawn in the theme's colours: secondary, text when on or active, faint when disabled.
// Made for the theme in force: ask again after themeNotifier()->changed().
QIcon icon(const QString& name);
QIcon icon(const QString& name, const QColor& color);
QPixmap iconPixmap(const QString& name, const QColor& color, int size, double ratio);

}  // namespace candor::ui
