// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>
#include <vector>

#include "db/queries.h"

namespace candor::ui {

// One axis from 0 to 1 with a mark for every run's confidence in one answer, stacked where they meet.
class ConfidenceAxis : public QWidget {
    Q_OBJECT
  public:
    explicit ConfidenceAxis(QWidget* parent = nullptr);
    void setConfidences(std::vector<db::RunConfidence> confidences, qint64 selected, std::optional<bool> correct);
    QSize sizeHint() const override { return {320, height_}; }
    QSize minimumSizeHint() const override { return {160, height_}; }

  signals:
    void runActivated(qint64 run);

  protected:
    void paintEvent(QPaintEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    bool event(QEvent* event) override;

  private:
    struct Mark {
        std::size_t index = 0;
        QPointF at;
    };
    void place();
    const Mark* markAt(const QPointF& at) const;
    double x(double confidence) const;

    static constexpr int height_ = 96;  // five marks high: nothing jumps from question to question

    std::vector<db::RunConfidence> confidences_;
    std::vector<Mark> marks_;
    qint64 selected_ = 0;
    std::optional<bool> correct_;
    int outside_ = 0;
};

}  // namespace candor::ui
