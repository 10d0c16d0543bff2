// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFrame>
#include <vector>

class QHBoxLayout;
class QStackedWidget;
class QTableView;
class QToolButton;

namespace candor::ui {

class CellTable;
class PlotView;

// One or more plots in a frame, one shown at a time, each with its twin as a table. Knows no data of its own.
class PlotPanel : public QFrame {
    Q_OBJECT
  public:
    explicit PlotPanel(std::vector<PlotView*> plots, QWidget* parent = nullptr);
    PlotView* plot() const;  // the one shown
    QString plotName() const;
    void showPlot(int index);
    void setAsTable(bool on);
    bool isTable() const;
    void addControl(QWidget* widget);  // in the panel's head, at the right

  signals:
    void activated();  // hovered, clicked or focused: what F fills the page with
    void fillAsked();

  protected:
    bool eventFilter(QObject* object, QEvent* event) override;

  private:
    void fillTable();
    std::vector<PlotView*> plots_;
    std::vector<QToolButton*> tabs_;
    QStackedWidget* stack_;
    QTableView* table_;
    CellTable* model_ = nullptr;
    QHBoxLayout* head_;
    int current_ = 0;
};

}  // namespace candor::ui
