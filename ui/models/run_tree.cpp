// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/run_tree.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>

#include "ui/models/format.h"
#include "ui/theme/method_style.h"

namespace candor::ui {

struct RunTree::Node {
    QString key;  // unique among siblings
    Node* parent = nullptr;
    std::vector<std::unique_ptr<Node>> children;
    std::vector<qint64> runs;  // below, finished first
    std::vector<Cell> cells;

    int row() const {
        if (!parent) return 0;
        const auto it = std::find_if(parent->children.begin(), parent->children.end(),
                                     [&](const auto& child) { return child.get() == this; });
        return static_cast<int>(it - parent->children.begin());
    }
    Node* add(const QString& name) {
        children.push_back(std::make_unique<Node>());
        children.back()->key = name;
        children.back()->parent = this;
        return children.back().get();
    }
};

SeedMean seedMean(const std::vector<double>& values) {
    SeedMean result;
    result.n = static_cast<int>(values.size());
    if (values.empty()) return result;
    for (const double v : values) result.mean += v / static_cast<double>(values.size());
    if (values.size() < 2) return result;
    double squares = 0;
    for (const double v : values) squares += (v - result.mean) * (v - result.mean);
    result.deviation = std::sqrt(squares / static_cast<double>(values.size() - 1));
    return result;
}

namespace {

using RunList = std::vector<const db::RunRow*>;

// The paper's order: what trains first, then what it is compared with.
int methodRank(const std::string& method) {
    static const char* const order[] = {"elical", "cal-only", "eli-only", "consis-sem", "consis-lex", "n-prob", "prob"};
    const std::string base = method.substr(0, method.find('+'));
    const auto at = std::find(std::begin(order), std::end(order), base) - std::begin(order);
    return static_cast<int>(at) * 2 + (base == method ? 0 : 1);
}

Cell statusCell(const RunList& runs) {
    std::map<RunStatus, int> counts;
    for (const db::RunRow* run : runs) ++counts[run->status];
    const int finished = counts[RunStatus::Finished];
    Cell cell;
    RunStatus shown = RunStatus::Finished;
    for (const RunStatus s : {RunStatus::Running, RunStatus::Failed, RunStatus::Interrupted, RunStatus::Stopped,
                              RunStatus::Queued, RunStatus::Planned, RunStatus::Finished})
        if (counts[s] > 0) {
            shown = s;
            break;
        }
    cell.text = statusText(shown);
    if (runs.size() > 1 && shown != RunStatus::Finished)
        cell.aside = QStringLiteral("%1/%2").arg(finished).arg(runs.size());
    cell.sort = statusText(shown);
    cell.tone = shown == RunStatus::Failed                                       ? ToneNegative
                : shown == RunStatus::Running                                    ? ToneAccent
                : shown == RunStatus::Interrupted || shown == RunStatus::Stopped ? ToneWarning
                                                                                 : ToneSecondary;
    for (const db::RunRow* run : runs)
        if (!run->message.empty()) cell.tip = toQt(run->message);
    return cell;
}

Cell metricCell(const ProjectData& data, const RunList& runs, const SetChoice& choice, const char* name) {
    std::vector<double> values;
    MetricValue last;
    QString reason;
    for (const db::RunRow* run : runs) {
        const MetricValue value = metricOf(data, *run, choice, name);
        if (value.defined()) {
            values.push_back(value.value);
            last = value;
        } else if (reason.isEmpty()) {
            reason = value.undefinedReason;
        }
    }
    if (values.empty()) return Cell::undefined(reason);
    const SeedMean mean = seedMean(values);
    Cell cell = Cell::ofMetric(mean.mean);
    if (mean.n > 1) {
        cell.aside = formatSpread(mean.deviation);
        cell.tip = QObject::tr("%1, mean of %2 seeds ± their standard deviation").arg(setText(choice)).arg(mean.n);
    } else {
        cell.tip = QObject::tr("%1, n = %2").arg(setText(choice), formatCount(last.n));
        if (last.lo && last.hi)
            cell.tip += QObject::tr(", 95 % interval %1 to %2").arg(formatMetric(*last.lo), formatMetric(*last.hi));
    }
    for (const db::RunRow* run : runs)
        if (run->selection == "test") {
            cell.text += QChar(0x2020);  // dagger
            cell.tip += QObject::tr(". † selected on test labels");
            break;
        }
    return cell;
}

std::vector<Cell> rowCells(const ProjectData& data, const RunList& runs, const SetChoice& choice, Cell name) {
    std::vector<Cell> cells(RunTree::ColumnCount);
    cells[RunTree::Name] = std::move(name);
    cells[RunTree::Status] = statusCell(runs);
    const auto [least, most] = std::minmax_element(runs.begin(), runs.end(),
                                                   [](const auto* a, const auto* b) { return a->labels < b->labels; });
    cells[RunTree::Labels] =
        Cell::ofCount((*most)->labels, QObject::tr("Labels used, training and selection together"));
    if ((*least)->labels != (*most)->labels) {
        cells[RunTree::Labels].text = formatCount((*least)->labels) + dash() + formatCount((*most)->labels);
    }
    for (int column = RunTree::Auroc; column < RunTree::ColumnCount; ++column)
        cells[static_cast<std::size_t>(column)] = metricCell(data, runs, choice, RunTree::metricName(column));
    return cells;
}

Cell budgetCell(std::int64_t order, const RunList& runs) {
    const db::RunRow& first = *runs.front();
    Cell cell = Cell::ofText(usesLabels(first) ? budgetText(first.budget, first.labels) : QObject::tr("no labels"),
                             toQt(first.experimentName));
    cell.sort = static_cast<double>(order);
    if (runs.size() > 1)
        cell.aside = QObject::tr("%1 seeds").arg(runs.size());
    else if (usesLabels(first))
        cell.aside = QObject::tr("seed %1").arg(first.seed);
    return cell;
}

std::vector<qint64> ids(RunList runs) {
    std::stable_partition(runs.begin(), runs.end(), [](const auto* r) { return r->status == RunStatus::Finished; });
    std::vector<qint64> result;
    for (const db::RunRow* run : runs) result.push_back(run->id);
    return result;
}

}  // namespace

const char* RunTree::metricName(int column) {
    switch (column) {
        case Auroc:
            return "auroc";
        case Ece:
            return "ece_ew10";
        case Brier:
            return "brier";
        case Alignment:
            return "alignment_elical";
        default:
            return nullptr;
    }
}

RunTree::RunTree(QObject* parent) : QAbstractItemModel(parent), root_(std::make_unique<Node>()) {}
RunTree::~RunTree() = default;

// A row of runs that differ in their seed only, and a row a seed below it where there are several.
void RunTree::fillGroup(Node& group, const ProjectData& data, const std::vector<const db::RunRow*>& runs,
                        const SetChoice& choice, const Cell& name) {
    group.runs = ids(runs);
    group.cells = rowCells(data, runs, choice, name);
    if (runs.size() < 2) return;
    for (const db::RunRow* run : runs) {
        Node* leaf = group.add(QString::number(run->id));
        leaf->runs = {run->id};
        Cell seed = Cell::ofText(QObject::tr("seed %1").arg(run->seed), toQt(run->experimentName));
        seed.sort = static_cast<double>(run->seed);
        leaf->cells = rowCells(data, {run}, choice, seed);
    }
}

void RunTree::update(std::shared_ptr<const ProjectData> data, std::int64_t experiment, const SetChoice& choice) {
    Node fresh;
    if (data) {
        using BudgetKey = std::pair<std::int64_t, std::int64_t>;  // order (all last), experiment
        std::map<std::pair<int, std::string>, std::map<BudgetKey, RunList>> groups;
        for (const db::RunRow& run : data->runs) {
            if (experiment != 0 && run.experiment != experiment) continue;
            const std::int64_t order = run.budget == kAllLabels ? std::numeric_limits<std::int64_t>::max() : run.budget;
            groups[{methodRank(run.method), run.method}][{order, run.experiment}].push_back(&run);
        }
        for (auto& [method, budgets] : groups) {
            const QString key = toQt(method.second);
            Node* top = fresh.add(key);
            Cell name = Cell::ofText(methodStyle(key).name);
            name.method = key;
            name.sort = static_cast<double>(method.first);
            RunList all;
            for (auto& [order, runs] : budgets) {
                std::sort(runs.begin(), runs.end(), [](const auto* x, const auto* y) {
                    return std::pair(x->seed, x->id) < std::pair(y->seed, y->id);
                });
                all.insert(all.end(), runs.begin(), runs.end());
            }
            if (budgets.size() == 1 && !usesLabels(*all.front())) {  // nothing to group by: the method is the row
                name.aside = all.size() > 1 ? QObject::tr("%1 seeds").arg(all.size()) : QObject::tr("no labels");
                fillGroup(*top, *data, all, choice, name);
                continue;
            }
            for (const auto& [order, runs] : budgets) {
                Node* group = top->add(QStringLiteral("%1/%2").arg(order.first).arg(order.second));
                fillGroup(*group, *data, runs, choice, budgetCell(order.first, runs));
            }
            top->runs = ids(all);
            top->cells.resize(ColumnCount);
            top->cells[Name] = name;
            top->cells[Status] = statusCell(all);
        }
    }
    merge(*root_, fresh);
}

// Both lists are in the same order, so one walk finds what went, came and stayed.
void RunTree::merge(Node& into, Node& from) {
    const QModelIndex parent = &into == root_.get() ? QModelIndex() : indexOf(&into, 0);
    const auto in = [](const Node& list, const QString& key) {
        return std::any_of(list.children.begin(), list.children.end(), [&](const auto& c) { return c->key == key; });
    };
    for (int row = static_cast<int>(into.children.size()) - 1; row >= 0; --row) {
        if (in(from, into.children[static_cast<std::size_t>(row)]->key)) continue;
        beginRemoveRows(parent, row, row);
        into.children.erase(into.children.begin() + row);
        endRemoveRows();
    }
    for (std::size_t i = 0; i < from.children.size(); ++i) {
        Node& source = *from.children[i];
        if (i < into.children.size() && into.children[i]->key == source.key) {
            Node& target = *into.children[i];
            target.cells = std::move(source.cells);
            target.runs = std::move(source.runs);
            merge(target, source);
            continue;
        }
        beginInsertRows(parent, static_cast<int>(i), static_cast<int>(i));
        from.children[i]->parent = &into;
        into.children.insert(into.children.begin() + static_cast<std::ptrdiff_t>(i), std::move(from.children[i]));
        endInsertRows();
    }
    if (!into.children.empty())
        emit dataChanged(indexOf(into.children.front().get(), 0), indexOf(into.children.back().get(), ColumnCount - 1));
}

void RunTree::setVisible(const std::set<qint64>& visible) {
    if (visible == visible_) return;
    visible_ = visible;
    const std::function<void(Node&)> tell = [&](Node& node) {
        if (node.children.empty()) return;
        emit dataChanged(indexOf(node.children.front().get(), 0), indexOf(node.children.back().get(), 0),
                         {Qt::CheckStateRole});
        for (const auto& child : node.children) tell(*child);
    };
    tell(*root_);
}

std::vector<qint64> RunTree::runsAt(const QModelIndex& index) const {
    return index.isValid() ? node(index)->runs : std::vector<qint64>();
}

QModelIndex RunTree::indexOf(qint64 run) const {
    const std::function<QModelIndex(Node&)> find = [&](Node& at) -> QModelIndex {
        for (const auto& child : at.children) {
            if (std::find(child->runs.begin(), child->runs.end(), run) == child->runs.end()) continue;
            return child->children.empty() ? indexOf(child.get(), 0) : find(*child);
        }
        return {};
    };
    return find(*root_);
}

RunTree::Node* RunTree::node(const QModelIndex& index) const {
    return index.isValid() ? static_cast<Node*>(index.internalPointer()) : root_.get();
}

QModelIndex RunTree::indexOf(Node* node, int column) const { return createIndex(node->row(), column, node); }

QModelIndex RunTree::index(int row, int column, const QModelIndex& parent) const {
    if (!hasIndex(row, column, parent)) return {};
    return createIndex(row, column, node(parent)->children[static_cast<std::size_t>(row)].get());
}

QModelIndex RunTree::parent(const QModelIndex& index) const {
    if (!index.isValid()) return {};
    Node* above = node(index)->parent;
    return !above || above == root_.get() ? QModelIndex() : indexOf(above, 0);
}

int RunTree::rowCount(const QModelIndex& parent) const {
    return parent.column() > 0 ? 0 : static_cast<int>(node(parent)->children.size());
}

int RunTree::columnCount(const QModelIndex&) const { return ColumnCount; }

Qt::CheckState RunTree::checkState(const Node& node) const {
    std::size_t shown = 0;
    for (const qint64 run : node.runs) shown += visible_.count(run);
    return shown == 0 ? Qt::Unchecked : shown == node.runs.size() ? Qt::Checked : Qt::PartiallyChecked;
}

QVariant RunTree::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) return {};
    const Node& at = *node(index);
    if (role == Qt::CheckStateRole && index.column() == Name) return checkState(at);
    if (role == KeyRole) return at.runs.empty() ? QVariant() : QVariant(at.runs.front());
    return cellData(at.cells[static_cast<std::size_t>(index.column())], index.column() >= Labels, role);
}

bool RunTree::setData(const QModelIndex& index, const QVariant& value, int role) {
    if (!index.isValid() || role != Qt::CheckStateRole || index.column() != Name) return false;
    emit visibilityAsked(node(index)->runs, value.toInt() == Qt::Checked);
    return true;
}

QVariant RunTree::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal) return {};
    static const char* const titles[] = {"Runs", "Status", "Labels", "AUROC", "ECE", "Brier", "Alignment"};
    if (role == Qt::DisplayRole && section >= 0 && section < ColumnCount) return tr(titles[section]);
    if (role == Qt::TextAlignmentRole)
        return QVariant::fromValue(
            Qt::Alignment(Qt::AlignVCenter | (section >= Labels ? Qt::AlignRight : Qt::AlignLeft)));
    if (role == Qt::ToolTipRole && section == Ece) return tr("Expected calibration error, 10 bins of equal width");
    if (role == Qt::ToolTipRole && section == Alignment)
        return tr("Share of questions on the right side of a threshold");
    return {};
}

Qt::ItemFlags RunTree::flags(const QModelIndex& index) const {
    if (!index.isValid()) return Qt::NoItemFlags;
    const Qt::ItemFlags flags = Qt::ItemIsEnabled | Qt::ItemIsSelectable;
    return index.column() == Name ? flags | Qt::ItemIsUserCheckable : flags;
}

}  // namespace candor::ui
