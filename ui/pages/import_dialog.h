// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDialog>
#include <QStringList>
#include <filesystem>
#include <vector>

#include "db/import.h"

class QComboBox;
class QLabel;
class QLineEdit;
class QListWidget;
class QPushButton;

namespace candor::ui {

// What to import and as what. Checks in place; the import itself is a job of the Data page.
class ImportDialog : public QDialog {
    Q_OBJECT
  public:
    ImportDialog(const QStringList& files, const QStringList& models, QWidget* parent);
    void addFiles(const QStringList& files);
    db::ImportOptions options() const;

  signals:
    void importAsked(const std::vector<std::filesystem::path>& files, const candor::db::ImportOptions& options);

  private:
    void check();
    void guess();

    QListWidget* files_;
    QLineEdit *dataset_, *split_;
    QComboBox *role_, *domain_, *model_;
    QLabel* hint_;
    QPushButton* import_;
};

}  // namespace candor::ui
