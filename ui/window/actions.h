// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAction>
#include <QKeySequence>
#include <QObject>
#include <QString>
#include <functional>
#include <vector>

class QMenu;
class QWidget;

namespace candor::ui {

// Every action of the window, once: menus, palette and shortcut sheet are made from it. An action of a page belongs to
// the page's widget and its key works while that page is shown; the others work everywhere.
class Actions : public QObject {
    Q_OBJECT
  public:
    struct Entry {
        QAction* action = nullptr;
        QString group;            // the menu it stands in
        QWidget* page = nullptr;  // null: the whole window
    };

    explicit Actions(QWidget* window);

    // `page` null: everywhere. Asserts that no two actions share a key where both would hear it.
    QAction* add(const QString& group, const QString& text, const QKeySequence& key, std::function<void()> run,
                 QWidget* page = nullptr);
    const std::vector<Entry>& entries() const { return entries_; }
    QStringList clashes() const;   // keys heard twice, for the tests
    void fill(QMenu& menu) const;  // one submenu a group

  private:
    QWidget* window_;
    std::vector<Entry> entries_;
};

}  // namespace candor::ui
