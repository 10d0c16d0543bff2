// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/experiment/priors.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "core/error.h"
#include "core/train/files.h"

namespace candor {
namespace {

constexpr std::uint32_t kBuckets = 1U << 18;

// Runs of letters, digits and bytes beyond ASCII, lower case (ASCII).
std::vector<std::string> wordsOf(const std::string& text) {
    std::vector<std::string> words;
    bool inside = false;
    for (const char c : text) {
        const bool letter =
            (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || (c & 0x80) != 0;
        if (letter) {
            if (!inside) words.emplace_back();
            words.back() += c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
        }
        inside = letter;
    }
    return words;
}

double product(const SparseRow& row, const std::vector<double>& v) {
    double sum = 0;
    for (const auto& [index, value] : row) sum += value * v[index];
    return sum;
}

}  // namespace

SparseRow wordFeatures(const std::string& text) {
    const std::vector<std::string> words = wordsOf(text);
    std::map<std::uint32_t, double> counts;
    for (std::size_t i = 0; i < words.size(); ++i) {
        ++counts[static_cast<std::uint32_t>(checksum64(words[i]) % kBuckets)];
        if (i > 0) ++counts[static_cast<std::uint32_t>(checksum64(words[i - 1] + ' ' + words[i]) % kBuckets)];
    }
    double squares = 0;
    for (const auto& [index, count] : counts) squares += count * count;
    SparseRow row(counts.begin(), counts.end());
    for (auto& [index, value] : row) value /= std::sqrt(squares);
    return row;
}

TextPrior::TextPrior(std::span<const std::string> questions, std::span<const double> targets) : weight_(kBuckets) {
    if (questions.empty() || questions.size() != targets.size())
        throw Error("text-prior: " + std::to_string(questions.size()) + " questions and " +
                    std::to_string(targets.size()) + " targets");
    const auto n = static_cast<double>(questions.size());
    std::vector<SparseRow> rows;
    for (const std::string& question : questions) rows.push_back(wordFeatures(question));
    std::vector<double> mean(kBuckets);
    for (const SparseRow& row : rows)
        for (const auto& [index, value] : row) mean[index] += value / n;
    const double average = std::accumulate(targets.begin(), targets.end(), 0.0) / n;

    // Only columns that occur can move; (Xc'Xc + 1) w = Xc'(y - mean y), with Xc = X - 1 mean' never formed.
    std::vector<std::uint32_t> used;
    for (std::uint32_t j = 0; j < kBuckets; ++j)
        if (mean[j] != 0) used.push_back(j);
    const auto inner = [&used](const std::vector<double>& a, const std::vector<double>& b) {
        double sum = 0;
        for (const std::uint32_t j : used) sum += a[j] * b[j];
        return sum;
    };
    const auto transposed = [&](const std::vector<double>& u, std::vector<double>& out) {
        for (const std::uint32_t j : used) out[j] = 0;
        double total = 0;
        for (std::size_t i = 0; i < rows.size(); ++i) {
            for (const auto& [index, value] : rows[i]) out[index] += value * u[i];
            total += u[i];
        }
        for (const std::uint32_t j : used) out[j] -= mean[j] * total;
    };
    std::vector<double> u(rows.size()), r(kBuckets), h(kBuckets);
    for (std::size_t i = 0; i < rows.size(); ++i) u[i] = targets[i] - average;
    transposed(u, r);
    std::vector<double> d = r;
    double rr = inner(r, r);
    const double goal = rr * 1e-20;
    for (int iteration = 0; iteration < 500 && rr > goal; ++iteration) {
        const double shift = inner(mean, d);
        for (std::size_t i = 0; i < rows.size(); ++i) u[i] = product(rows[i], d) - shift;
        transposed(u, h);
        for (const std::uint32_t j : used) h[j] += d[j];
        const double alpha = rr / inner(d, h);
        for (const std::uint32_t j : used) {
            weight_[j] += alpha * d[j];
            r[j] -= alpha * h[j];
        }
        const double next = inner(r, r);
        for (const std::uint32_t j : used) d[j] = r[j] + next / rr * d[j];
        rr = next;
    }
    intercept_ = average - inner(mean, weight_);
}

double TextPrior::score(const std::string& question) const {
    return intercept_ + product(wordFeatures(question), weight_);
}

SetPrior::SetPrior(std::span<const std::string> datasets, std::span<const double> correct) {
    if (datasets.empty() || datasets.size() != correct.size())
        throw Error("set-prior: " + std::to_string(datasets.size()) + " questions and " +
                    std::to_string(correct.size()) + " labels");
    std::map<std::string, std::pair<double, double>> sums;
    for (std::size_t i = 0; i < datasets.size(); ++i) {
        auto& [right, count] = sums[datasets[i]];
        right += correct[i];
        ++count;
        overall_ += correct[i] / static_cast<double>(datasets.size());
    }
    for (const auto& [name, sum] : sums) accuracy_.emplace_back(name, sum.first / sum.second);
}

double SetPrior::score(const std::string& dataset) const {
    const auto found = std::ranges::find(accuracy_, dataset, &std::pair<std::string, double>::first);
    return found == accuracy_.end() ? overall_ : found->second;
}

}  // namespace candor
