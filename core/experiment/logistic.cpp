// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/experiment/logistic.h"

#include <cmath>
#include <limits>
#include <numeric>

#include "core/error.h"

namespace candor {
namespace {

using Vector = std::vector<double>;

double inner(const Vector& a, const Vector& b) { return std::inner_product(a.begin(), a.end(), b.begin(), 0.0); }

// Standardised training rows and a last column of ones for the intercept, which is not penalised.
class Problem {
  public:
    Problem(const StateMatrix& features, std::span<const std::int64_t> rows, std::span<const double> correct, double c,
            LogisticModel& model)
        : n_(rows.size()), width_(features.width), c_(c), x_(n_ * width_), y_(correct.begin(), correct.end()) {
        model.mean.assign(width_, 0);
        model.scale.assign(width_, 0);
        const auto n = static_cast<double>(n_);
        for (const std::int64_t row : rows)
            for (std::size_t j = 0; j < width_; ++j) model.mean[j] += features.row(row)[j] / n;
        for (const std::int64_t row : rows)
            for (std::size_t j = 0; j < width_; ++j) {
                const double d = features.row(row)[j] - model.mean[j];
                model.scale[j] += d * d / n;
            }
        for (double& s : model.scale) s = s > 0 ? std::sqrt(s) : 1;
        for (std::size_t i = 0; i < n_; ++i)
            for (std::size_t j = 0; j < width_; ++j)
                x_[i * width_ + j] = static_cast<float>((features.row(rows[i])[j] - model.mean[j]) / model.scale[j]);
    }

    std::size_t size() const { return width_ + 1; }

    // X v, and X' u; in double over fp32 features.
    Vector forward(const Vector& v) const {
        Vector z(n_, v.back());
        for (std::size_t i = 0; i < n_; ++i) {
            const float* x = x_.data() + i * width_;
            double lanes[4] = {};
            std::size_t j = 0;
            for (; j + 4 <= width_; j += 4)
                for (std::size_t l = 0; l < 4; ++l) lanes[l] += static_cast<double>(x[j + l]) * v[j + l];
            for (; j < width_; ++j) lanes[0] += static_cast<double>(x[j]) * v[j];
            z[i] += (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]);
        }
        return z;
    }

    Vector backward(const Vector& u) const {
        Vector g(size(), 0.0);
        for (std::size_t i = 0; i < n_; ++i) {
            const float* x = x_.data() + i * width_;
            for (std::size_t j = 0; j < width_; ++j) g[j] += u[i] * static_cast<double>(x[j]);
            g[width_] += u[i];
        }
        return g;
    }

    double loss(const Vector& w) const {
        const Vector z = forward(w);
        double sum = 0;
        for (std::size_t i = 0; i < n_; ++i) {
            const double margin = y_[i] > 0.5 ? z[i] : -z[i];
            sum += margin > 0 ? std::log1p(std::exp(-margin)) : std::log1p(std::exp(margin)) - margin;
        }
        return c_ * sum + penalty(w) / 2;
    }

    // Gradient, and the weights of the Hessian's rows.
    Vector gradient(const Vector& w, Vector& curvature) const {
        const Vector z = forward(w);
        Vector residual(n_);
        curvature.resize(n_);
        for (std::size_t i = 0; i < n_; ++i) {
            const double p = 1 / (1 + std::exp(-z[i]));
            residual[i] = c_ * (p - y_[i]);
            curvature[i] = c_ * p * (1 - p);
        }
        Vector g = backward(residual);
        for (std::size_t j = 0; j < width_; ++j) g[j] += w[j];
        return g;
    }

    Vector hessian(const Vector& v, const Vector& curvature) const {
        Vector z = forward(v);
        for (std::size_t i = 0; i < n_; ++i) z[i] *= curvature[i];
        Vector h = backward(z);
        for (std::size_t j = 0; j < width_; ++j) h[j] += v[j];
        return h;
    }

  private:
    double penalty(const Vector& w) const { return std::inner_product(w.begin(), w.end() - 1, w.begin(), 0.0); }

    std::size_t n_, width_;
    double c_;
    std::vector<float> x_;
    Vector y_;
};

// Solves H s = -g roughly: the residual falls to `tolerance` of g.
Vector newtonStep(const Problem& problem, const Vector& g, const Vector& curvature, double tolerance) {
    Vector s(g.size(), 0.0), r(g.size()), d;
    for (std::size_t j = 0; j < g.size(); ++j) r[j] = -g[j];
    d = r;
    double rr = inner(r, r);
    const double goal = rr * tolerance * tolerance;
    for (int i = 0; i < 250 && rr > goal; ++i) {
        const Vector h = problem.hessian(d, curvature);
        const double alpha = rr / inner(d, h);
        for (std::size_t j = 0; j < g.size(); ++j) {
            s[j] += alpha * d[j];
            r[j] -= alpha * h[j];
        }
        const double next = inner(r, r);
        for (std::size_t j = 0; j < g.size(); ++j) d[j] = r[j] + next / rr * d[j];
        rr = next;
    }
    return s;
}

Vector minimise(const Problem& problem) {
    Vector w(problem.size(), 0.0), curvature;
    double loss = problem.loss(w), start = 0;
    for (int iteration = 0; iteration < 50; ++iteration) {
        const Vector g = problem.gradient(w, curvature);
        const double norm = std::sqrt(inner(g, g));
        if (iteration == 0) start = norm;
        if (norm <= 1e-8 * std::max(1.0, start)) break;
        const Vector s = newtonStep(problem, g, curvature, std::min(0.1, std::sqrt(norm / start)));
        const double slope = inner(g, s);
        double step = 1;
        Vector tried(w.size());
        for (;; step /= 2) {
            for (std::size_t j = 0; j < w.size(); ++j) tried[j] = w[j] + step * s[j];
            const double now = problem.loss(tried);
            if (now <= loss + 1e-4 * step * slope || step < 1e-10) {
                loss = now;
                break;
            }
        }
        w = tried;
    }
    return w;
}

}  // namespace

double LogisticModel::probability(const float* features) const {
    double z = intercept;
    for (std::size_t j = 0; j < weight.size(); ++j)
        z += weight[j] * static_cast<double>(static_cast<float>((features[j] - mean[j]) / scale[j]));
    return 1 / (1 + std::exp(-z));
}

LogisticModel fitLogisticL2(const StateMatrix& features, std::span<const std::int64_t> rows,
                            std::span<const double> correct, double c) {
    if (rows.empty() || rows.size() != correct.size())
        throw Error("logistic regression: " + std::to_string(rows.size()) + " rows and " +
                    std::to_string(correct.size()) + " labels");
    LogisticModel model;
    const Problem problem(features, rows, correct, c, model);
    const double right = std::accumulate(correct.begin(), correct.end(), 0.0);
    if (right == 0 || right == static_cast<double>(rows.size())) {
        model.weight.assign(features.width, 0);
        model.intercept =
            right == 0 ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::infinity();
        return model;
    }
    const Vector w = minimise(problem);
    model.weight.assign(w.begin(), w.end() - 1);
    model.intercept = w.back();
    return model;
}

}  // namespace candor
