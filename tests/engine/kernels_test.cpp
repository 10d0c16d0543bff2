// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/llm/kernels.h"

#include <cmath>
#include <random>
#include <vector>

#include "tests/testing.h"

namespace kernels = candor::kernels;
using candor::simd::Bf16;

namespace {

std::vector<float> randomValues(std::size_t count, unsigned seed, float size = 2) {
    std::mt19937 random(seed);
    std::normal_distribution<float> normal(0, size);
    std::vector<float> values(count);
    for (auto& value : values) value = normal(random);
    return values;
}

std::vector<Bf16> narrow(const std::vector<float>& values) {
    std::vector<Bf16> result(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) candor::simd::store1(&result[i], values[i]);
    return result;
}

std::vector<float> widen(const std::vector<Bf16>& values) {
    std::vector<float> result(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) result[i] = candor::simd::load1(&values[i]);
    return result;
}

double worst(const std::vector<float>& got, const std::vector<double>& want) {
    double result = 0;
    for (std::size_t i = 0; i < got.size(); ++i)
        result = std::max(result, std::abs(got[i] - want[i]) / std::max(1.0, std::abs(want[i])));
    return result;
}

// Every width has whole vectors, a tail, or both.
constexpr int kRows = 3;

}  // namespace

class KernelsTest : public QObject {
    Q_OBJECT

  private slots:
    static void addWidths() {
        QTest::addColumn<int>("width");
        for (const int width : {3, 16, 23, 64, 75}) QTest::addRow("%d", width) << width;
    }
    void normMatchesItsFormula_data() { addWidths(); }
    void normMatchesItsFormula() {
        QFETCH(int, width);
        const auto x = randomValues(kRows * width, 1), weight = randomValues(width, 2),
                   dy = randomValues(kRows * width, 3);
        std::vector<float> y(x.size()), dx(x.size()), inverse(kRows);
        kernels::rmsNorm(x.data(), weight.data(), 1e-5, width, y.data(), inverse.data(), 0, kRows);
        kernels::rmsNormBackward(dy.data(), x.data(), weight.data(), inverse.data(), width, dx.data(), 0, kRows);
        std::vector<double> wantY(x.size()), wantDx(x.size());
        for (int i = 0; i < kRows; ++i) {
            const float *row = &x[i * width], *d = &dy[i * width];
            double squares = 0, dots = 0;
            for (int j = 0; j < width; ++j)
                squares += double(row[j]) * row[j], dots += double(d[j]) * weight[j] * row[j];
            const double r = 1 / std::sqrt(squares / width + 1e-5);
            for (int j = 0; j < width; ++j) {
                wantY[i * width + j] = row[j] * r * weight[j];
                wantDx[i * width + j] = d[j] * weight[j] * r - row[j] * dots / width * r * r * r;
            }
        }
        QVERIFY(worst(y, wantY) < 1e-6);
        QVERIFY(worst(dx, wantDx) < 1e-5);
        std::vector<Bf16> half(x.size());
        kernels::rmsNorm(x.data(), weight.data(), 1e-5, width, half.data(), inverse.data(), 0, kRows);
        QVERIFY(worst(widen(half), wantY) < 1.0 / 256);
    }

    void swiGluMatchesItsFormula_data() { addWidths(); }
    void swiGluMatchesItsFormula() {
        QFETCH(int, width);
        auto gateUp = randomValues(2 * kRows * width, 4, 5);
        gateUp[0] = 120;  // far out on both sides
        gateUp[1] = -120;
        const auto dOut = randomValues(kRows * width, 5);
        std::vector<float> out(dOut.size()), d(gateUp.size());
        kernels::swiGlu(gateUp.data(), width, out.data(), 0, kRows);
        kernels::swiGluBackward(dOut.data(), gateUp.data(), width, d.data(), 0, kRows);
        std::vector<double> wantOut(out.size()), wantD(d.size());
        for (int i = 0; i < kRows; ++i)
            for (int j = 0; j < width; ++j) {
                const double g = gateUp[2 * i * width + j], u = gateUp[(2 * i + 1) * width + j],
                             o = dOut[i * width + j];
                const double s = 1 / (1 + std::exp(-g));
                wantOut[i * width + j] = g * s * u;
                wantD[2 * i * width + j] = o * u * s * (1 + g * (1 - s));
                wantD[(2 * i + 1) * width + j] = o * g * s;
            }
        QVERIFY(worst(out, wantOut) < 1e-6);
        QVERIFY(worst(d, wantD) < 2e-6);
        const auto halfIn = narrow(gateUp);
        std::vector<Bf16> half(out.size());
        kernels::swiGlu(halfIn.data(), width, half.data(), 0, kRows);
        QVERIFY(worst(widen(half), wantOut) < 0.03);
    }

    void rotationTurnsBack() {
        for (const int dim : {6, 24, 32, 64}) {
            const int heads = 3, rows = 4;
            const auto x = randomValues(rows * heads * dim, 6), angle = randomValues(rows * dim / 2, 7);
            std::vector<float> cos(angle.size()), sin(angle.size()), y(x.size()), back(x.size());
            for (std::size_t i = 0; i < angle.size(); ++i) cos[i] = std::cos(angle[i]), sin[i] = std::sin(angle[i]);
            kernels::rotate(x.data(), heads * dim, cos.data(), sin.data(), heads, dim, 1, 0.5F, y.data(), heads * dim,
                            0, rows);
            kernels::rotate(y.data(), heads * dim, cos.data(), sin.data(), heads, dim, -1, 2, back.data(), heads * dim,
                            0, rows);
            QVERIFY(worst(back, {x.begin(), x.end()}) < 1e-5);
            const double want = (double(x[0]) * cos[0] - double(x[dim / 2]) * sin[0]) * 0.5;
            QVERIFY(std::abs(y[0] - want) < 1e-5);
        }
    }

    void bf16RoundsToNearestEven() {
        for (const auto& [value, bits] : std::vector<std::pair<float, int>>{
                 {1.0F, 0x3f80}, {1.00390625F, 0x3f80}, {1.01171875F, 0x3f82}, {-2.5F, 0xc020}, {NAN, 0x7fc0}}) {
            Bf16 out{};
            candor::simd::store1(&out, value);
            QCOMPARE(static_cast<int>(out.bits), bits);
            std::vector<Bf16> lanes(16);
            candor::simd::store(lanes.data(), candor::simd::Floats{} + value);
            QCOMPARE(static_cast<int>(lanes[5].bits), bits);
        }
    }
};

CANDOR_TEST(KernelsTest);
#include "kernels_test.moc"
