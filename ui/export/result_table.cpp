// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/export/result_table.h"

#include <QLocale>
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "core/error.h"
#include "ui/export/pgfplots.h"
#include "ui/models/format.h"
#include "ui/plots/mean_interval.h"
#include "ui/theme/method_style.h"

namespace candor::ui {
namespace {

using Key = std::pair<std::string, std::int64_t>;  // method, budget

bool lower(const QString& metric) {
    static const QStringList better{QStringLiteral("auroc"), QStringLiteral("alignment_elical"),
                                    QStringLiteral("accuracy"), QStringLiteral("auprc"), QStringLiteral("spearman")};
    return !better.contains(metric);
}

QString metricName(const QString& metric) {
    static const std::map<QString, QString> names{{QStringLiteral("auroc"), QStringLiteral("AUROC")},
                                                  {QStringLiteral("ece_ew10"), QStringLiteral("ECE")},
                                                  {QStringLiteral("brier"), QStringLiteral("Brier")},
                                                  {QStringLiteral("alignment_elical"), QStringLiteral("Alignment")},
                                                  {QStringLiteral("accuracy"), QStringLiteral("Accuracy")}};
    const auto found = names.find(metric);
    return found == names.end() ? metric : found->second;
}

const MetricRecord* recordOf(const db::RunRow& run, const ResultTable::Column& column, const QString& average) {
    const bool domain = column.set == QStringLiteral("in-domain") || column.set == QStringLiteral("out-of-domain");
    for (const MetricRecord& record : run.metrics)
        if (toQt(record.set) == column.set && toQt(record.name) == column.metric &&
            toQt(record.average) == (domain ? average : QString()))
            return &record;
    return nullptr;
}

ResultTable::Cell cellOf(const std::vector<const db::RunRow*>& runs, const ResultTable::Column& column,
                         const QString& average) {
    std::vector<double> values;
    for (const db::RunRow* run : runs)
        if (const MetricRecord* record = recordOf(*run, column, average))
            values.push_back(record->undefinedReason.empty() ? record->value : NAN);
    const MeanInterval interval = meanInterval(values);
    ResultTable::Cell cell;
    cell.mean = interval.n > 0 ? interval.mean : NAN;
    cell.half = interval.n > 1 ? (interval.hi - interval.lo) / 2 : NAN;
    cell.seeds = interval.n, cell.undefined = interval.undefined;
    return cell;
}

// By the number as it is printed: what looks equal is equal.
void rank(ResultTable& table, std::size_t column) {
    const double scale = std::pow(10.0, table.digits);
    const double sign = table.columns[column].lowerIsBetter ? 1 : -1;
    std::set<double> shown;
    for (const auto& row : table.rows)
        if (std::isfinite(row.cells[column].mean)) shown.insert(sign * std::round(row.cells[column].mean * scale));
    for (auto& row : table.rows) {
        ResultTable::Cell& cell = row.cells[column];
        if (!std::isfinite(cell.mean)) continue;
        const auto at = std::distance(shown.begin(), shown.find(sign * std::round(cell.mean * scale)));
        if (at < 2) cell.rank = static_cast<int>(at) + 1;
    }
}

QString number(double value, int digits) { return QString::number(value, 'f', digits); }

// Columns of one metric stand together, under its name.
template <class Take>
void forEachMetric(const ResultTable& table, Take take) {
    for (std::size_t c = 0; c < table.columns.size();) {
        std::size_t end = c;
        while (end < table.columns.size() && table.columns[end].metric == table.columns[c].metric) ++end;
        take(c, end);
        c = end;
    }
}

QString texCell(const ResultTable::Cell& cell, int digits) {
    if (std::isnan(cell.mean)) return QStringLiteral("{--}");
    if (std::isinf(cell.mean)) return QStringLiteral("{$\\infty$}");
    QString text = number(cell.mean, digits);
    if (std::isfinite(cell.half)) text += QStringLiteral(" \\pm ") + number(cell.half, digits);
    if (cell.rank == 1) return QStringLiteral("\\bfseries ") + text;
    return cell.rank == 2 ? QStringLiteral("{\\underline{\\num{%1}}}").arg(text) : text;
}

QByteArray tex(const ResultTable& table) {
    bool spread = false;
    for (const auto& row : table.rows)
        for (const auto& cell : row.cells) spread = spread || std::isfinite(cell.half);
    const QString column = QStringLiteral("S[table-format=1.%1%2]")
                               .arg(table.digits)
                               .arg(spread ? QStringLiteral("(%1)").arg(table.digits) : QString());
    QString out = QStringLiteral(
                      "% \\usepackage{booktabs,siunitx} \\sisetup{detect-weight, separate-uncertainty}\n"
                      "\\begin{table}\n\\centering\n\\begin{tabular}{lr*{%1}{%2}}\n\\toprule\n")
                      .arg(table.columns.size())
                      .arg(column);
    QString heads = QStringLiteral(" & "), rules, sets = QStringLiteral("Method & {Labels}");
    forEachMetric(table, [&](std::size_t from, std::size_t to) {
        const ResultTable::Column& c = table.columns[from];
        heads += QStringLiteral(" & \\multicolumn{%1}{c}{%2 %3}")
                     .arg(to - from)
                     .arg(latex(metricName(c.metric)),
                          c.lowerIsBetter ? QStringLiteral("$\\downarrow$") : QStringLiteral("$\\uparrow$"));
        rules += QStringLiteral("\\cmidrule(lr){%1-%2}").arg(from + 3).arg(to + 2);
        for (std::size_t i = from; i < to; ++i) sets += QStringLiteral(" & {%1}").arg(latex(table.columns[i].set));
    });
    out += heads + QStringLiteral(" \\\\\n") + rules + QLatin1Char('\n') + sets + QStringLiteral(" \\\\\n\\midrule\n");
    for (const auto& row : table.rows) {
        out += latex(row.method) + (row.testSelected ? QStringLiteral("\\textsuperscript{\\dag}") : QString()) +
               QStringLiteral(" & {") + latex(row.labels) + QLatin1Char('}');
        for (const auto& cell : row.cells) out += QStringLiteral(" & ") + texCell(cell, table.digits);
        out += QStringLiteral(" \\\\\n");
    }
    return (out +
            QStringLiteral("\\bottomrule\n\\end{tabular}\n\\caption{%1}\n\\end{table}\n").arg(latex(table.caption)))
        .toUtf8();
}

QString plainMarkdown(const QString& text) {
    QString out;
    for (const QChar c : text) {
        if (QStringLiteral("\\|*_`<>[]").contains(c)) out += QLatin1Char('\\');
        out += c == QLatin1Char('\n') ? QLatin1Char(' ') : c;
    }
    return out;
}

QByteArray markdown(const ResultTable& table) {
    QString head = QStringLiteral("| Method | Labels |"), rule = QStringLiteral("|---|---:|"), body;
    for (const auto& column : table.columns) {
        head += QStringLiteral(" %1 %2, %3 |")
                    .arg(plainMarkdown(metricName(column.metric)),
                         column.lowerIsBetter ? QStringLiteral("\u2193") : QStringLiteral("\u2191"),
                         plainMarkdown(column.set));
        rule += QStringLiteral("---:|");
    }
    for (const auto& row : table.rows) {
        body +=
            QStringLiteral("| %1%2 | %3 |")
                .arg(plainMarkdown(row.method), row.testSelected ? QStringLiteral("\u2020") : QString(), row.labels);
        for (const auto& cell : row.cells) {
            QString text = std::isnan(cell.mean) ? dash() : number(cell.mean, table.digits);
            if (std::isfinite(cell.half)) text += QStringLiteral(" \u00b1 ") + number(cell.half, table.digits);
            if (cell.rank == 1) text = QStringLiteral("**%1**").arg(text);
            if (cell.rank == 2) text = QStringLiteral("<u>%1</u>").arg(text);
            body += QLatin1Char(' ') + text + QStringLiteral(" |");
        }
        body += QLatin1Char('\n');
    }
    return (head + QLatin1Char('\n') + rule + QLatin1Char('\n') + body + QLatin1Char('\n') +
            plainMarkdown(table.caption) + QLatin1Char('\n'))
        .toUtf8();
}

QString quoted(QString text) {
    return QLatin1Char('"') + text.replace(QLatin1Char('"'), QStringLiteral("\"\"")) + QLatin1Char('"');
}

QString full(double value) {
    if (std::isnan(value)) return QStringLiteral("nan");
    if (std::isinf(value)) return value > 0 ? QStringLiteral("inf") : QStringLiteral("-inf");
    return QString::number(value, 'g', QLocale::FloatingPointShortest);
}

QByteArray csv(const ResultTable& table) {
    QString out = QStringLiteral("method,labels,metric,set,mean,half_width,seeds,undefined,rank,selected_on_test\n");
    for (const auto& row : table.rows)
        for (std::size_t c = 0; c < row.cells.size(); ++c) {
            const auto& cell = row.cells[c];
            out += QStringList{quoted(row.method),
                               quoted(row.labels),
                               quoted(table.columns[c].metric),
                               quoted(table.columns[c].set),
                               full(cell.mean),
                               full(cell.half),
                               QString::number(cell.seeds),
                               QString::number(cell.undefined),
                               cell.rank > 0 ? QString::number(cell.rank) : QString(),
                               row.testSelected ? QStringLiteral("1") : QStringLiteral("0")}
                       .join(QLatin1Char(',')) +
                   QLatin1Char('\n');
        }
    return out.toUtf8();
}

void checkMetrics(const std::vector<db::RunRow>& runs, const TableOptions& options) {
    std::set<std::string> known;
    for (const db::RunRow& run : runs)
        for (const MetricRecord& record : run.metrics) known.insert(record.name);
    for (const QString& metric : options.metrics)
        if (!known.contains(metric.toStdString())) {
            std::string list;
            for (const std::string& name : known) list += (list.empty() ? "" : ", ") + name;
            throw InputError("bad_metric", "no run has a metric '" + metric.toStdString() + "'; there are " + list);
        }
}

QString captionOf(const ResultTable& table, const TableOptions& options, std::size_t seeds) {
    QString text = QObject::tr(
                       "Mean over seeds (at most %1), plus or minus half of its 95 % t interval; domains: %2 "
                       "average over sets. Labels: all that a run used, selection included. Best in bold, "
                       "second best underlined.")
                       .arg(QString::number(seeds), options.average);
    if (std::any_of(table.rows.begin(), table.rows.end(), [](const auto& row) { return row.testSelected; }))
        text += QObject::tr(" \u2020 chosen on test labels.");
    return text;
}

}  // namespace

ResultTable resultTable(const std::vector<db::RunRow>& runs, const TableOptions& options) {
    std::map<Key, std::vector<const db::RunRow*>> groups;
    std::size_t seeds = 0;
    for (const db::RunRow& run : runs) {
        if (run.status != RunStatus::Finished) continue;
        // "all" stands after every number; what uses no labels before.
        const std::int64_t budget = run.labels == 0 ? 0 : run.budget == kAllLabels ? INT64_MAX : run.budget;
        auto& group = groups[{run.method, budget}];
        group.push_back(&run);
        seeds = std::max(seeds, group.size());
    }
    if (groups.empty()) throw InputError("no_run", "no run of this experiment is finished yet");
    checkMetrics(runs, options);
    ResultTable table;
    table.digits = options.digits;
    for (const QString& metric : options.metrics)
        for (const QString& set : options.sets) table.columns.push_back({metric, set, lower(metric)});
    for (const auto& [key, members] : groups) {
        ResultTable::Row row;
        row.method = methodStyle(toQt(key.first)).name;
        row.labels =
            key.second == 0 ? QStringLiteral("0") : budgetText(members.front()->budget, members.front()->labels);
        for (const db::RunRow* run : members) row.testSelected = row.testSelected || run->selection == "test";
        for (const auto& column : table.columns) row.cells.push_back(cellOf(members, column, options.average));
        table.rows.push_back(std::move(row));
    }
    for (std::size_t c = 0; c < table.columns.size(); ++c) rank(table, c);
    table.caption = captionOf(table, options, seeds);
    return table;
}

QByteArray tableBytes(const ResultTable& table, const QString& format) {
    if (format == QLatin1String("tex")) return tex(table);
    if (format == QLatin1String("md")) return markdown(table);
    if (format == QLatin1String("csv")) return csv(table);
    throw InputError("bad_format", "tables are written as tex, md or csv, got " + format.toStdString());
}

}  // namespace candor::ui
