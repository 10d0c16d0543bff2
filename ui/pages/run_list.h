// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFrame>
#include <QPointer>

class QComboBox;
class QLineEdit;
class QTreeView;

namespace candor::ui {

class CellSort;
class RunTree;
class Session;
class Settings;

// The runs of the project or of one experiment: check boxes choose what plots show, the current row what is detailed.
class RunList : public QFrame {
    Q_OBJECT
  public:
    explicit RunList(Settings& settings, QWidget* parent = nullptr);
    void setSession(Session* session);
    void focusFilter();
    void saveState();
    QTreeView* tree() const { return view_; }

  private:
    void refresh();
    void fillExperiments();
    void showSelection();
    void chooseColumns(const QPoint& at);

    Settings& settings_;
    QPointer<Session> session_;
    QComboBox* experiment_;
    QLineEdit* filter_;
    QTreeView* view_;
    RunTree* model_;
    CellSort* sort_;
    bool expanded_ = false, selecting_ = false;
};

}  // namespace candor::ui
