// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStringList>

#include "ui/pages/page.h"

class QLabel;
class QStackedWidget;
class QTableView;

namespace candor::ui {

class CellTable;

// The figures written beside this project, and the action that writes all that its results can fill.
class FiguresPage : public Page {
    Q_OBJECT
  public:
    FiguresPage(PageContext context, QWidget* parent);
    QString title() const override { return tr("Figures"); }
    QString trail() const override { return trail_; }
    void setSession(Session* session) override;
    QAction* primaryAction() const override { return exportAll_; }
    std::vector<QAction*> toolActions() const override { return {folder_}; }

    static QString folderOf(const QString& project);  // "NAME-figures" beside it

  protected:
    void showEvent(QShowEvent* event) override;

  private:
    void list();
    void exportAll();
    void write(struct FigureInputs inputs);
    void preview();

    QPointer<Session> session_;
    QString trail_;
    QStackedWidget* stack_;
    QTableView* table_;
    CellTable* model_;
    QLabel* picture_;
    QAction *exportAll_ = nullptr, *folder_ = nullptr;
};

}  // namespace candor::ui
