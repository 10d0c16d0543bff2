// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/settings.h"

#include <QDateTime>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QObject>
#include <QStandardPaths>

namespace candor::ui {

namespace {

constexpr int kRecent = 8;

}  // namespace

Settings::Settings() {
    const QString folder =
        QStandardPaths::writableLocation(QStandardPaths::GenericConfigLocation) + QStringLiteral("/candor");
    QDir().mkpath(folder);
    const QString path = folder + QStringLiteral("/settings.ini");
    file_ = std::make_unique<QSettings>(path, QSettings::IniFormat);
    file_->sync();
    if (file_->status() == QSettings::FormatError) {
        const QString aside = path + QStringLiteral(".broken-") + QString::number(QDateTime::currentSecsSinceEpoch());
        file_.reset();
        QFile::rename(path, aside);
        file_ = std::make_unique<QSettings>(path, QSettings::IniFormat);
        problem_ = QObject::tr("The settings could not be read. They were kept as %1, defaults are used.").arg(aside);
    }
}

QString Settings::path() const { return file_->fileName(); }

ThemeMode Settings::themeMode() const {
    const int mode = file_->value(QStringLiteral("theme"), 0).toInt();
    return mode == 1 ? ThemeMode::Light : mode == 2 ? ThemeMode::Dark : ThemeMode::System;
}

void Settings::setThemeMode(ThemeMode mode) { file_->setValue(QStringLiteral("theme"), static_cast<int>(mode)); }

bool Settings::railCollapsed() const { return file_->value(QStringLiteral("rail_collapsed"), false).toBool(); }

void Settings::setRailCollapsed(bool collapsed) { file_->setValue(QStringLiteral("rail_collapsed"), collapsed); }

QStringList Settings::recentProjects() const {
    QStringList present;
    for (const QString& path : file_->value(QStringLiteral("recent")).toStringList())
        if (QFileInfo::exists(path)) present << path;
    return present;
}

void Settings::addRecentProject(const QString& path) {
    const QString absolute = QFileInfo(path).absoluteFilePath();
    QStringList recent = file_->value(QStringLiteral("recent")).toStringList();
    recent.removeAll(absolute);
    recent.prepend(absolute);
    file_->setValue(QStringLiteral("recent"), recent.mid(0, kRecent));
}

QByteArray Settings::state(const QString& name) const {
    return file_->value(QStringLiteral("state/") + name).toByteArray();
}

void Settings::setState(const QString& name, const QByteArray& state) {
    file_->setValue(QStringLiteral("state/") + name, state);
}

QString Settings::value(const QString& key, const QString& fallback) const {
    return file_->value(key, fallback).toString();
}

void Settings::setValue(const QString& key, const QString& value) { file_->setValue(key, value); }

}  // namespace candor::ui
