// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/experiment/baselines.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <memory>

#include "core/error.h"
#include "core/experiment/logistic.h"
#include "core/experiment/priors.h"
#include "core/train/random.h"
#include "core/train/split.h"

namespace candor {
namespace {

constexpr double kProbeC = 0.01;    // the reference's
constexpr double kFeaturesC = 1.0;  // a handful of features, scikit-learn's default
constexpr int kFolds = 5;

// A fitted method: what it says about pool row i, or evaluation row i.
struct Fitted {
    std::function<double(std::size_t)> pool, eval;
};

double verdict(const Item& item) { return *item.greedyCorrect ? 1.0 : 0.0; }

Fitted fitTextPrior(const BaselineInput& in, const std::vector<std::int64_t>& rows) {
    std::vector<std::string> questions;
    std::vector<double> targets;
    for (const std::int64_t row : rows) {
        const Item& item = in.data.pool[static_cast<std::size_t>(row)];
        questions.push_back(item.question);
        targets.push_back(labelOf(item, in.spec.target).value());
    }
    const auto prior = std::make_shared<TextPrior>(questions, targets);
    return {[&in, prior](std::size_t i) { return prior->score(in.data.pool[i].question); },
            [&in, prior](std::size_t i) { return prior->score(in.data.eval[i].question); }};
}

Fitted fitSetPrior(const BaselineInput& in, const std::vector<std::int64_t>& rows) {
    std::vector<std::string> datasets;
    std::vector<double> correct;
    for (const std::int64_t row : rows) {
        const Item& item = in.data.pool[static_cast<std::size_t>(row)];
        datasets.push_back(item.key.dataset);
        correct.push_back(verdict(item));
    }
    const auto prior = std::make_shared<SetPrior>(datasets, correct);
    return {[&in, prior](std::size_t i) { return prior->score(in.data.pool[i].key.dataset); },
            [&in, prior](std::size_t i) { return prior->score(in.data.eval[i].key.dataset); }};
}

Fitted fitLogisticOn(const BaselineInput& in, const std::vector<std::int64_t>& rows,
                     std::shared_ptr<const StateMatrix> features, std::vector<std::int64_t> poolRow,
                     std::vector<std::int64_t> evalRow, double c) {
    std::vector<std::int64_t> places;
    std::vector<double> correct;
    for (const std::int64_t row : rows) {
        places.push_back(poolRow[static_cast<std::size_t>(row)]);
        correct.push_back(verdict(in.data.pool[static_cast<std::size_t>(row)]));
    }
    const auto model = std::make_shared<LogisticModel>(fitLogisticL2(*features, places, correct, c));
    return {[=](std::size_t i) { return model->probability(features->row(poolRow[i])); },
            [=](std::size_t i) { return model->probability(features->row(evalRow[i])); }};
}

// Training-free scores that every question of the budget and every evaluation question has.
std::vector<std::string> commonScores(const BaselineInput& in) {
    std::vector<std::string> common;
    for (const std::string& name : baseMethods()) {
        const auto has = [&name](const Item& item) { return scoreOf(item, name).has_value(); };
        const auto poolHas = [&](std::int64_t row) { return has(in.data.pool[static_cast<std::size_t>(row)]); };
        if (std::ranges::all_of(in.rows, poolHas) && std::ranges::all_of(in.data.eval, has)) common.push_back(name);
    }
    if (common.empty())
        throw InputError("missing_labels",
                         "features: no training-free score (consis-sem, n-prob, ...) stands at every "
                         "question; `candor-cli sample` and `candor-cli judge` make them");
    return common;
}

Fitted fitFeatures(const BaselineInput& in, const std::vector<std::int64_t>& rows) {
    const std::vector<std::string> names = commonScores(in);
    auto features = std::make_shared<StateMatrix>();
    features->width = names.size();
    std::vector<std::int64_t> poolRow(in.data.pool.size(), -1), evalRow;
    const auto add = [&](const Item& item) {
        for (const std::string& name : names) features->values.push_back(static_cast<float>(*scoreOf(item, name)));
        return static_cast<std::int64_t>(features->rows++);
    };
    for (const std::int64_t row : in.rows)
        poolRow[static_cast<std::size_t>(row)] = add(in.data.pool[static_cast<std::size_t>(row)]);
    for (const Item& item : in.data.eval) evalRow.push_back(add(item));
    return fitLogisticOn(in, rows, features, poolRow, evalRow, kFeaturesC);
}

Fitted fit(const BaselineInput& in, const std::vector<std::int64_t>& rows) {
    if (in.method.base == "text-prior") return fitTextPrior(in, rows);
    if (in.method.base == "set-prior") return fitSetPrior(in, rows);
    if (in.method.base == "features") return fitFeatures(in, rows);
    const std::shared_ptr<const StateMatrix> borrowed(in.states, [](const StateMatrix*) {});
    return fitLogisticOn(in, rows, borrowed, *in.poolState, *in.evalState, kProbeC);
}

// Questions without a score (an answer of no tokens has no probability) stay NaN.
BaselineResult fromScores(const BaselineInput& in) {
    const auto score = [&in](const Item& item) {
        return scoreOf(item, in.method.base).value_or(std::numeric_limits<double>::quiet_NaN());
    };
    BaselineResult result;
    for (const Item& item : in.data.eval) result.eval.push_back(score(item));
    if (!in.wantBudget) return result;
    for (const std::int64_t row : in.rows) result.budget.push_back(score(in.data.pool[static_cast<std::size_t>(row)]));
    return result;
}

}  // namespace

BaselineResult runBaseline(const BaselineInput& in) {
    if (in.method.kind == MethodKind::Score) return fromScores(in);
    BaselineResult result;
    const Fitted fitted = fit(in, in.rows);
    for (std::size_t i = 0; i < in.data.eval.size(); ++i) result.eval.push_back(fitted.eval(i));
    if (!in.wantBudget) return result;
    std::vector<std::string> keys;
    for (const std::int64_t row : in.rows)
        keys.push_back(splitKey(in.data.pool[static_cast<std::size_t>(row)].question));
    result.budget.resize(in.rows.size());
    for (const Split& split : kFold(keys, kFolds, mixSeed(static_cast<std::uint64_t>(in.seed), "split"))) {
        std::vector<std::int64_t> training;
        for (const std::int64_t place : split.train) training.push_back(in.rows[static_cast<std::size_t>(place)]);
        const Fitted fold = fit(in, training);
        for (const std::int64_t place : split.heldOut)
            result.budget[static_cast<std::size_t>(place)] =
                fold.pool(static_cast<std::size_t>(in.rows[static_cast<std::size_t>(place)]));
    }
    return result;
}

}  // namespace candor
