// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/figures_page.h"

#include <QAction>
#include <QDateTime>
#include <QDesktopServices>
#include <QDir>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPainter>
#include <QStackedWidget>
#include <QSvgRenderer>
#include <QTableView>
#include <QUrl>
#include <QVBoxLayout>
#include <algorithm>

#include "core/error.h"
#include "ui/export/figure.h"
#include "ui/models/cell_table.h"
#include "ui/models/format.h"
#include "ui/models/result_series.h"
#include "ui/pages/empty_state.h"
#include "ui/pages/splitter.h"
#include "ui/pages/table_view.h"
#include "ui/plots/budget_sweep_plot.h"
#include "ui/plots/confidence_histogram.h"
#include "ui/plots/reliability_plot.h"
#include "ui/plots/risk_coverage_plot.h"
#include "ui/plots/roc_plot.h"
#include "ui/theme/theme.h"
#include "ui/window/actions.h"
#include "ui/window/session.h"

namespace candor::ui {

// What the figures of one domain are drawn from.
struct FigureInputs {
    std::shared_ptr<const ProjectData> data;
    SetChoice choice;
    qint64 experiment = 0;
    ResultSeries series;
    QString folder;
};

namespace {

std::vector<SweepPoint> sweepPoints(const FigureInputs& in, const char* metric) {
    std::vector<SweepPoint> points;
    for (const db::RunRow& run : in.data->runs) {
        if (run.status != RunStatus::Finished || run.method.find('+') != std::string::npos) continue;
        if (in.experiment != 0 && run.experiment != in.experiment) continue;
        const MetricValue value = metricOf(*in.data, run, in.choice, metric);
        if (!value.defined()) continue;
        SweepPoint point{toQt(run.method), {}, run.labels, run.seed, value.value, run.id, run.selection == "test"};
        if (run.labels > 0) point.budget = run.budget;
        points.push_back(point);
    }
    return points;
}

}  // namespace

FiguresPage::FiguresPage(PageContext context, QWidget* parent)
    : Page(context, parent),
      stack_(new QStackedWidget(this)),
      table_(makeTable(tr("Figures"), this)),
      model_(new CellTable(
          {{tr("File"), false, {}}, {tr("Type"), false, {}}, {tr("Size"), true, {}}, {tr("Written"), false, {}}},
          this)),
      picture_(makeLabel({}, "secondary", this)) {
    exportAll_ = context.actions.add(
        tr("Figures"), tr("Export all"), QKeySequence(QStringLiteral("Ctrl+Shift+X")), [this] { exportAll(); }, this);
    exportAll_->setToolTip(
        tr("Writes every figure that the checked runs can fill, in-domain and out-of-domain, as PDF and SVG"));
    folder_ = context.actions.add(
        tr("Figures"), tr("Show the folder"), QKeySequence(QStringLiteral("Ctrl+Shift+O")),
        [this] {
            if (session_)
                QDesktopServices::openUrl(
                    QUrl::fromLocalFile(folderOf(QString::fromStdString(session_->project()->file().string()))));
        },
        this);
    auto* sort = new CellSort(table_);
    sort->setSourceModel(model_);
    table_->setModel(sort);
    table_->setSortingEnabled(true);
    table_->sortByColumn(0, Qt::AscendingOrder);
    const int widths[] = {300, 64, 84, 150};
    for (int c = 0; c < 4; ++c) table_->setColumnWidth(c, widths[c]);
    auto* split = new Splitter(Qt::Horizontal, this);
    auto* left = new QFrame(this);
    setLook(left, "panel");
    auto* leftColumn = new QVBoxLayout(left);
    leftColumn->setContentsMargins(1, 1, 1, 1);
    leftColumn->addWidget(table_);
    auto* right = new QFrame(this);
    setLook(right, "panel");
    auto* rightColumn = new QVBoxLayout(right);
    picture_->setAlignment(Qt::AlignCenter);
    picture_->setMinimumSize(240, 200);
    picture_->setAccessibleName(tr("Preview of the figure"));
    rightColumn->addWidget(picture_);
    split->addWidget(left);
    split->addWidget(right);
    split->setSizes({620, 460});
    auto* body = new QWidget(this);
    auto* bodyLayout = new QVBoxLayout(body);
    bodyLayout->setContentsMargins(space::m, space::m, space::m, space::m);
    bodyLayout->addWidget(split);
    stack_->addWidget(new EmptyState(
        QStringLiteral("figures"), tr("No figures yet"),
        tr("Figures that you export are listed here. They are written beside the project, ready for a paper."),
        exportAll_, this));
    stack_->addWidget(body);
    auto* whole = new QVBoxLayout(this);
    whole->setContentsMargins(0, 0, 0, 0);
    whole->addWidget(stack_);
    connect(table_->selectionModel(), &QItemSelectionModel::currentRowChanged, this, &FiguresPage::preview);
    connect(table_, &QTableView::activated, this, [](const QModelIndex& index) {
        QDesktopServices::openUrl(QUrl::fromLocalFile(index.siblingAtColumn(0).data(KeyRole).toString()));
    });
}

QString FiguresPage::folderOf(const QString& project) {
    const QFileInfo file(project);
    return file.absolutePath() + QLatin1Char('/') + file.completeBaseName() + QStringLiteral("-figures");
}

void FiguresPage::setSession(Session* session) {
    session_ = session;
    if (session) connect(session, &Session::dataChanged, this, &FiguresPage::list);
    list();
}

void FiguresPage::showEvent(QShowEvent* event) {
    Page::showEvent(event);
    list();
}

void FiguresPage::list() {
    std::vector<CellRow> rows;
    if (session_) {
        const QDir folder(folderOf(QString::fromStdString(session_->project()->file().string())));
        const QStringList types = {QStringLiteral("*.pdf"), QStringLiteral("*.svg"), QStringLiteral("*.png"),
                                   QStringLiteral("*.csv"), QStringLiteral("*.tex")};
        for (const QFileInfo& file : folder.entryInfoList(types, QDir::Files, QDir::Name)) {
            Cell size = Cell::ofCount(file.size());
            size.text = formatBytes(file.size());
            const qint64 written = file.lastModified().toMSecsSinceEpoch();
            rows.push_back({file.absoluteFilePath(),
                            {Cell::ofText(file.fileName(), file.absoluteFilePath()), Cell::ofText(file.suffix()), size,
                             Cell::ofText(formatTime(written), formatIsoTime(written))}});
        }
    }
    const auto data = session_ ? session_->data() : nullptr;
    const bool results = data && std::any_of(data->runs.begin(), data->runs.end(),
                                             [](const db::RunRow& r) { return r.status == RunStatus::Finished; });
    exportAll_->setEnabled(results);
    folder_->setEnabled(!rows.empty());
    stack_->setCurrentIndex(rows.empty() ? 0 : 1);
    trail_ = rows.empty() ? QString() : rows.size() == 1 ? tr("1 file") : tr("%1 files").arg(rows.size());
    emit trailChanged(trail_);
    model_->setRows(std::move(rows));
    if (!table_->currentIndex().isValid() && model_->rowCount() > 0)
        table_->setCurrentIndex(table_->model()->index(0, 0));
}

void FiguresPage::preview() {
    const QString path = table_->currentIndex().siblingAtColumn(0).data(KeyRole).toString();
    QString drawable = path;
    if (path.endsWith(QStringLiteral(".pdf"))) {  // its SVG twin shows the same
        drawable.chop(3);
        drawable += QStringLiteral("svg");
    }
    const QSize room = picture_->size() - QSize(16, 16);
    QPixmap pixmap;
    if (drawable.endsWith(QStringLiteral(".svg")) && QFileInfo::exists(drawable)) {
        QSvgRenderer svg(drawable);
        const QSize size = svg.defaultSize().scaled(room, Qt::KeepAspectRatio);
        pixmap = QPixmap(size * devicePixelRatioF());
        pixmap.fill(Qt::white);
        QPainter painter(&pixmap);
        svg.render(&painter);
        painter.end();
        pixmap.setDevicePixelRatio(devicePixelRatioF());
    } else if (drawable.endsWith(QStringLiteral(".png"))) {
        pixmap = QPixmap(drawable).scaled(room, Qt::KeepAspectRatio, Qt::SmoothTransformation);
    }
    if (pixmap.isNull())
        picture_->setText(tr("No preview of this file type. Enter opens it."));
    else
        picture_->setPixmap(pixmap);
}

void FiguresPage::exportAll() {
    if (!session_ || !session_->data()) return;
    const QString folder = folderOf(QString::fromStdString(session_->project()->file().string()));
    if (!QDir().mkpath(folder))
        return emit session_->message(tr("%1 cannot be made: is the folder writable?").arg(folder), true);
    for (const auto kind : {SetChoice::Kind::In, SetChoice::Kind::Out}) {
        SeriesRequest request;
        request.data = session_->data();
        request.visible.assign(session_->visibleRuns().begin(), session_->visibleRuns().end());
        request.selected = session_->selectedRun();
        request.choice = {kind, {}, true};
        const qint64 experiment = session_->experiment();
        session_->reader().request(
            this, kind == SetChoice::Kind::In ? "figures-in" : "figures-out",
            [request](db::Connection& c) {
                ScoredCache cache;
                return readSeries(c, cache, request);
            },
            [this, request, experiment, folder](ResultSeries series) {
                write({request.data, request.choice, experiment, std::move(series), folder});
            });
    }
}

void FiguresPage::write(FigureInputs inputs) {
    const QString domain =
        inputs.choice.kind == SetChoice::Kind::In ? QStringLiteral("in-domain") : QStringLiteral("out-of-domain");
    std::vector<std::pair<QString, std::shared_ptr<PlotView>>> plots;
    const auto add = [&](const char* name, auto plot) { plots.emplace_back(QLatin1String(name), plot); };
    labelShortly(inputs.series.visible);
    const auto reliability = std::make_shared<ReliabilityPlot>();
    reliability->setSeries(inputs.series.visible);
    add("reliability", reliability);
    const auto roc = std::make_shared<RocPlot>();
    roc->setSeries(inputs.series.visible);
    add("roc", roc);
    const auto risk = std::make_shared<RiskCoveragePlot>();
    risk->setSeries(inputs.series.visible);
    add("risk-coverage", risk);
    const auto histogram = std::make_shared<ConfidenceHistogram>();
    histogram->setSeries(inputs.series.selected);
    add("histogram", histogram);
    for (const auto& [name, title] : {std::pair("auroc", "AUROC"), std::pair("ece_ew10", "ECE")}) {
        const auto sweep = std::make_shared<BudgetSweepPlot>();
        SweepOptions options;
        options.metric = tr("%1, %2").arg(QLatin1String(title), setText(inputs.choice));
        if (std::string_view(name) == "auroc") options.reference = 0.5;
        options.lowerIsBetter = std::string_view(name) != "auroc";
        sweep->setPoints(sweepPoints(inputs, name), options);
        add(std::string_view(name) == "auroc" ? "budget-sweep-auroc" : "budget-sweep-ece", sweep);
    }
    int written = 0;
    for (const auto& [name, plot] : plots) {
        if (!plot->emptyReason().isEmpty()) continue;
        for (const QString& type : {QStringLiteral(".pdf"), QStringLiteral(".svg")}) try {
                exportFigure(*plot, inputs.folder + QLatin1Char('/') + name + QLatin1Char('-') + domain + type, {});
                ++written;
            } catch (const Error& error) {
                if (session_) emit session_->message(toQt(error.what()), true);
                return list();
            }
    }
    if (session_)
        emit session_->message(tr("%1: %2 files written to %3").arg(domain, QString::number(written), inputs.folder),
                               false);
    list();
}

}  // namespace candor::ui
