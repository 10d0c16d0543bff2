// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <unordered_set>

#include "ui/models/question_order.h"
#include "ui/models/result_series.h"
#include "ui/pages/page.h"

class QHBoxLayout;
class QComboBox;
class QLabel;
class QLineEdit;
class QSplitter;
class QStackedWidget;
class QTableView;
class QTimer;

namespace candor::ui {

class Chip;
class EmptyState;
class QuestionDetail;
class QuestionTable;

// The evaluation questions of the selected run, most overconfident first, and the one chosen in full.
class QuestionsPage : public Page {
    Q_OBJECT
  public:
    QuestionsPage(PageContext context, QWidget* parent);

    QString title() const override { return tr("Questions"); }
    QString trail() const override { return trail_; }
    void setSession(Session* session) override;
    std::vector<QAction*> toolActions() const override { return {}; }
    bool back() override;
    void saveState() override;

    QTableView* table() const { return view_; }
    QuestionDetail* detail() const { return detail_; }

  private:
    void makeFilters(QHBoxLayout& line);
    void refresh();
    void read();  // rows of the run under the filter, in order
    void readTexts(const std::vector<std::int64_t>& questions);
    void readDetail();
    void setPicked(const QVector<qint64>& questions, const QString& what);
    void fillRuns();
    void updateState();

    struct Loaded {
        ScoredCache::Column rows;
        std::vector<std::int32_t> order;
    };

    QPointer<Session> session_;
    std::shared_ptr<ScoredCache> cache_;
    std::shared_ptr<QuestionTexts> texts_;
    std::unique_ptr<class Reader> reader_;
    std::optional<std::unordered_set<std::int64_t>> picked_;
    qint64 shownRun_ = 0;
    std::int64_t shownStamp_ = -1;
    std::string model_;
    std::vector<std::int64_t> waiting_;
    bool textsInFlight_ = false;
    QuestionColumn sortColumn_ = QuestionColumn::Overconfidence;
    bool descending_ = true;
    QString trail_;

    QStackedWidget* stack_;
    EmptyState* empty_;
    QSplitter* across_;
    QComboBox *run_, *set_, *correct_;
    QLineEdit* filter_;
    Chip* chip_;
    QLabel* count_;
    QTableView* view_;
    QuestionTable* model_table_;
    QuestionDetail* detail_;
    QTimer* typing_;
};

}  // namespace candor::ui
