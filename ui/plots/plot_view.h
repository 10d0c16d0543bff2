// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QRectF>
#include <QVector>
#include <QWidget>
#include <memory>
#include <vector>

#include "core/experiment/spec.h"
#include "ui/plots/figure_data.h"

class QCPPainter;

namespace candor::ui {

class Canvas;
struct PgfPlot;
struct PlotStyle;

// Evaluation rows of one run. Parallel arrays; confidences may be scores where a plot only ranks them.
struct PlotSeries {
    qint64 run = 0;
    QString label;   // empty: method and budget
    QString method;  // "elical", "consis-sem+isotonic", ...
    qint64 budget = kAllLabels;
    int seed = 0;
    bool full = false;  // full supervision: a heavy line
    std::vector<qint64> question;
    std::vector<double> confidence, correct;
};

// Base of all plots: a drawing surface with title, empty state, hover, drag zoom (double click or 0 resets), keys
// (left and right walk the marks, Return selects their questions) and an accessible description.
// A plot is built from its values alone, so the paper's drawing and the screen's show the same. GUI thread only.
class PlotView : public QWidget {
    Q_OBJECT
  public:
    explicit PlotView(QWidget* parent = nullptr);
    ~PlotView() override;

    QString title() const;
    void setTitle(const QString& title);
    QString note() const;  // what the numbers rest on: bin rule, interval, n. Drawn small below the title on screen.
    void setNoteVisible(bool visible);
    // Why nothing is drawn; empty when something is. setEmptyText replaces the reason when there are no values at all.
    QString emptyReason() const;
    void setEmptyText(const QString& text);

    virtual FigureData data() const = 0;

    // Draws at `size` (units of the painter) in `style`, independent of screen and scale; a zoom of the user's stays.
    void paintFigure(QCPPainter& painter, const QSize& size, const PlotStyle& style) const;
    // Height over width that suits paper: 0 = the preset's.
    virtual double paperAspect() const { return 0; }
    virtual bool wantsWholeWidth() const { return false; }  // else half of a page's width is enough for a square plot

    // The same in PGFPlots' words; no curves where that has none.
    virtual PgfPlot pgf() const;

    bool isZoomed() const;
    void resetZoom();
    // The visible data range of the main axes (x lower, x upper, y lower, y upper).
    QRectF visibleRange() const;

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

  signals:
    void questionsSelected(const QVector<qint64>& questions, const QString& what);
    void dataChanged();

  protected:
    virtual QString undefinedReason() const = 0;  // of the present values; empty: can be drawn
    virtual QString notes() const { return {}; }
    virtual void build(Canvas& canvas) const = 0;  // draws everything; called for screen and for paper
    virtual QVector<qint64> questionsOf(int series, int mark, QString* what) const;  // of a mark clicked
    virtual void activate(int series, int mark);          // a mark was clicked: emits questionsSelected
    virtual bool press(const QPointF&) { return false; }  // canvas pixels; true: the plot takes the drag
    virtual void drag(const QPointF&) {}
    virtual Qt::CursorShape cursorAt(const QPointF&) const { return Qt::ArrowCursor; }
    void rebuild();          // after values changed; axes keep still where they can
    void forgetRanges();     // the next rebuild chooses axes afresh
    Canvas& canvas() const;  // the screen's

    bool event(QEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;

  private:
    void layOut();
    void showHover(int group, int mark, const QPoint& global);
    void activateHit(int group, int mark);
    void walk(int by);

    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace candor::ui
