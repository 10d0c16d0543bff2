// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/engine.h"

#include <set>

#include "core/confidence/backbone.h"
#include "core/error.h"
#include "core/llm/machine.h"
#include "core/llm/model_folder.h"
#include "db/connection.h"
#include "db/experiment_store.h"
#include "db/model_store.h"
#include "db/queries.h"

namespace candor::app {
namespace {

// The name under which the project knows the model of a folder.
std::string nameOfFolder(const db::Project& project, const std::filesystem::path& folder) {
    const auto connection = project.reader();
    if (const auto known = db::modelAt(*connection, folder.string())) return known->name;
    const std::string name = folder.filename().string();
    if (db::modelNamed(*connection, name)) return name;
    std::set<std::string> answering;
    for (const db::AnswerSetRow& set : db::answerSets(*connection)) answering.insert(set.model);
    if (answering.size() == 1) return *answering.begin();
    std::string names;
    for (const std::string& model : answering) names += (names.empty() ? "" : ", ") + model;
    throw InputError("no_model", "the project has no answers of a model called '" + name + "' (it has: " +
                                     (names.empty() ? "none" : names) + "): name the folder so, or import its answers");
}

std::filesystem::path folderOf(const db::Project& project, const std::string& model) {
    const auto known = db::modelNamed(*project.reader(), model);
    if (!known || known->path.empty())
        throw InputError("no_model", "where is the model '" + model + "'? Give its folder with --model DIR");
    if (!std::filesystem::is_directory(known->path))
        throw InputError("no_model", "the model '" + model + "' was last seen in " + known->path +
                                         ", which is gone: give its folder with --model DIR");
    return known->path;
}

std::shared_ptr<Backbone> openModel(db::Project& project, const ExperimentSpec& spec, const EngineChoice& choice,
                                    const EventSink& events) {
    const auto folder = std::filesystem::canonical(
        resolveModelFolder(choice.modelFolder.empty() ? folderOf(project, spec.model) : choice.modelFolder));
    EngineOptions options;
    options.device = choice.device;
    options.dtype = choice.dtype.empty() ? spec.dtype : choice.dtype;
    options.threads = choice.threads;
    options.readPosition = spec.readPosition;
    if (events) {
        Event event;
        event.text = "opening the model in " + folder.string();
        events(event);
    }
    auto backbone = openBackbone(folder, options);
    const std::string hash = modelHash(folder);
    project.write(
        [&](db::Connection& connection) { db::noteModelFolder(connection, spec.model, folder.string(), hash); });
    return backbone;
}

}  // namespace

ExperimentSpec withModelName(const db::Project& project, const ExperimentSpec& spec) {
    ExperimentSpec named = spec;
    if (std::filesystem::is_directory(spec.model))
        named.model = nameOfFolder(project, std::filesystem::canonical(spec.model));
    return named;
}

ExperimentResult runInProject(db::Project& project, const ExperimentSpec& spec, const EngineChoice& choice,
                              const EventSink& events, std::stop_token stop) {
    const ExperimentSpec resolved = withModelName(project, spec);
    EngineChoice used = choice;
    if (used.modelFolder.empty() && std::filesystem::is_directory(spec.model))
        used.modelFolder = std::filesystem::canonical(spec.model);
    const auto store = db::makeExperimentStore(project);
    const auto source = [&](const ExperimentSpec& one) { return openModel(project, one, used, events); };
    return runExperiment(resolved, *store, source, events, stop);
}

std::string machineText() {
    const MachineReport& machine = prepareMachine();
    std::string text = machine.device + ", " + std::to_string(machine.threads) + " threads, " + machine.blas;
    for (const std::string& advice : machine.advice) text += ". " + advice;
    return text;
}

}  // namespace candor::app
