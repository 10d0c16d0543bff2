// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractItemModel>
#include <functional>
#include <memory>
#include <set>

#include "ui/models/cell_table.h"
#include "ui/models/project_data.h"

namespace candor::ui {

// Mean of a metric over seeds and its sample standard deviation (n < 2: none).
struct SeedMean {
    double mean = 0, deviation = 0;
    int n = 0;
};
SeedMean seedMean(const std::vector<double>& values);

// Runs as method, budget, seed. A budget's numbers are the mean over its seeds, "±" their standard deviation; one with
// one seed is that run itself. Check boxes say what plots show; they live in `visible`, shared by all pages.
// update() inserts, removes and changes rows where they are, so that views keep scroll, expansion and selection.
class RunTree : public QAbstractItemModel {
    Q_OBJECT
  public:
    enum Column { Name, Status, Labels, Auroc, Ece, Brier, Alignment, ColumnCount };
    static const char* metricName(int column);  // nullptr: none

    explicit RunTree(QObject* parent = nullptr);
    ~RunTree() override;

    // experiment 0: of all experiments.
    void update(std::shared_ptr<const ProjectData> data, std::int64_t experiment, const SetChoice& choice);
    void setVisible(const std::set<qint64>& visible);
    std::vector<qint64> runsAt(const QModelIndex& index) const;  // below a row, finished ones first
    QModelIndex indexOf(qint64 run) const;

    QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
    QModelIndex parent(const QModelIndex& index) const override;
    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    bool setData(const QModelIndex& index, const QVariant& value, int role) override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    Qt::ItemFlags flags(const QModelIndex& index) const override;

  signals:
    void visibilityAsked(const std::vector<qint64>& runs, bool visible);

  private:
    struct Node;
    Node* node(const QModelIndex& index) const;
    QModelIndex indexOf(Node* node, int column) const;
    static void fillGroup(Node& group, const ProjectData& data, const std::vector<const db::RunRow*>& runs,
                          const SetChoice& choice, const Cell& name);
    void merge(Node& into, Node& from);
    Qt::CheckState checkState(const Node& node) const;

    std::unique_ptr<Node> root_;
    std::set<qint64> visible_;
};

}  // namespace candor::ui
