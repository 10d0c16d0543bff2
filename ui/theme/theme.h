// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QColor>
#include <QFont>
#include <QObject>
#include <QString>

class QApplication;
class QWidget;

namespace candor::ui {

enum class ThemeMode : int { System = 0, Light = 1, Dark = 2 };  // stored in settings: do not renumber

// Colours by role. Text roles keep a contrast of 4.5 on window, surface and raised.
struct Theme {
    bool dark = false;
    QColor window, surface, raised, line, text, secondary, accent, positive, negative, warning;
    QColor onAccent;   // text on an accent fill
    QColor hover;      // a row or button below the pointer
    QColor selection;  // a selected row; text stays `text`
    QColor control;    // border of buttons and fields: 3:1 is not asked, `line` made firmer
};

Theme lightTheme();
Theme darkTheme();
// The theme in force. GUI thread only; the reference stays valid, its content follows applyTheme.
const Theme& theme();
ThemeMode themeMode();

// Emits changed() after the palette and style sheet are new. Widgets that paint by hand listen to it.
class ThemeNotifier : public QObject {
    Q_OBJECT
  signals:
    void changed();
};
ThemeNotifier* themeNotifier();

// Sets style, palette, font and style sheet of the whole application. Call again to switch; System follows the
// desktop's palette. Widgets choose a look by the dynamic property "look", see setLook.
void applyTheme(QApplication& application, ThemeMode mode);

// Looks: buttons "primary", "quiet", "danger"; labels "title", "section", "secondary", "question", "number",
// "positive", "negative", "warning"; frames "panel" (surface with hairline), "surface", "bar". "" is the default.
void setLook(QWidget* widget, const char* look);

enum class TypeRole { Body, Title, Section, Secondary, Number, Question };  // Number has figures of equal width
QFont font(TypeRole role);

// Pixels at scale 1.
namespace space {
inline constexpr int xs = 4, s = 8, m = 12, l = 16, xl = 24;
inline constexpr int row = 28, control = 28, radius = 6, hairline = 1, focus = 2;
inline constexpr int rail = 184, railCollapsed = 48;
}  // namespace space

// `share` of the way from a to b, opaque.
QColor mix(const QColor& a, const QColor& b, double share);
// WCAG contrast of two opaque colours, 1 to 21.
double contrast(const QColor& a, const QColor& b);

}  // namespace candor::ui
