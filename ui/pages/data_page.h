// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "db/import.h"
#include "ui/pages/page.h"

class QSplitter;
class QLabel;
class QStackedWidget;
class QTableView;

namespace candor::ui {

class CellTable;

// What is in the project: question sets with their faults, answer sets, and the last import's rejected rows.
class DataPage : public Page {
    Q_OBJECT
  public:
    DataPage(PageContext context, QWidget* parent);

    QString title() const override { return tr("Data"); }
    QString trail() const override { return trail_; }
    void setSession(Session* session) override;
    QAction* primaryAction() const override { return import_; }
    bool back() override;
    void saveState() override;

    // Runs the import as a background job of the open project.
    void startImport(const std::vector<std::filesystem::path>& files, const db::ImportOptions& options);
    QTableView* datasets() const { return datasets_; }
    QTableView* rejected() const { return rejected_; }

  private:
    void refresh();
    void askImport(const QStringList& files = {});
    void showReport(const db::ImportReport& report);

    QPointer<Session> session_;
    QString trail_;
    QStackedWidget* stack_;
    QTableView *datasets_, *answers_, *rejected_;
    CellTable *datasetModel_, *answerModel_, *rejectedModel_;
    QLabel* reportText_;
    QWidget* report_;
    QSplitter* split_;
    QAction* import_ = nullptr;
};

}  // namespace candor::ui
