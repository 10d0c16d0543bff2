// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPointer>
#include <QString>
#include <QWidget>
#include <vector>

class QAction;

namespace candor::ui {

class Actions;
class Session;
class Settings;

// What a page is given when the window is made.
struct PageContext {
    Actions& actions;
    Settings& settings;
};

// One of the window's places. The session is null while no project is open.
class Page : public QWidget {
    Q_OBJECT
  public:
    Page(PageContext context, QWidget* parent) : QWidget(parent), context_(context) {}

    virtual QString title() const = 0;
    virtual void setSession(Session* session) = 0;
    // Buttons of the tool line while this page is shown, the primary one (at most one) last.
    virtual std::vector<QAction*> toolActions() const { return {}; }
    virtual QAction* primaryAction() const { return nullptr; }
    virtual QString trail() const { return {}; }  // what stands after the title
    virtual bool back() { return false; }         // Esc: true if a level was backed out of
    virtual void saveState() {}                   // splitters and headers into the settings

  signals:
    void trailChanged(const QString& trail);  // what stands after the title in the breadcrumb

  protected:
    PageContext context_;
};

}  // namespace candor::ui
