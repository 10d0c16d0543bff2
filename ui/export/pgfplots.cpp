// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/export/pgfplots.h"

#include <QLocale>
#include <cmath>

#include "core/error.h"
#include "ui/plots/pgf_plot.h"
#include "ui/plots/plot_style.h"
#include "ui/plots/plot_view.h"

namespace candor::ui {
namespace {

const char* mark(const MethodStyle& style) {
    switch (style.marker) {
        case Marker::Circle:
            return style.open ? "o" : "*";
        case Marker::Square:
            return style.open ? "square" : "square*";
        case Marker::Triangle:
        case Marker::TriangleDown:
            return style.open ? "triangle" : "triangle*";
        case Marker::Diamond:
            return style.open ? "diamond" : "diamond*";
        case Marker::Pentagon:
        case Marker::Hexagon:
            return style.open ? "pentagon" : "pentagon*";
        case Marker::Plus:
            return "+";
        case Marker::Cross:
            return "x";
        case Marker::Star:
            return "star";
    }
    return "*";
}

const char* dash(Qt::PenStyle pen) {
    switch (pen) {
        case Qt::DashLine:
            return "dashed";
        case Qt::DotLine:
            return "dotted";
        case Qt::DashDotLine:
            return "dash dot";
        case Qt::DashDotDotLine:
            return "dash dot dot";
        default:
            return "solid";
    }
}

QString curve(const PgfPlot& pgf, const PgfCurve& c, std::size_t index, const QString& csv) {
    const QString color = QStringLiteral("candor%1").arg(index);
    QString look =
        QStringLiteral("%1, %2, line width=%3pt")
            .arg(color, QString::fromLatin1(dash(c.style.dash)), c.heavy ? QStringLiteral("1.8") : QStringLiteral("1"));
    look +=
        c.marks
            ? QStringLiteral(", mark=%1, mark size=1.8pt, mark options={solid}").arg(QString::fromLatin1(mark(c.style)))
            : QStringLiteral(", mark=none");
    if (c.flat) {
        const double first = pgf.ticks.empty() ? 10 : pgf.ticks.front(),
                     last = pgf.ticks.empty() ? 1000 : pgf.ticks.back();
        return QStringLiteral("  \\addplot[%1, mark=none] coordinates {(%2,%4) (%3,%4)};\n  \\addlegendentry{%5}\n")
            .arg(look, QString::number(first), QString::number(last), QString::number(c.level, 'g', 8), latex(c.name));
    }
    const auto table = [&](const QString& y) {
        return QStringLiteral("table[col sep=comma, x=%1, y=%2] {%3}").arg(c.x, y, csv);
    };
    const QString rows = QStringLiteral("restrict expr to domain={\\thisrow{series}}{%1:%1}").arg(c.series);
    QString text;
    if (!c.lo.isEmpty()) {
        const QString edge = QStringLiteral("  \\addplot[draw=none, forget plot, name path=%1%2, %3] %4;\n");
        text += edge.arg(QStringLiteral("lo"), QString::number(index), rows, table(c.lo));
        text += edge.arg(QStringLiteral("hi"), QString::number(index), rows, table(c.hi));
        text += QStringLiteral("  \\addplot[%1, opacity=0.18, forget plot] fill between[of=lo%2 and hi%2];\n")
                    .arg(color)
                    .arg(index);
    }
    return text + QStringLiteral("  \\addplot[%1, %2] %3;\n  \\addlegendentry{%4}\n")
                      .arg(look, rows, table(c.y), latex(c.name));
}

}  // namespace

QString latex(const QString& text) {
    QString out;
    for (const QChar c : text) {
        if (QStringLiteral("#$%&_{}").contains(c))
            out += QLatin1Char('\\') + c;
        else if (c == QLatin1Char('\\'))
            out += QStringLiteral("\\textbackslash{}");
        else if (c == QLatin1Char('~'))
            out += QStringLiteral("\\textasciitilde{}");
        else if (c == QLatin1Char('^'))
            out += QStringLiteral("\\textasciicircum{}");
        else if (c == QChar(0x2020))
            out += QStringLiteral("\\dag{}");
        else if (c.isSpace() || !c.isPrint())
            out += QLatin1Char(' ');
        else
            out += c;
    }
    return out;
}

QByteArray pgfCsv(const PlotView& plot) {
    const FigureData data = plot.data();
    std::vector<const FigureColumn*> numbers;
    for (const FigureColumn& c : data.columns)
        if (!c.isText) numbers.push_back(&c);
    QByteArray out;
    for (std::size_t c = 0; c < numbers.size(); ++c) out += (c > 0 ? "," : "") + numbers[c]->name.toUtf8();
    out += '\n';
    for (std::size_t r = 0; r < static_cast<std::size_t>(data.rows()); ++r) {
        for (std::size_t c = 0; c < numbers.size(); ++c) {
            const double v = numbers[c]->number[r];
            if (c > 0) out += ',';
            out += std::isfinite(v) ? QByteArray::number(v, 'g', QLocale::FloatingPointShortest) : QByteArray("nan");
        }
        out += '\n';
    }
    return out;
}

QByteArray pgfplots(const PlotView& plot, const QSize& points, const PlotStyle& style, const QString& csv) {
    const PgfPlot pgf = plot.pgf();
    if (pgf.curves.empty())
        throw InputError("bad_format", plot.title().toStdString() + " has no PGFPlots form; choose pdf or csv");
    QString out =
        QStringLiteral("% ") + plot.title().simplified() + QStringLiteral(": ") + plot.note().simplified() +
        QStringLiteral("\n% \\usepackage{pgfplots} \\usepgfplotslibrary{fillbetween} \\pgfplotsset{compat=1.16}\n");
    for (std::size_t i = 0; i < pgf.curves.size(); ++i)
        out += QStringLiteral("\\definecolor{candor%1}{HTML}{%2}\n")
                   .arg(i)
                   .arg(pgf.curves[i].style.color.name().mid(1).toUpper());
    out += QStringLiteral(
               "\\begin{tikzpicture}\n\\begin{axis}[\n  width=%1bp, height=%2bp, axis lines=left, ymajorgrids, grid "
               "style={black!12},\n")
               .arg(points.width())
               .arg(pgf.unitX && pgf.unitY ? points.width() : points.height());
    out += QStringLiteral(
               "  xlabel={%1}, ylabel={%2}, tick style={line width=%3pt}, unbounded coords=discard, filter discard "
               "warning=false,\n")
               .arg(latex(pgf.xName), latex(pgf.yName))
               .arg(style.axis);
    if (pgf.logX) out += QStringLiteral("  xmode=log,\n");
    if (!pgf.ticks.empty()) {
        QStringList at, words;
        for (std::size_t i = 0; i < pgf.ticks.size(); ++i) {
            at << QString::number(pgf.ticks[i]);
            words << QLatin1Char('{') + latex(pgf.words[i]) + QLatin1Char('}');
        }
        out +=
            QStringLiteral(
                "  xtick={%1}, xticklabels={%2}, xticklabel style={font=\\scriptsize}, minor tick style={draw=none},\n")
                .arg(at.join(QLatin1Char(',')), words.join(QLatin1Char(',')));
    }
    if (pgf.logY) out += QStringLiteral("  ymode=log,\n");
    if (pgf.unitX) out += QStringLiteral("  xmin=0, xmax=1,\n");
    if (pgf.unitY) out += QStringLiteral("  ymin=0, ymax=1,\n");
    out += QStringLiteral(
               "  legend style={draw=none, fill=none, font=\\scriptsize}, legend cell align=left, legend pos=%1]\n")
               .arg(pgf.logX          ? QStringLiteral("outer north east")
                    : pgf.legendRight ? QStringLiteral("south east")
                                      : QStringLiteral("north west"));
    if (pgf.diagonal)
        out += QStringLiteral("  \\addplot[black!50, line width=0.5pt, forget plot] coordinates {(0,0) (1,1)};\n");
    for (std::size_t i = 0; i < pgf.curves.size(); ++i) out += curve(pgf, pgf.curves[i], i, csv);
    out += QStringLiteral("\\end{axis}\n\\end{tikzpicture}\n");
    return out.toUtf8();
}

}  // namespace candor::ui
