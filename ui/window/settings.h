// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QSettings>
#include <QString>
#include <QStringList>
#include <memory>

#include "ui/theme/theme.h"

namespace candor::ui {

// $XDG_CONFIG_HOME/candor/settings.ini. Keys it does not know are kept. A file that cannot be read is renamed, defaults
// are used and problem() says so. GUI thread.
class Settings {
  public:
    Settings();

    ThemeMode themeMode() const;
    void setThemeMode(ThemeMode mode);
    bool railCollapsed() const;
    void setRailCollapsed(bool collapsed);
    QStringList recentProjects() const;  // newest first, those that still exist
    void addRecentProject(const QString& path);
    QByteArray state(const QString& name) const;  // geometry, splitters, headers
    void setState(const QString& name, const QByteArray& state);
    QString value(const QString& key, const QString& fallback = {}) const;
    void setValue(const QString& key, const QString& value);

    const QString& problem() const { return problem_; }
    QString path() const;

  private:
    std::unique_ptr<QSettings> file_;
    QString problem_;
};

}  // namespace candor::ui
