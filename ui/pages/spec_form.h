// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QScrollArea>

#include "core/experiment/spec.h"
#include "ui/models/project_data.h"

class QVBoxLayout;
class QComboBox;
class QFormLayout;
class QLabel;
class QLineEdit;
class QSpinBox;

namespace candor::ui {

class ChipGroup;

// The fields of an experiment that people change most; whatever else a spec holds passes through untouched.
class SpecForm : public QScrollArea {
    Q_OBJECT
  public:
    explicit SpecForm(QWidget* parent = nullptr);
    void setData(const ProjectData& data);  // which sets and models there are
    void setSpec(const ExperimentSpec& spec);
    const ExperimentSpec& spec() const { return spec_; }
    QString problem() const { return problem_; }  // why a field cannot be read; empty: none

  signals:
    void changed();

  private:
    void build();
    QWidget* row(const QString& title, QWidget* field, const QString& tip = {});
    void take();  // fields into the spec
    void showKind();

    ExperimentSpec spec_;
    QString problem_;
    bool filling_ = false;
    QWidget* body_;
    QVBoxLayout* column_;
    QLineEdit *name_, *seeds_, *rate_, *moreBudget_;
    QComboBox *model_, *kind_, *selection_;
    ChipGroup *train_, *in_, *out_, *methods_, *budgets_;
    QSpinBox *stage1_, *stage2_, *batch_;
    QWidget* browse_;
    QLabel *error_, *kindHint_;
};

// "0, 1, 2" or "0-4"; empty where it is no list of whole numbers.
std::vector<int> parseSeeds(const QString& text);
QString seedsText(const std::vector<int>& seeds);

}  // namespace candor::ui
