// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QMetaType>
#include <QString>
#include <QStringList>
#include <map>
#include <memory>
#include <vector>

#include "db/queries.h"

namespace candor::ui {

// What the pages show of a project, read in one go on a reader's thread. Immutable once shared.
struct ProjectData {
    std::vector<db::DatasetRow> datasets;
    std::vector<db::AnswerSetRow> answerSets;
    std::vector<db::ModelRow> models;
    std::vector<db::ExperimentRow> experiments;
    std::vector<db::RunRow> runs;
    std::vector<std::string> labelSets;

    const db::RunRow* run(std::int64_t id) const;
    const db::ExperimentRow* experiment(std::int64_t id) const;
    Domain domainOf(const std::string& set) const;  // of "dataset/split"
    std::string modelOf(std::int64_t run) const;    // the model its experiment names; empty: unknown
};
ProjectData readProject(db::Connection& connection);

// Whether a run's method spends annotations at all; else it has no budget.
inline bool usesLabels(const db::RunRow& run) { return run.labels > 0 || run.budget > 0; }

// Which evaluation rows a number is about.
struct SetChoice {
    enum class Kind { All, In, Out, One };
    Kind kind = Kind::In;
    std::string set;       // One: "dataset/split"
    bool weighted = true;  // of several sets: by questions, else macro
    auto operator<=>(const SetChoice&) const = default;
};
QString setText(const SetChoice& choice);  // "in-domain, weighted"
bool covers(const SetChoice& choice, const std::string& set, Domain domain);

// A metric of a run on the chosen sets: stored as such, else averaged over the stored sets where defined.
struct MetricValue {
    double value = 0;
    std::optional<double> lo, hi;
    std::int64_t n = 0;
    int sets = 1;             // averaged over
    QString undefinedReason;  // not empty: undefined
    bool defined() const { return undefinedReason.isEmpty(); }
};
MetricValue metricOf(const ProjectData& data, const db::RunRow& run, const SetChoice& choice, const char* name);
// The sets that a run has numbers on, in-domain first.
std::vector<std::string> setsOf(const ProjectData& data, const db::RunRow& run);

}  // namespace candor::ui

Q_DECLARE_METATYPE(candor::ui::SetChoice)
