// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>
#include <vector>

#include "core/data/record.h"

namespace candor::ui {

// Log-probabilities of an answer's tokens as a strip of bars, one a token: pale where the model was sure. Token texts
// are not stored, so positions, not words, are shaded.
class TokenStrip : public QWidget {
    Q_OBJECT
  public:
    explicit TokenStrip(QWidget* parent = nullptr);
    void setLogprobs(std::vector<double> logprobs);
    QSize sizeHint() const override { return {240, 18}; }

  protected:
    void paintEvent(QPaintEvent* event) override;
    bool event(QEvent* event) override;

  private:
    QRectF cell(std::size_t i) const;
    std::vector<double> logprobs_;
};

// One sampled answer and what was said of it.
struct SampleRow {
    QString text;
    int count = 1;  // equal texts
    std::optional<Verdict> agreement, correct;
};
// Equal texts joined, agreeing ones first, frequent ones first.
std::vector<SampleRow> groupSamples(const AnswerRecord& answers, const LabelRecord* labels);

// The sampled answers: agreeing with the greedy one and not, a bar for the count, right ones marked.
class SampleList : public QWidget {
    Q_OBJECT
  public:
    explicit SampleList(QWidget* parent = nullptr);
    void setSamples(std::vector<SampleRow> rows);
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return {160, sizeHint().height()}; }

  protected:
    void paintEvent(QPaintEvent* event) override;
    bool event(QEvent* event) override;

  private:
    int headings() const;
    std::vector<SampleRow> rows_;
    int total_ = 0;
};

}  // namespace candor::ui
