// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/format.h"

#include <QCoreApplication>
#include <QDateTime>
#include <QLocale>
#include <cmath>

namespace candor::ui {

namespace {

QString tr(const char* text) { return QCoreApplication::translate("candor::ui::Format", text); }

}  // namespace

QString toQt(const std::string& utf8) { return QString::fromUtf8(utf8.data(), static_cast<qsizetype>(utf8.size())); }

QString displayText(const QString& text) {
    // Cut before cleaning: a cell may hold a megabyte.
    QString line = text.left(kDisplayLimit + 1);
    const bool cut = text.size() > kDisplayLimit;
    for (QChar& c : line)
        if (c.category() == QChar::Other_Control || c == QChar::LineSeparator || c == QChar::ParagraphSeparator)
            c = QLatin1Char(' ');
    if (!cut) return line;
    line.truncate(kDisplayLimit - 1);
    if (line.back().isHighSurrogate()) line.chop(1);
    return line + QChar(0x2026);
}

QString dash() { return QString(QChar(0x2013)); }

QString formatMetric(double value) {
    if (std::isnan(value)) return dash();
    if (std::isinf(value)) return (value < 0 ? QStringLiteral("-") : QString()) + QChar(0x221E);
    return QLocale().toString(value, 'f', 3);
}

QString formatSpread(double value) { return QChar(0x00B1) + formatMetric(value); }

QString formatPercent(double share) {
    if (!std::isfinite(share)) return dash();
    return QLocale().toString(share * 100, 'f', 1) + QStringLiteral(" %");
}

QString formatCount(std::int64_t count) { return QLocale().toString(static_cast<qlonglong>(count)); }

QString formatTime(std::int64_t utcMs) {
    if (utcMs <= 0) return dash();
    return QDateTime::fromMSecsSinceEpoch(utcMs).toString(QStringLiteral("yyyy-MM-dd HH:mm"));
}

QString formatIsoTime(std::int64_t utcMs) {
    if (utcMs <= 0) return {};
    const QDateTime local = QDateTime::fromMSecsSinceEpoch(utcMs);
    return local.toOffsetFromUtc(local.offsetFromUtc()).toString(Qt::ISODate);
}

QString formatDuration(double seconds) {
    if (!(seconds >= 0) || seconds > 1e9) return dash();
    const auto whole = static_cast<qint64>(std::llround(seconds));
    if (whole < 90) return tr("%1 s").arg(whole);
    if (whole < 3600) return tr("%1 min").arg((whole + 30) / 60);
    return tr("%1 h %2 min").arg(QString::number(whole / 3600), QString::number(whole % 3600 / 60));
}

QString formatBytes(std::int64_t bytes) { return QLocale().formattedDataSize(bytes, 1); }

QString stageText(const std::string& stage) {
    if (stage == "stage1") return tr("stage 1");
    if (stage == "stage2") return tr("stage 2");
    return displayText(stage);
}

QString statusText(RunStatus status) {
    switch (status) {
        case RunStatus::Planned:
            return tr("planned");
        case RunStatus::Queued:
            return tr("queued");
        case RunStatus::Running:
            return tr("running");
        case RunStatus::Finished:
            return tr("finished");
        case RunStatus::Failed:
            return tr("failed");
        case RunStatus::Stopped:
            return tr("stopped");
        case RunStatus::Interrupted:
            return tr("interrupted");
    }
    return dash();
}

}  // namespace candor::ui
