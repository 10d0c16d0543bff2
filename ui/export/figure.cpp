// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/export/figure.h"

#include <qcustomplot.h>

#include <QBuffer>
#include <QFileInfo>
#include <QPageSize>
#include <QPdfWriter>
#include <QSaveFile>
#include <QUuid>
#include <cmath>

#include "core/error.h"
#include "ui/export/pgfplots.h"
#include "ui/export/svg_device.h"
#include "ui/plots/plot_style.h"
#include "ui/plots/plot_view.h"
#include "ui/theme/fonts.h"

namespace candor::ui {
namespace {

// The figure fills the page; a title, where one is asked for, takes a line above.
void paint(QCPPainter& painter, const PlotView& plot, const QSize& size, const PlotStyle& style) {
    painter.setMode(QCPPainter::pmVectorized);
    painter.setMode(QCPPainter::pmNoCaching);
    int top = 0;
    if (style.titled && !plot.title().isEmpty()) {
        const QFont font = style.font(false, true);
        top = static_cast<int>(std::ceil(QFontMetricsF(font).height() * 1.3));
        painter.setFont(font);
        painter.setPen(style.theme.text);
        painter.drawText(QRectF(2, 0, size.width() - 4, top), Qt::AlignCenter,
                         QFontMetricsF(font).elidedText(plot.title(), Qt::ElideMiddle, size.width() - 4));
    }
    painter.translate(0, top);
    plot.paintFigure(painter, QSize(size.width(), size.height() - top), style);
}

QByteArray pdf(const PlotView& plot, const QSize& size, const PlotStyle& style) {
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    {
        QPdfWriter writer(&buffer);
        writer.setResolution(72);  // one unit is one point: sizes of fonts come out exactly
        writer.setPageSize(QPageSize(QSizeF(size), QPageSize::Point, QString(), QPageSize::ExactMatch));
        writer.setPageMargins(QMarginsF(0, 0, 0, 0));
        writer.setTitle(plot.title());
        writer.setCreator(QStringLiteral("Candor"));
#if QT_VERSION >= QT_VERSION_CHECK(6, 8, 0)
        // Else a random one: the same figure made again is the same file but for its dates.
        writer.setDocumentId(QUuid::createUuidV5(QUuid(), plot.title() + plot.note()));
#endif
        QCPPainter painter;
        if (!painter.begin(&writer)) throw Error("the PDF of \"" + plot.title().toStdString() + "\" cannot be started");
        paint(painter, plot, size, style);
    }
    if (!bytes.startsWith("%PDF-") || !bytes.trimmed().endsWith("%%EOF"))
        throw Error("the PDF of \"" + plot.title().toStdString() + "\" is not whole: its end mark is missing");
    return bytes;
}

QByteArray svg(const PlotView& plot, const QSize& size, const PlotStyle& style) {
    SvgDevice device(size, plot.title(), plot.note());
    {
        QCPPainter painter;
        if (!painter.begin(&device)) throw Error("the SVG of \"" + plot.title().toStdString() + "\" cannot be started");
        paint(painter, plot, size, style);
    }
    return device.take();
}

QByteArray png(const PlotView& plot, const QSize& size, const PlotStyle& style, int dpi) {
    const double scale = dpi / 72.0;
    QImage image(static_cast<int>(std::lround(size.width() * scale)),
                 static_cast<int>(std::lround(size.height() * scale)), QImage::Format_ARGB32_Premultiplied);
    if (image.isNull()) throw Error("no memory for a picture of " + std::to_string(dpi) + " dpi");
    image.fill(Qt::white);
    {
        QCPPainter painter;
        if (!painter.begin(&image)) throw Error("the picture cannot be started");
        painter.setRenderHints(QPainter::Antialiasing | QPainter::TextAntialiasing);
        painter.scale(scale, scale);
        paint(painter, plot, size, style);
    }
    image.setDotsPerMeterX(static_cast<int>(std::lround(dpi / 0.0254)));
    image.setDotsPerMeterY(static_cast<int>(std::lround(dpi / 0.0254)));
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    if (!image.convertToFormat(QImage::Format_RGB32).save(&buffer, "PNG"))
        throw Error("the picture cannot be written as PNG");
    return bytes;
}

QByteArray csvField(QString text) {
    static const QRegularExpression special(QStringLiteral("[\",\r\n;]"));
    if (text.contains(special) || text != text.trimmed())
        text = QLatin1Char('"') + text.replace(QLatin1Char('"'), QStringLiteral("\"\"")) + QLatin1Char('"');
    return text.toUtf8();
}

QByteArray csvNumber(double value) {
    if (std::isnan(value)) return "nan";
    if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
    return QByteArray::number(value, 'g', QLocale::FloatingPointShortest);  // reads back to the same double
}

}  // namespace

QByteArray figureCsv(const PlotView& plot) {
    const FigureData data = plot.data();
    QByteArray out;
    for (std::size_t c = 0; c < data.columns.size(); ++c) out += (c > 0 ? "," : "") + csvField(data.columns[c].name);
    out += '\n';
    const int rows = data.rows();
    for (int r = 0; r < rows; ++r) {
        for (std::size_t c = 0; c < data.columns.size(); ++c) {
            const FigureColumn& column = data.columns[c];
            if (c > 0) out += ',';
            out += column.isText ? csvField(column.text[r]) : csvNumber(column.number[static_cast<std::size_t>(r)]);
        }
        out += '\n';
    }
    return out;
}

QByteArray figureBytes(const PlotView& plot, const QString& format, const FigureOptions& options) {
    if (!figureFormats().contains(format))
        throw InputError("bad_format", "figures are written as " +
                                           figureFormats().join(QStringLiteral(", ")).toStdString() + ", got " +
                                           format.toStdString());
    if (!plot.emptyReason().isEmpty())
        throw InputError("nothing_to_draw", plot.title().toStdString() + ": " + plot.emptyReason().toStdString());
    if (format == QLatin1String("csv")) return figureCsv(plot);
    loadBundledFonts();
    const QSize size = figureSize(plot, options);
    const PlotStyle style = paperStyle(options);
    if (format == QLatin1String("svg")) return svg(plot, size, style);
    if (format == QLatin1String("png")) {
        if (options.dpi < 36 || options.dpi > 2400)
            throw InputError("bad_dpi", "dpi is 36 to 2400, got " + std::to_string(options.dpi));
        return png(plot, size, style, options.dpi);
    }
    if (format == QLatin1String("tex")) return pgfplots(plot, size, style, QStringLiteral("figure.csv"));
    return pdf(plot, size, style);
}

void writeWhole(const QString& path, const QByteArray& bytes) {
    QSaveFile file(path);
    const auto fail = [&] {
        throw Error("cannot write " + path.toStdString() + ": " + file.errorString().toStdString() +
                    (QFileInfo::exists(path) ? "; the older file there is unchanged" : "") +
                    ". Choose another folder or free some space");
    };
    // A device is no place for a figure, and a rename would replace it.
    if (const QFileInfo info(path); info.exists() && !info.isFile())
        throw Error("cannot write " + path.toStdString() + ": it is there already and is no ordinary file");
    if (!file.open(QIODevice::WriteOnly)) fail();
    if (file.write(bytes) != bytes.size()) fail();
    // commit() of Qt 6.4 overlooks a flush that failed, and puts a short file in place of the old one.
    if (!file.flush()) {
        file.cancelWriting();
        fail();
    }
    if (!file.commit()) fail();
}

QString exportFigure(const PlotView& plot, const QString& path, const FigureOptions& options) {
    if (path.trimmed().isEmpty()) throw InputError("bad_path", "a figure needs a path to be written to");
    QString target = path, format = QFileInfo(path).suffix().toLower();
    if (!figureFormats().contains(format)) {
        format = options.format;
        target += QLatin1Char('.') + format;
    }
    if (format == QLatin1String("tex")) {
        const QFileInfo info(target);
        const QString data = info.completeBaseName() + QStringLiteral("-data.csv");
        loadBundledFonts();
        if (!plot.emptyReason().isEmpty()) figureBytes(plot, format, options);  // throws
        const QByteArray text = pgfplots(plot, figureSize(plot, options), paperStyle(options), data);
        writeWhole(info.path() + QLatin1Char('/') + data, pgfCsv(plot));
        writeWhole(target, text);
        return target;
    }
    writeWhole(target, figureBytes(plot, format, options));
    return target;
}

}  // namespace candor::ui
