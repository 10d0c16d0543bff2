// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plots/plot_style.h"

#include "ui/theme/fonts.h"

namespace candor::ui {

QFont PlotStyle::font(bool small, bool bold) const {
    QFont f = family.isEmpty() ? applicationFont() : QFont(family);
    f.setPixelSize(small ? tick : label);
    if (bold) f.setWeight(paper ? QFont::Bold : QFont::DemiBold);
    if (paper) {
        f.setHintingPreference(QFont::PreferNoHinting);
        f.setStyleStrategy(QFont::StyleStrategy(QFont::PreferOutline | QFont::PreferQuality));
    }
    return f;
}

PlotStyle screenStyle() {
    PlotStyle style;
    style.theme = theme();
    return style;
}

}  // namespace candor::ui
