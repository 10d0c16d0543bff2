// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFont>
#include <QString>

namespace candor::ui {

// Makes the embedded fonts known, once; needs a Q(Gui)Application.
void loadBundledFonts();
QString bundledSans();  // family names, as they stand in exports
QString bundledSerif();

// The system's sans at 13 px; a machine that has none set up gets the best sans present, at last the bundled one.
QFont applicationFont();

}  // namespace candor::ui
