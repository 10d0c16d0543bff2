// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/experiment/evaluate.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "core/metrics/delong.h"
#include "core/metrics/metrics.h"

namespace candor {
namespace {

const std::vector<std::string>& storedMetrics() {
    static const std::vector<std::string> names = {"auroc", "ece_ew10", "brier", "alignment_elical", "accuracy"};
    return names;
}

struct SetRows {
    std::vector<double> confidence, correct;
    std::size_t withoutVerdict = 0, withoutConfidence = 0;
};

SetRows rowsOf(const ExperimentData& data, const EvalSet& set, std::span<const double> confidences) {
    SetRows rows;
    for (const std::size_t i : set.rows) {
        if (!data.eval[i].greedyCorrect) {
            ++rows.withoutVerdict;
        } else if (std::isnan(confidences[i])) {
            ++rows.withoutConfidence;
        } else {
            rows.confidence.push_back(confidences[i]);
            rows.correct.push_back(*data.eval[i].greedyCorrect ? 1 : 0);
        }
    }
    return rows;
}

std::string whyEmpty(const EvalSet& set, const SetRows& rows) {
    return "none of the " + std::to_string(set.rows.size()) +
           " questions has both: " + std::to_string(rows.withoutVerdict) + " lack a verdict on the greedy answer, " +
           std::to_string(rows.withoutConfidence) + " a confidence";
}

std::string whyNoProbability(const SetRows& rows) {
    const auto outside = std::ranges::count_if(rows.confidence, [](double c) { return c < 0 || c > 1; });
    if (outside == 0) return {};
    return std::to_string(outside) + " of " + std::to_string(rows.confidence.size()) +
           " scores lie outside [0, 1]: a score that is no probability ranks only, until it is calibrated";
}

struct SetMetrics {
    std::vector<MetricRecord> records;  // in the order of storedMetrics()
    double aurocVariance = std::numeric_limits<double>::quiet_NaN();
};

SetMetrics metricsOf(const EvalSet& set, const SetRows& rows) {
    SetMetrics result;
    const Scored scored{rows.confidence, rows.correct};
    const std::string noProbability = whyNoProbability(rows);
    for (const std::string& name : storedMetrics()) {
        MetricRecord record;
        record.set = set.name;
        record.name = name;
        record.n = static_cast<std::int64_t>(rows.confidence.size());
        if (rows.confidence.empty()) {
            record.undefinedReason = whyEmpty(set, rows);
        } else if (name == "accuracy") {
            const double right = std::accumulate(rows.correct.begin(), rows.correct.end(), 0.0);
            const auto n = static_cast<double>(record.n);
            const Interval interval = wilson(right, n);
            record.value = right / n;
            record.lo = interval.lo;
            record.hi = interval.hi;
        } else if (name != "auroc" && !noProbability.empty()) {
            record.undefinedReason = noProbability;
        } else {
            const Metric m = name == "auroc" ? auroc(scored) : metric(scored, name);
            record.value = m.value;
            record.undefinedReason = m.undefinedReason;
        }
        if (name == "auroc" && record.undefinedReason.empty()) {
            const DelongInterval interval = delongInterval(scored);
            if (interval.undefinedReason.empty()) {
                record.lo = interval.lo;
                record.hi = interval.hi;
                result.aurocVariance = interval.variance;
            }
        }
        result.records.push_back(std::move(record));
    }
    return result;
}

// Sets are independent, so the variance of their mean is the sum of squared shares times variances.
void addAurocInterval(MetricRecord& record, const std::vector<double>& shares, const std::vector<double>& variances) {
    double variance = 0;
    for (std::size_t i = 0; i < shares.size(); ++i) variance += shares[i] * shares[i] * variances[i];
    if (!std::isfinite(variance)) return;
    const double half = 1.959963984540054 * std::sqrt(variance);
    record.lo = std::max(0.0, record.value - half);
    record.hi = std::min(1.0, record.value + half);
}

MetricRecord averageOf(const std::string& domain, bool weighted, std::size_t metric,
                       const std::vector<const SetMetrics*>& sets) {
    MetricRecord record;
    record.set = domain;
    record.average = weighted ? "weighted" : "macro";
    record.name = storedMetrics()[metric];
    std::vector<double> shares, values, variances;
    for (const SetMetrics* set : sets) {
        const MetricRecord& one = set->records[metric];
        if (!one.undefinedReason.empty()) continue;
        shares.push_back(weighted ? static_cast<double>(one.n) : 1.0);
        values.push_back(one.value);
        variances.push_back(set->aurocVariance);
        record.n += one.n;
    }
    if (values.empty()) {
        record.undefinedReason = "undefined in each of its " + std::to_string(sets.size()) + " sets (" +
                                 sets.front()->records[metric].undefinedReason + ")";
        return record;
    }
    const double total = std::accumulate(shares.begin(), shares.end(), 0.0);
    for (double& share : shares) share /= total;
    record.value = std::inner_product(shares.begin(), shares.end(), values.begin(), 0.0);
    if (record.name == "auroc") addAurocInterval(record, shares, variances);
    return record;
}

}  // namespace

std::vector<MetricRecord> evaluate(const ExperimentData& data, std::span<const double> confidences) {
    std::vector<MetricRecord> all;
    std::vector<SetMetrics> sets;
    for (const EvalSet& set : data.sets) {
        sets.push_back(metricsOf(set, rowsOf(data, set, confidences)));
        all.insert(all.end(), sets.back().records.begin(), sets.back().records.end());
    }
    for (const auto& [domain, name] : {std::pair(Domain::In, "in-domain"), std::pair(Domain::Out, "out-of-domain")}) {
        std::vector<const SetMetrics*> members;
        for (std::size_t s = 0; s < sets.size(); ++s)
            if (data.sets[s].domain == domain) members.push_back(&sets[s]);
        if (members.empty()) continue;
        for (const bool weighted : {true, false})
            for (std::size_t m = 0; m < storedMetrics().size(); ++m)
                all.push_back(averageOf(name, weighted, m, members));
    }
    return all;
}

}  // namespace candor
