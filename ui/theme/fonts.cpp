// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/theme/fonts.h"

#include <QDir>
#include <QFile>
#include <QFontDatabase>
#include <QFontInfo>
#include <QStringList>

// Q_INIT_RESOURCE must stand outside of namespaces.
static void initCandorResources() { Q_INIT_RESOURCE(resources); }

namespace candor::ui {

void loadBundledFonts() {
    static const bool loaded = [] {
        initCandorResources();
        // From memory, not by resource path: the bytes are then embedded in PDFs by every platform's font engine.
        for (const QString& name : QDir(QStringLiteral(":/fonts")).entryList({QStringLiteral("*.ttf")})) {
            QFile file(QStringLiteral(":/fonts/") + name);
            if (file.open(QIODevice::ReadOnly)) QFontDatabase::addApplicationFontFromData(file.readAll());
        }
        return true;
    }();
    Q_UNUSED(loaded);
}

QString bundledSans() { return QStringLiteral("Liberation Sans"); }
QString bundledSerif() { return QStringLiteral("Liberation Serif"); }

QFont applicationFont() {
    static const QFont chosen = [] {
        QFont font = QFontDatabase::systemFont(QFontDatabase::GeneralFont);
        const QString family = QFontInfo(font).family();
        // DejaVu is what fontconfig answers where nobody has chosen a font.
        if (family.isEmpty() || family.startsWith(QStringLiteral("DejaVu"))) {
            const QStringList present = QFontDatabase::families();
            for (const char* name : {"Inter", "Noto Sans", "Cantarell", "Ubuntu", "Open Sans", "Liberation Sans"}) {
                if (!present.contains(QString::fromLatin1(name))) continue;
                font = QFont(QString::fromLatin1(name));
                break;
            }
        }
        font.setPixelSize(13);
        return font;
    }();
    return chosen;
}

}  // namespace candor::ui
