// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/project_data.h"

#include <QCoreApplication>
#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "ui/models/format.h"

namespace candor::ui {

namespace {

QString tr(const char* text) { return QCoreApplication::translate("candor::ui::ProjectData", text); }

MetricValue fromRecord(const MetricRecord& record) {
    MetricValue value{record.value, record.lo, record.hi, record.n, 1, toQt(record.undefinedReason)};
    if (value.defined() && std::isnan(record.value)) value.undefinedReason = tr("Not a number");
    return value;
}

MetricValue undefinedValue(const QString& reason) {
    MetricValue value;
    value.undefinedReason = reason;
    return value;
}

}  // namespace

const db::RunRow* ProjectData::run(std::int64_t id) const {
    const auto it = std::find_if(runs.begin(), runs.end(), [&](const db::RunRow& r) { return r.id == id; });
    return it == runs.end() ? nullptr : &*it;
}

const db::ExperimentRow* ProjectData::experiment(std::int64_t id) const {
    const auto it = std::find_if(experiments.begin(), experiments.end(), [&](const auto& e) { return e.id == id; });
    return it == experiments.end() ? nullptr : &*it;
}

Domain ProjectData::domainOf(const std::string& set) const {
    for (const db::DatasetRow& row : datasets)
        if (row.dataset + "/" + row.split == set) return row.domain;
    return Domain::None;
}

std::string ProjectData::modelOf(std::int64_t id) const {
    const db::RunRow* row = run(id);
    const db::ExperimentRow* owner = row ? experiment(row->experiment) : nullptr;
    if (!owner) return {};
    try {
        return parseSpec(owner->spec).model;
    } catch (const Error&) {
        return {};  // imported confidences have no spec
    }
}

ProjectData readProject(db::Connection& c) {
    return {db::datasets(c), db::answerSets(c), db::models(c), db::experiments(c), db::runs(c), db::labelSets(c)};
}

QString setText(const SetChoice& choice) {
    const QString average = choice.weighted ? tr("weighted") : tr("macro");
    switch (choice.kind) {
        case SetChoice::Kind::All:
            return tr("all sets, %1").arg(average);
        case SetChoice::Kind::In:
            return tr("in-domain, %1").arg(average);
        case SetChoice::Kind::Out:
            return tr("out-of-domain, %1").arg(average);
        case SetChoice::Kind::One:
            return displayText(choice.set);
    }
    return {};
}

bool covers(const SetChoice& choice, const std::string& set, Domain domain) {
    switch (choice.kind) {
        case SetChoice::Kind::All:
            return true;
        case SetChoice::Kind::In:
            return domain == Domain::In;
        case SetChoice::Kind::Out:
            return domain == Domain::Out;
        case SetChoice::Kind::One:
            return set == choice.set;
    }
    return false;
}

MetricValue metricOf(const ProjectData& data, const db::RunRow& run, const SetChoice& choice, const char* name) {
    const std::string group = choice.kind == SetChoice::Kind::In    ? "in-domain"
                              : choice.kind == SetChoice::Kind::Out ? "out-of-domain"
                                                                    : choice.set;
    const std::string average = choice.kind == SetChoice::Kind::One ? "" : choice.weighted ? "weighted" : "macro";
    double sum = 0, weights = 0;
    std::int64_t n = 0;
    int sets = 0;
    QString reason;
    for (const MetricRecord& record : run.metrics) {
        if (record.name != name) continue;
        if (choice.kind != SetChoice::Kind::All && record.set == group && record.average == average)
            return fromRecord(record);
        if (!record.average.empty() || record.set == "in-domain" || record.set == "out-of-domain") continue;
        if (!covers(choice, record.set, data.domainOf(record.set))) continue;
        const MetricValue one = fromRecord(record);
        if (!one.defined()) {
            reason = tr("%1: %2").arg(toQt(record.set), one.undefinedReason);
            continue;
        }
        const double weight = choice.weighted ? static_cast<double>(record.n) : 1;
        sum += weight * one.value;
        weights += weight;
        n += record.n;
        ++sets;
    }
    if (weights > 0) return {sum / weights, {}, {}, n, sets, {}};
    if (!reason.isEmpty()) return undefinedValue(reason);
    if (run.status != RunStatus::Finished) return undefinedValue(tr("The run is %1").arg(statusText(run.status)));
    return undefinedValue(tr("The run has no rows there"));
}

std::vector<std::string> setsOf(const ProjectData& data, const db::RunRow& run) {
    std::vector<std::string> sets;
    for (const MetricRecord& record : run.metrics) {
        if (!record.average.empty() || record.set == "in-domain" || record.set == "out-of-domain") continue;
        if (std::find(sets.begin(), sets.end(), record.set) == sets.end()) sets.push_back(record.set);
    }
    const auto rank = [&](const std::string& set) {
        const Domain domain = data.domainOf(set);
        return domain == Domain::In ? 0 : domain == Domain::Out ? 1 : 2;
    };
    std::stable_sort(sets.begin(), sets.end(), [&](const auto& a, const auto& b) { return rank(a) < rank(b); });
    return sets;
}

}  // namespace candor::ui
