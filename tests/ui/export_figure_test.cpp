// SPDX-License-Identifier: GPL-3.0-or-later
#include <sys/resource.h>

#include <QApplication>
#include <QDir>
#include <QFile>
#include <QImage>
#include <QProcess>
#include <QRegularExpression>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QXmlStreamReader>
#include <csignal>

#include "core/error.h"
#include "tests/testing.h"
#include "tests/ui/plot_samples.h"
#include "ui/export/figure.h"
#include "ui/export/pgfplots.h"
#include "ui/plots/budget_sweep_plot.h"
#include "ui/plots/confidence_histogram.h"
#include "ui/plots/loss_plot.h"
#include "ui/plots/plot_style.h"
#include "ui/plots/reliability_plot.h"
#include "ui/plots/risk_coverage_plot.h"
#include "ui/plots/roc_plot.h"

using namespace candor;
using namespace candor::ui;

namespace {

std::unique_ptr<RocPlot> roc(int runs = 3, const QString& label = {}) {
    auto plot = std::make_unique<RocPlot>();
    std::vector<PlotSeries> series;
    for (int i = 0; i < runs; ++i) {
        series.push_back(sampleSeries(i + 1, i % 2 ? "cal-only" : "elical", 100 * (i + 1), 200));
        series.back().label = label;
    }
    plot->setSeries(series);
    return plot;
}

std::unique_ptr<BudgetSweepPlot> sweep() {
    auto plot = std::make_unique<BudgetSweepPlot>();
    std::vector<SweepPoint> points;
    for (const qint64 budget : {100, 250, 500})
        for (int seed = 0; seed < 3; ++seed)
            points.push_back(
                {QStringLiteral("elical"), budget, budget, seed, 0.7 + 0.01 * seed + double(budget) / 1e4, 1, false});
    SweepOptions options;
    options.metric = QStringLiteral("AUROC");
    plot->setPoints(points, options);
    return plot;
}

QByteArray read(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

QByteArray withoutDates(QByteArray pdf) {
    QString text = QString::fromLatin1(pdf);
    text.replace(QRegularExpression(QStringLiteral("/(Creation|Mod)Date \\([^)]*\\)")), QString());
    text.replace(QRegularExpression(QStringLiteral("/ID *\\[[^\\]]*\\]")), QString());
    text.replace(QRegularExpression(QStringLiteral("<xmp:[A-Za-z]+Date>[^<]*<")), QString());
    text.replace(QRegularExpression(QStringLiteral("xmp:[A-Za-z]+Date=\"[^\"]*\"")), QString());  // Qt 6.8
    return text.toLatin1();
}

// What a tool says about a file, or nothing where the tool is not installed.
QString ask(const QString& tool, const QStringList& arguments) {
    if (QStandardPaths::findExecutable(tool).isEmpty()) return {};
    QProcess process;
    process.start(tool, arguments);
    process.waitForFinished(30000);
    return QString::fromUtf8(process.readAllStandardOutput());
}

}  // namespace

class ExportFigureTest : public QObject {
    Q_OBJECT
  private slots:
    void pdfHasExactSizeAndEmbeddedTrueType() {
        QTemporaryDir folder;
        FigureOptions options;
        options.preset = QStringLiteral("icml");
        const QString path = exportFigure(*sweep(), folder.filePath(QStringLiteral("a.pdf")), options);
        const QByteArray pdf = read(path);
        QVERIFY(pdf.startsWith("%PDF-"));
        const QRegularExpression box(QStringLiteral("/MediaBox \\[0(\\.0*)? 0(\\.0*)? 234(\\.0*)? 145(\\.0*)?\\]"));
        QVERIFY(QString::fromLatin1(pdf).contains(box));
        QVERIFY(pdf.contains("/FontFile2"));
        QVERIFY(!pdf.contains("/Type3"));
        QVERIFY(pdf.size() < 300000);
        const QString fonts = ask(QStringLiteral("pdffonts"), {path});
        if (fonts.isEmpty()) QSKIP("pdffonts is not installed: names of fonts are not read back");
        QVERIFY2(fonts.contains(QStringLiteral("LiberationSerif")), qPrintable(fonts));
        QVERIFY(!fonts.contains(QStringLiteral("Type 3")) && !fonts.contains(QStringLiteral("DejaVu")));
    }

    void pdfTextHasThePointsAskedFor() {
        QTemporaryDir folder;
        FigureOptions options;
        options.fontSize = 10;
        const QString path = exportFigure(*sweep(), folder.filePath(QStringLiteral("a.pdf")), options);
        const QString words = ask(QStringLiteral("pdftotext"), {QStringLiteral("-bbox"), path, QStringLiteral("-")});
        if (words.isEmpty()) QSKIP("pdftotext is not installed: text is not read back");
        QVERIFY(words.contains(QStringLiteral("AUROC")) && words.contains(QStringLiteral(">250<")));
        const QRegularExpression word(
            QStringLiteral("xMin=\"([-0-9.]+)\" yMin=\"([-0-9.]+)\" xMax=\"([-0-9.]+)\" yMax=\"([-0-9.]+)\">(.*?)<"));
        int labels = 0;
        for (auto it = word.globalMatch(words); it.hasNext();) {
            const auto m = it.next();
            // Every text box lies inside the page of 396 x 245 points.
            QVERIFY(m.captured(1).toDouble() >= 0 && m.captured(3).toDouble() <= 396);
            QVERIFY(m.captured(2).toDouble() >= 0 && m.captured(4).toDouble() <= 245);
            if (m.captured(5) != QStringLiteral("Labels")) continue;
            ++labels;  // Liberation Serif is 1.107 em high
            QVERIFY2(std::abs(m.captured(4).toDouble() - m.captured(2).toDouble() - 11.07) < 0.6,
                     qPrintable(m.captured(0)));
        }
        QCOMPARE(labels, 1);
    }

    void hostileLabelsStayOnThePage() {
        QTemporaryDir folder;
        for (const int length : {1, 20, 60, 400}) {
            FigureOptions options;
            options.preset = QStringLiteral("icml");
            options.titled = true;
            const auto plot = roc(14, QStringLiteral("naïve 100%2 <b> ") + QString(length, QLatin1Char('W')));
            plot->setTitle(QString(length, QLatin1Char('T')));
            const QString path = exportFigure(*plot, folder.filePath(QStringLiteral("a.pdf")), options);
            const QString words =
                ask(QStringLiteral("pdftotext"), {QStringLiteral("-bbox"), path, QStringLiteral("-")});
            if (words.isEmpty()) QSKIP("pdftotext is not installed: text is not read back");
            const QRegularExpression word(
                QStringLiteral("xMin=\"([-0-9.]+)\" yMin=\"([-0-9.]+)\" xMax=\"([-0-9.]+)\" yMax=\"([-0-9.]+)\">"));
            int count = 0;
            for (auto it = word.globalMatch(words); it.hasNext(); ++count) {
                const auto m = it.next();
                QVERIFY2(m.captured(1).toDouble() >= 0 && m.captured(3).toDouble() <= 234, qPrintable(m.captured(0)));
                QVERIFY2(m.captured(2).toDouble() >= 0 && m.captured(4).toDouble() <= 234, qPrintable(m.captured(0)));
            }
            QVERIFY(count > 20);
            QVERIFY(words.contains(QStringLiteral("more")));  // 14 runs: nine and "and 5 more"
        }
    }

    void svgStandsAlone() {
        const QByteArray svg = figureBytes(*roc(), QStringLiteral("svg"), {});
        QVERIFY(!svg.contains("<text") && !svg.contains("style=") && !svg.contains("<style") &&
                !svg.contains("<image"));
        QVERIFY(!svg.contains("font-family"));
        QVERIFY(svg.size() < 300000);
        int paths = 0;
        QXmlStreamReader reader(svg);
        while (!reader.atEnd())
            if (reader.readNext() == QXmlStreamReader::StartElement && reader.name() == QLatin1String("path")) ++paths;
        QVERIFY2(!reader.hasError(), qPrintable(reader.errorString()));
        QVERIFY(paths > 40);
        QVERIFY(svg.contains("#0072b2") || svg.contains("stroke=\"#"));
    }

    void pngHasPixelsOfInchesTimesDpi() {
        FigureOptions options;
        options.preset = QStringLiteral("icml");
        options.dpi = 600;
        const QImage image = QImage::fromData(figureBytes(*sweep(), QStringLiteral("png"), options));
        QCOMPARE(image.width(), 1950);
        QCOMPARE(image.height(), 1208);
        QCOMPARE(image.dotsPerMeterX(), 23622);
    }

    void csvIsWhatIsDrawn() {
        const auto plot = sweep();
        const QList<QByteArray> lines = figureCsv(*plot).trimmed().split('\n');
        const FigureData data = plot->data();
        QCOMPARE(lines.size(), data.rows() + 1);
        const QList<QByteArray> header = lines[0].split(',');
        const auto mean = header.indexOf("mean");
        for (int r = 0; r < data.rows(); ++r)
            QCOMPARE(lines[r + 1].split(',')[mean].toDouble(),
                     data.column(QStringLiteral("mean"))->number[std::size_t(r)]);
    }

    void csvSurvivesHostileLabels() {
        const auto plot = roc(1, QStringLiteral("a,\"b\"; <b>naïve 置信度 ثقة</b> = 50%2 \\n"));
        const QByteArray csv = figureCsv(*plot);
        QVERIFY(csv.contains(QStringLiteral("\"a,\"\"b\"\"; <b>naïve 置信度 ثقة</b> = 50%2 \\n\"").toUtf8()));
        QLocale::setDefault(QLocale(QLocale::German));
        QCOMPARE(figureCsv(*plot), csv);
        const QByteArray comma = figureBytes(*plot, QStringLiteral("svg"), {});
        QLocale::setDefault(QLocale::c());
        QCOMPARE(figureBytes(*plot, QStringLiteral("svg"), {}), comma);
    }

    void everyFormatOfEveryPlot() {
        ReliabilityPlot reliability;
        RiskCoveragePlot risk;
        ConfidenceHistogram histogram;
        LossPlot loss;
        PlotSeries constant = sampleSeries(4, "n-prob", kAllLabels, 40);
        std::fill(constant.confidence.begin(), constant.confidence.end(), 0.5);
        reliability.setSeries(
            {sampleSeries(1, "elical", 250, 300), constant, sampleSeries(2, "consis-sem+isotonic", 250, 300)});
        risk.setSeries({sampleSeries(1, "elical", 250, 300), constant});
        histogram.setSeries(constant);
        loss.set(1, LossPlot::Curve::Train, {1, 2, 3, 4}, {0.5, NAN, INFINITY, 0.4});
        loss.set(1, LossPlot::Curve::Holdout, {2, 4}, {0.5, 0.45});
        const auto curves = roc(14, QStringLiteral("\\evil_{}$%&# ~^ ") + QString(400, QLatin1Char('x')));
        const auto budgets = sweep();
        for (const PlotView* plot : std::initializer_list<const PlotView*>{&reliability, &risk, &histogram, &loss,
                                                                           curves.get(), budgets.get()})
            for (const QString& format : figureFormats()) {
                if (format == QLatin1String("tex") && plot == &histogram) {
                    QVERIFY_EXCEPTION_THROWN(figureBytes(*plot, format, {}), InputError);
                    continue;
                }
                for (const QString& preset : figurePresets()) {
                    FigureOptions options;
                    options.preset = preset;
                    options.dpi = 72;
                    QVERIFY(figureBytes(*plot, format, options).size() > 50);
                }
            }
    }

    void emptyPlotSaysWhyNothingIsWritten() {
        QTemporaryDir folder;
        RocPlot plot;
        QVERIFY_EXCEPTION_THROWN(exportFigure(plot, folder.filePath(QStringLiteral("a.pdf"))), InputError);
        QVERIFY(QDir(folder.path()).isEmpty());
    }

    void extensionsAreAdded() {
        QTemporaryDir folder;
        const auto plot = sweep();
        QCOMPARE(exportFigure(*plot, folder.filePath(QStringLiteral("fig"))),
                 folder.filePath(QStringLiteral("fig.pdf")));
        QCOMPARE(exportFigure(*plot, folder.filePath(QStringLiteral("fig.PDF"))),
                 folder.filePath(QStringLiteral("fig.PDF")));
        QCOMPARE(exportFigure(*plot, folder.filePath(QStringLiteral("fig.tar"))),
                 folder.filePath(QStringLiteral("fig.tar.pdf")));
        QVERIFY(read(folder.filePath(QStringLiteral("fig.tar.pdf"))).startsWith("%PDF"));
        exportFigure(*plot, folder.filePath(QStringLiteral("fig.tex")));
        QVERIFY(read(folder.filePath(QStringLiteral("fig.tex"))).contains("{fig-data.csv}"));
        QVERIFY(read(folder.filePath(QStringLiteral("fig-data.csv"))).contains("mean"));
    }

    void failedWritesKeepTheOldFile() {
        const auto plot = sweep();
        QVERIFY_EXCEPTION_THROWN(exportFigure(*plot, QStringLiteral("/dev/full/fig.pdf")), Error);
        QVERIFY_EXCEPTION_THROWN(writeWhole(QStringLiteral("/dev/null"), "x"), Error);
        QTemporaryDir folder;
        QVERIFY_EXCEPTION_THROWN(exportFigure(*plot, folder.filePath(QStringLiteral("missing/fig.pdf"))), Error);
        const QString path = folder.filePath(QStringLiteral("fig.pdf"));
        writeWhole(path, "old");
        QFile(folder.path()).setPermissions(QFile::ReadOwner | QFile::ExeOwner);
        bool failed = false;
        try {
            exportFigure(*plot, path);
        } catch (const Error& e) {
            failed = QString::fromUtf8(e.what()).contains(path);
        }
        QFile(folder.path()).setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
        if (!failed) QSKIP("folders cannot be made read-only here (root)");
        QCOMPARE(read(path), QByteArray("old"));
    }

    // The limit on file sizes makes writing fail as a full disk does.
    void fullDiskKeepsTheOldFile() {
        QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("fig.pdf"));
        writeWhole(path, "old");
        const auto plot = sweep();
        rlimit before{};
        getrlimit(RLIMIT_FSIZE, &before);
        rlimit tight = before;
        tight.rlim_cur = 1000;
        const auto handler = std::signal(SIGXFSZ, SIG_IGN);
        setrlimit(RLIMIT_FSIZE, &tight);
        bool failed = false;
        try {
            exportFigure(*plot, path);
        } catch (const Error&) {
            failed = true;
        }
        setrlimit(RLIMIT_FSIZE, &before);
        std::signal(SIGXFSZ, handler);
        QVERIFY(failed);
        QCOMPARE(read(path), QByteArray("old"));
        QCOMPARE(QDir(folder.path()).entryList(QDir::Files), QStringList{QStringLiteral("fig.pdf")});
    }

    void unknownPresetsAndFormatsAreNamed() {
        FigureOptions options;
        options.preset = QStringLiteral("nature");
        QVERIFY_EXCEPTION_THROWN(figureBytes(*sweep(), QStringLiteral("pdf"), options), InputError);
        QVERIFY_EXCEPTION_THROWN(figureBytes(*sweep(), QStringLiteral("bmp"), {}), InputError);
    }

    void screenThemeLeavesNoTrace() {
        applyTheme(*qApp, ThemeMode::Dark);
        const auto dark = sweep();
        const QByteArray fromDark = figureBytes(*dark, QStringLiteral("svg"), {});
        applyTheme(*qApp, ThemeMode::Light);
        QCOMPARE(figureBytes(*sweep(), QStringLiteral("svg"), {}), fromDark);
    }

    // Written by this test at each scale: started again with QT_SCALE_FACTOR set.
    void scaleOfTheScreenChangesNothing() {
        QTemporaryDir folder;
        QByteArray pdf[2], svg[2];
        for (const int scale : {1, 2}) {
            QProcess process;
            QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
            environment.insert(QStringLiteral("QT_SCALE_FACTOR"), QString::number(scale));
            environment.insert(QStringLiteral("CANDOR_TEST_EXPORT"), folder.filePath(QString::number(scale)));
            process.setProcessEnvironment(environment);
            process.start(QCoreApplication::applicationFilePath(),
                          {QStringLiteral("export_figure_test"), QStringLiteral("writeForScale")});
            QVERIFY(process.waitForFinished(60000));
            pdf[scale - 1] = read(folder.filePath(QString::number(scale) + QStringLiteral(".pdf")));
            svg[scale - 1] = read(folder.filePath(QString::number(scale) + QStringLiteral(".svg")));
            QVERIFY(!pdf[scale - 1].isEmpty());
        }
        QCOMPARE(svg[0], svg[1]);
        QCOMPARE(withoutDates(pdf[0]), withoutDates(pdf[1]));
    }
    void writeForScale() {
        const QString path = qEnvironmentVariable("CANDOR_TEST_EXPORT");
        if (path.isEmpty()) QSKIP("called by scaleOfTheScreenChangesNothing");
        exportFigure(*roc(), path + QStringLiteral(".pdf"));
        exportFigure(*roc(), path + QStringLiteral(".svg"));
    }

    void latexEscapes() {
        QCOMPARE(latex(QStringLiteral("50% of a_b & {c} \\x")),
                 QStringLiteral("50\\% of a\\_b \\& \\{c\\} \\textbackslash{}x"));
    }
};

CANDOR_TEST(ExportFigureTest);
#include "export_figure_test.moc"
