// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/theme/theme.h"

#include <QApplication>
#include <QFontDatabase>
#include <QPalette>
#include <QStyleHints>
#include <QWidget>
#include <algorithm>
#include <cmath>

#include "ui/theme/fonts.h"
#include "ui/theme/style.h"

namespace candor::ui {
namespace {

QColor rgb(unsigned value) { return QColor::fromRgb(value); }

struct Current {
    Theme theme = lightTheme();
    ThemeMode mode = ThemeMode::System;
    ThemeNotifier notifier;
    bool systemDark = false;
    bool started = false;
};

Current& current() {
    static Current instance;
    return instance;
}

bool desktopIsDark(const QApplication& application) {
#if QT_VERSION >= QT_VERSION_CHECK(6, 5, 0)
    const auto scheme = application.styleHints()->colorScheme();
    if (scheme != Qt::ColorScheme::Unknown) return scheme == Qt::ColorScheme::Dark;
#endif
    const QPalette palette = application.palette();
    return palette.color(QPalette::Window).lightness() < palette.color(QPalette::WindowText).lightness();
}

QPalette paletteOf(const Theme& t) {
    QPalette p;
    const QColor disabled = mix(t.secondary, t.surface, 0.35);
    p.setColor(QPalette::Window, t.window);
    p.setColor(QPalette::WindowText, t.text);
    p.setColor(QPalette::Base, t.surface);
    p.setColor(QPalette::AlternateBase, mix(t.surface, t.window, 0.6));
    p.setColor(QPalette::Text, t.text);
    p.setColor(QPalette::PlaceholderText, t.secondary);
    p.setColor(QPalette::Button, t.surface);
    p.setColor(QPalette::ButtonText, t.text);
    p.setColor(QPalette::BrightText, t.negative);
    p.setColor(QPalette::ToolTipBase, t.raised);
    p.setColor(QPalette::ToolTipText, t.text);
    p.setColor(QPalette::Highlight, t.selection);
    p.setColor(QPalette::HighlightedText, t.text);
    p.setColor(QPalette::Link, t.accent);
    p.setColor(QPalette::LinkVisited, t.accent);
    p.setColor(QPalette::Light, t.raised);
    p.setColor(QPalette::Midlight, t.line);
    p.setColor(QPalette::Mid, t.line);
    p.setColor(QPalette::Dark, t.control);
    p.setColor(QPalette::Shadow, t.dark ? rgb(0x000000) : rgb(0x9A9C98));
    for (const auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText, QPalette::HighlightedText})
        p.setColor(QPalette::Disabled, role, disabled);
    p.setColor(QPalette::Disabled, QPalette::Highlight, t.hover);
    return p;
}

}  // namespace

Theme lightTheme() {
    Theme t;
    t.window = rgb(0xF7F7F5), t.surface = rgb(0xFFFFFF), t.raised = rgb(0xFFFFFF), t.line = rgb(0xDFE1DC);
    t.text = rgb(0x1E2126), t.secondary = rgb(0x5D646E), t.accent = rgb(0x2B63D9);
    t.positive = rgb(0x1B7F4B), t.negative = rgb(0xB3362B), t.warning = rgb(0x8A5A00);
    t.onAccent = rgb(0xFFFFFF), t.hover = rgb(0xF0F1EE), t.selection = rgb(0xE3EBFB), t.control = rgb(0xC6C9C3);
    return t;
}

Theme darkTheme() {
    Theme t;
    t.dark = true;
    t.window = rgb(0x15171C), t.surface = rgb(0x1D2027), t.raised = rgb(0x262A33), t.line = rgb(0x343944);
    t.text = rgb(0xE7EAEE), t.secondary = rgb(0xA3ACB8), t.accent = rgb(0x7FA8FF);
    t.positive = rgb(0x5CC98F), t.negative = rgb(0xF0857A), t.warning = rgb(0xE5B454);
    t.onAccent = rgb(0x11151F), t.hover = rgb(0x282C36), t.selection = rgb(0x2B3A5C), t.control = rgb(0x4A5160);
    return t;
}

const Theme& theme() { return current().theme; }
ThemeMode themeMode() { return current().mode; }
ThemeNotifier* themeNotifier() { return &current().notifier; }

void applyTheme(QApplication& application, ThemeMode mode) {
    Current& c = current();
    if (!c.started) {
        c.started = true;
        c.systemDark = desktopIsDark(application);
        loadBundledFonts();
        application.setFont(applicationFont());
        application.setStyle(new Style);
#if QT_VERSION >= QT_VERSION_CHECK(6, 5, 0)
        QObject::connect(application.styleHints(), &QStyleHints::colorSchemeChanged, &c.notifier, [&application] {
            current().systemDark = application.styleHints()->colorScheme() == Qt::ColorScheme::Dark;
            if (themeMode() == ThemeMode::System) applyTheme(application, ThemeMode::System);
        });
#endif
    }
    c.mode = mode;
    const bool dark = mode == ThemeMode::Dark || (mode == ThemeMode::System && c.systemDark);
    c.theme = dark ? darkTheme() : lightTheme();
    application.setPalette(paletteOf(c.theme));
    for (QWidget* widget : application.allWidgets()) polishLook(widget);
    emit c.notifier.changed();
}

QFont font(TypeRole role) {
    QFont f = applicationFont();
    switch (role) {
        case TypeRole::Body:
            break;
        case TypeRole::Title:
            f.setPixelSize(20), f.setWeight(QFont::DemiBold);
            break;
        case TypeRole::Section:
            f.setPixelSize(15), f.setWeight(QFont::DemiBold);
            break;
        case TypeRole::Secondary:
            f.setPixelSize(12);
            break;
        case TypeRole::Question:
            f.setPixelSize(18);
            break;
        case TypeRole::Number: {
#if QT_VERSION >= QT_VERSION_CHECK(6, 7, 0)
            f.setFeature("tnum", 1);
#endif
            break;
        }
    }
    return f;
}

QColor mix(const QColor& a, const QColor& b, double share) {
    const auto blend = [share](double from, double to) { return static_cast<float>(from + (to - from) * share); };
    return QColor::fromRgbF(blend(a.redF(), b.redF()), blend(a.greenF(), b.greenF()), blend(a.blueF(), b.blueF()))
        .toRgb();
}

double contrast(const QColor& a, const QColor& b) {
    const auto luminance = [](const QColor& c) {
        const auto linear = [](double v) { return v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4); };
        return 0.2126 * linear(c.redF()) + 0.7152 * linear(c.greenF()) + 0.0722 * linear(c.blueF());
    };
    const double x = luminance(a), y = luminance(b);
    return (std::max(x, y) + 0.05) / (std::min(x, y) + 0.05);
}

}  // namespace candor::ui
