// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFrame>

#include "ui/models/result_series.h"

class QGridLayout;
class QLabel;
class QTableView;

namespace candor::ui {

class CellTable;

// The selected run: what it is, its headline numbers, the threshold's readout and its numbers set by set.
class RunDetail : public QFrame {
    Q_OBJECT
  public:
    explicit RunDetail(QWidget* parent = nullptr);
    void setRun(const ProjectData* data, const db::RunRow* run, const SetChoice& choice);
    void setSets(const std::vector<SetMetrics>& sets);
    void setThreshold(double threshold, double coverage, double accuracy, std::int64_t n);
    void clearThreshold();

  signals:
    void setPicked(const QString& set);  // a row of the table

  private:
    struct Number {
        QLabel *value, *aside;
    };
    Number addNumber(QGridLayout& grid, int index, const QString& name);

    QLabel *name_, *facts_, *mark_, *threshold_, *readout_;
    Number numbers_[4];
    QTableView* table_;
    CellTable* model_;
};

}  // namespace candor::ui
