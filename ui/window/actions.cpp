// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/actions.h"

#include <QMenu>
#include <QWidget>

namespace candor::ui {

Actions::Actions(QWidget* window) : QObject(window), window_(window) {}

QAction* Actions::add(const QString& group, const QString& text, const QKeySequence& key, std::function<void()> run,
                      QWidget* page) {
    QWidget* home = page ? page : window_;
    auto* action = new QAction(text, home);
    action->setShortcut(key);
    action->setShortcutContext(page ? Qt::WidgetWithChildrenShortcut : Qt::WindowShortcut);
    if (!key.isEmpty()) action->setToolTip(text + QStringLiteral("  ") + key.toString(QKeySequence::NativeText));
    home->addAction(action);
    if (run) connect(action, &QAction::triggered, home, [run = std::move(run)] { run(); });
    entries_.push_back({action, group, page});
    Q_ASSERT(clashes().isEmpty());
    return action;
}

QStringList Actions::clashes() const {
    QStringList found;
    for (std::size_t i = 0; i < entries_.size(); ++i)
        for (std::size_t j = i + 1; j < entries_.size(); ++j) {
            const Entry &a = entries_[i], &b = entries_[j];
            if (a.action->shortcut().isEmpty() || a.action->shortcut() != b.action->shortcut()) continue;
            if (!a.page || !b.page || a.page == b.page)
                found << a.action->text() + QStringLiteral(" / ") + b.action->text();
        }
    return found;
}

void Actions::fill(QMenu& menu) const {
    std::vector<std::pair<QString, QMenu*>> groups;
    for (const Entry& entry : entries_) {
        QMenu* sub = nullptr;
        for (const auto& [name, known] : groups)
            if (name == entry.group) sub = known;
        if (!sub) {
            sub = menu.addMenu(entry.group);
            groups.emplace_back(entry.group, sub);
        }
        sub->addAction(entry.action);
    }
}

}  // namespace candor::ui
