// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDialog>

class QComboBox;
class QLabel;
class QLineEdit;
class QCheckBox;

namespace candor::db {
class Project;
}

namespace candor::ui {

class PlotView;
class Settings;
struct FigureOptions;

// Where and how a figure goes: file type, venue preset, width; a preview of the paper's drawing. Errors in place.
class ExportDialog : public QDialog {
    Q_OBJECT
  public:
    // The plot must outlive the dialog.
    ExportDialog(PlotView& plot, const QString& name, db::Project& project, Settings& settings, QWidget* parent);

  signals:
    void exported(const QString& path);

  private:
    FigureOptions options() const;
    void update_();
    void save();

    PlotView& plot_;
    Settings& settings_;
    QComboBox *format_, *preset_, *columns_;
    QCheckBox* title_;
    QLineEdit* path_;
    QLabel *size_, *error_;
    class Preview;
    Preview* preview_;
};

}  // namespace candor::ui
