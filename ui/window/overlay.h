// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFrame>
#include <QPointer>
#include <functional>
#include <vector>

class QLineEdit;
class QListWidget;

namespace candor::ui {

class Actions;

// A raised sheet over the window; Esc or a click beside it closes it and gives the focus back.
class Overlay : public QWidget {
    Q_OBJECT
  public:
    explicit Overlay(QWidget* window);
    void open();
    void close_();

  protected:
    QFrame* sheet() const { return sheet_; }
    virtual QRect place(const QSize& window) const = 0;
    virtual void opened() {}
    bool eventFilter(QObject* object, QEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

  private:
    QFrame* sheet_;
    QPointer<QWidget> before_;
};

// Go to...: every action, found by typing.
class Palette : public Overlay {
    Q_OBJECT
  public:
    Palette(const Actions& actions, QWidget* window);
    void setExtra(std::function<std::vector<std::pair<QString, std::function<void()>>>()> extra);

  protected:
    QRect place(const QSize& window) const override;
    void opened() override;
    bool eventFilter(QObject* object, QEvent* event) override;

  private:
    void fill(const QString& typed);
    void run();
    const Actions& actions_;
    std::function<std::vector<std::pair<QString, std::function<void()>>>()> extra_;
    std::vector<std::function<void()>> runs_;
    QLineEdit* field_;
    QListWidget* list_;
};

// All keys, by menu.
class ShortcutSheet : public Overlay {
    Q_OBJECT
  public:
    ShortcutSheet(const Actions& actions, QWidget* window);

  protected:
    QRect place(const QSize& window) const override;
};

// Whether the letters of `typed` stand in `text` in this order; lower is a better match, -1 is none.
int matchScore(const QString& typed, const QString& text);

}  // namespace candor::ui
