// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QScrollArea>

#include "db/queries.h"

class QLabel;

namespace candor::ui {

class ConfidenceAxis;
class SampleList;
class TokenStrip;

// One question: its text, gold answers, the greedy answer, the samples, and every run's confidence on one axis.
class QuestionDetail : public QScrollArea {
    Q_OBJECT
  public:
    explicit QuestionDetail(QWidget* parent = nullptr);
    void show(const db::QuestionDetail& detail, qint64 selectedRun, double confidence);
    void clear(const QString& reason);
    QString questionText() const;

  signals:
    void runActivated(qint64 run);

  private:
    QWidget* body_;
    QLabel *where_, *question_, *gold_, *answerHead_, *answer_, *tokens_, *samplesHead_, *axisHead_;
    TokenStrip* strip_;
    SampleList* samples_;
    ConfidenceAxis* axis_;
};

}  // namespace candor::ui
