// SPDX-License-Identifier: GPL-3.0-or-later
#include <QApplication>
#include <QLabel>
#include <QPushButton>
#include <array>
#include <cmath>

#include "core/experiment/spec.h"
#include "tests/testing.h"
#include "ui/theme/method_style.h"

using namespace candor::ui;

namespace {

struct Lab {
    double l, a, b;
};

std::array<double, 3> linear(const QColor& c) {
    const auto f = [](double v) { return v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4); };
    return {f(c.redF()), f(c.greenF()), f(c.blueF())};
}

Lab lab(const std::array<double, 3>& rgb) {  // D65
    const auto f = [](double t) { return t > 216.0 / 24389 ? std::cbrt(t) : (24389.0 / 27 * t + 16) / 116; };
    const double x = f((0.4124564 * rgb[0] + 0.3575761 * rgb[1] + 0.1804375 * rgb[2]) / 0.95047);
    const double y = f(0.2126729 * rgb[0] + 0.7151522 * rgb[1] + 0.0721750 * rgb[2]);
    const double z = f((0.0193339 * rgb[0] + 0.1191920 * rgb[1] + 0.9503041 * rgb[2]) / 1.08883);
    return {116 * y - 16, 500 * (x - y), 200 * (y - z)};
}

// Machado, Oliveira and Fernandes 2009, severity 1, on linear values.
using Matrix = std::array<std::array<double, 3>, 3>;
constexpr Matrix kNone = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
constexpr Matrix kProtan = {
    {{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}}};
constexpr Matrix kDeutan = {
    {{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}}};

Lab seen(const QColor& c, const Matrix& m) {
    const auto v = linear(c);
    std::array<double, 3> out{};
    for (std::size_t i = 0; i < 3; ++i) out[i] = std::clamp(m[i][0] * v[0] + m[i][1] * v[1] + m[i][2] * v[2], 0.0, 1.0);
    return lab(out);
}

// Sharma, Wu and Dalal 2005.
double ciede2000(const Lab& p, const Lab& q) {
    const double rad = M_PI / 180;
    const double c = (std::hypot(p.a, p.b) + std::hypot(q.a, q.b)) / 2;
    const double g = 0.5 * (1 - std::sqrt(std::pow(c, 7) / (std::pow(c, 7) + std::pow(25.0, 7))));
    const double a1 = (1 + g) * p.a, a2 = (1 + g) * q.a, c1 = std::hypot(a1, p.b), c2 = std::hypot(a2, q.b);
    const auto hue = [&](double b, double a) {
        const double h = std::atan2(b, a) / rad;
        return a == 0 && b == 0 ? 0 : h < 0 ? h + 360 : h;
    };
    const double h1 = hue(p.b, a1), h2 = hue(q.b, a2), dl = q.l - p.l, dc = c2 - c1;
    double dh = h2 - h1;
    if (c1 * c2 == 0)
        dh = 0;
    else if (dh > 180)
        dh -= 360;
    else if (dh < -180)
        dh += 360;
    const double bigH = 2 * std::sqrt(c1 * c2) * std::sin(dh / 2 * rad);
    const double lm = (p.l + q.l) / 2, cm = (c1 + c2) / 2;
    double hm = h1 + h2;
    if (c1 * c2 != 0) hm = std::abs(h1 - h2) <= 180 ? hm / 2 : hm < 360 ? (hm + 360) / 2 : (hm - 360) / 2;
    const double t = 1 - 0.17 * std::cos((hm - 30) * rad) + 0.24 * std::cos(2 * hm * rad) +
                     0.32 * std::cos((3 * hm + 6) * rad) - 0.20 * std::cos((4 * hm - 63) * rad);
    const double sl = 1 + 0.015 * std::pow(lm - 50, 2) / std::sqrt(20 + std::pow(lm - 50, 2));
    const double sc = 1 + 0.045 * cm, sh = 1 + 0.015 * cm * t;
    const double rt = -2 * std::sqrt(std::pow(cm, 7) / (std::pow(cm, 7) + std::pow(25.0, 7))) *
                      std::sin(60 * std::exp(-std::pow((hm - 275) / 25, 2)) * rad);
    const double x = dl / sl, y = dc / sc, z = bigH / sh;
    return std::sqrt(x * x + y * y + z * z + rt * y * z);
}

const QStringList kFive = {QStringLiteral("elical"), QStringLiteral("cal-only"), QStringLiteral("eli-only"),
                           QStringLiteral("consis-sem"), QStringLiteral("n-prob")};

}  // namespace

class ThemeTest : public QObject {
    Q_OBJECT
  private slots:
    void differenceFormulaGivesPublishedValues() {  // pairs 1 and 17 of Sharma's table
        QVERIFY(std::abs(ciede2000({50, 2.6772, -79.7751}, {50, 0, -82.7485}) - 2.0425) < 1e-4);
        QVERIFY(std::abs(ciede2000({50, 2.5, 0}, {73, 25, -18}) - 27.1492) < 1e-4);
    }

    void textStandsOutOnEverySurface() {
        for (const Theme& t : {lightTheme(), darkTheme()}) {
            for (const QColor& surface : {t.window, t.surface, t.raised, t.selection, t.hover})
                QVERIFY2(contrast(t.text, surface) >= 4.5, qPrintable(surface.name()));
            for (const QColor& text : {t.secondary, t.accent, t.positive, t.negative, t.warning})
                for (const QColor& surface : {t.window, t.surface, t.raised})
                    QVERIFY2(contrast(text, surface) >= 4.5, qPrintable(text.name() + surface.name()));
            QVERIFY(contrast(t.secondary, t.selection) >= 4.5);
            QVERIFY(contrast(t.onAccent, t.accent) >= 4.5);
            QVERIFY(contrast(t.onAccent, t.negative) >= 4.5);
        }
    }

    void seriesStandOutOnBothSurfaces() {
        QStringList methods = kFive;
        methods << QStringLiteral("probe") << QStringLiteral("text-prior") << QStringLiteral("mine");
        for (const Theme& t : {lightTheme(), darkTheme()})
            for (const QString& method : methods) {
                const double c = contrast(methodStyle(method, t).color, t.surface);
                QVERIFY2(c >= 3, qPrintable(QStringLiteral("%1 %2").arg(method).arg(c)));
            }
    }

    void fiveMethodsAreToldApart() {
        for (const Theme& t : {lightTheme(), darkTheme()})
            for (int i = 0; i < kFive.size(); ++i)
                for (int j = 0; j < i; ++j) {
                    const QColor a = methodStyle(kFive[i], t).color, b = methodStyle(kFive[j], t).color;
                    const QString pair = kFive[i] + QLatin1Char(' ') + kFive[j];
                    QVERIFY2(ciede2000(seen(a, kNone), seen(b, kNone)) >= 15, qPrintable(pair));
                    QVERIFY2(ciede2000(seen(a, kProtan), seen(b, kProtan)) >= 10, qPrintable(pair));
                    QVERIFY2(ciede2000(seen(a, kDeutan), seen(b, kDeutan)) >= 10, qPrintable(pair));
                    QVERIFY(methodStyle(kFive[i]).marker != methodStyle(kFive[j]).marker);
                    QVERIFY(methodStyle(kFive[i]).dash != methodStyle(kFive[j]).dash);
                }
    }

    void methodsHaveNamesAndCalibratedOnesAreOpen() {
        QCOMPARE(methodStyle(QStringLiteral("elical")).name, QStringLiteral("EliCal"));
        QVERIFY(!methodStyle(QStringLiteral("elical")).open);
        const MethodStyle both = methodStyle(QStringLiteral("consis-sem+isotonic"));
        QCOMPARE(both.name, QStringLiteral("Consis-Sem + isotonic"));
        QVERIFY(both.open);
        QCOMPARE(both.marker, methodStyle(QStringLiteral("consis-sem")).marker);
        QVERIFY(methodStyle(QStringLiteral("probe")).marker != methodStyle(QStringLiteral("text-prior")).marker);
    }

    void colourOfTheUsersChoice() {
        setMethodColor(QStringLiteral("mine"), Qt::magenta);
        QCOMPARE(methodStyle(QStringLiteral("mine+platt")).color, QColor(Qt::magenta));
        setMethodColor(QStringLiteral("mine"), {});
        QVERIFY(methodStyle(QStringLiteral("mine")).color != QColor(Qt::magenta));
    }

    void budgetsAreSpelt() {
        QCOMPARE(budgetText(250), QStringLiteral("250"));
        QCOMPARE(budgetText(560000), QStringLiteral("560,000"));
        QCOMPARE(budgetText(candor::kAllLabels, 1124), QStringLiteral("all (1,124)"));
        QCOMPARE(budgetText(candor::kAllLabels), QStringLiteral("all"));
    }

    void switchChangesPaletteAndLooks() {
        QLabel label;
        setLook(&label, "secondary");
        int changes = 0;
        const auto connection = connect(themeNotifier(), &ThemeNotifier::changed, this, [&] { ++changes; });
        applyTheme(*qApp, ThemeMode::Dark);
        QCOMPARE(qApp->palette().color(QPalette::Window), darkTheme().window);
        QCOMPARE(label.palette().color(QPalette::WindowText), darkTheme().secondary);
        applyTheme(*qApp, ThemeMode::Light);
        QCOMPARE(label.palette().color(QPalette::WindowText), lightTheme().secondary);
        QCOMPARE(changes, 2);
        disconnect(connection);
        QPushButton button(QStringLiteral("Start"));
        QVERIFY(button.sizeHint().height() >= space::control);
    }
};

CANDOR_TEST(ThemeTest);
#include "theme_test.moc"
