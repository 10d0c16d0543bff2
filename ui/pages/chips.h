// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractButton>
#include <QLayout>
#include <QStringList>
#include <QWidget>
#include <functional>
#include <vector>

namespace candor::ui {

// Lays widgets out in lines that wrap.
class FlowLayout : public QLayout {
  public:
    explicit FlowLayout(QWidget* parent = nullptr, int gap = 6);
    ~FlowLayout() override;
    void addItem(QLayoutItem* item) override { items_.push_back(item); }
    int count() const override { return static_cast<int>(items_.size()); }
    QLayoutItem* itemAt(int index) const override;
    QLayoutItem* takeAt(int index) override;
    bool hasHeightForWidth() const override { return true; }
    int heightForWidth(int width) const override { return place(QRect(0, 0, width, 0), false); }
    QSize sizeHint() const override { return minimumSize(); }
    QSize minimumSize() const override;
    void setGeometry(const QRect& rect) override;

  private:
    int place(const QRect& rect, bool move) const;
    std::vector<QLayoutItem*> items_;
    int gap_;
};

// A rounded toggle; with a method its swatch stands before the words. A closable one has a cross and says closed().
class Chip : public QAbstractButton {
    Q_OBJECT
  public:
    enum class Kind { Toggle, Closable };
    explicit Chip(const QString& text, Kind kind = Kind::Toggle, QWidget* parent = nullptr);
    void setMethod(const QString& method);
    QSize sizeHint() const override;

  protected:
    void paintEvent(QPaintEvent* event) override;
    void enterEvent(QEnterEvent* event) override;
    void leaveEvent(QEvent* event) override;

  private:
    Kind kind_;
    QString method_;
};

// A set of toggles over free values, each with a name; values that are set but unknown get a chip of their own.
class ChipGroup : public QWidget {
    Q_OBJECT
  public:
    explicit ChipGroup(QWidget* parent = nullptr);
    void setChoices(const QStringList& values, const std::function<QString(const QString&)>& title,
                    bool methods = false);
    void setChosen(const QStringList& values);
    QStringList chosen() const;  // in the order of the chips

  signals:
    void changed();

  private:
    Chip* add(const QString& value);
    std::vector<std::pair<QString, Chip*>> chips_;
    std::function<QString(const QString&)> title_;
    bool methods_ = false;
    FlowLayout* flow_;
};

}  // namespace candor::ui
