// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/experiment/states.h"

#include <algorithm>
#include <optional>
#include <unordered_set>

#include "core/error.h"
#include "core/experiment/state_cache.h"

namespace candor {
namespace {

constexpr std::size_t kPiece = 512;  // questions computed between two writes

void say(const EventSink& events, const std::string& text) {
    if (!events) return;
    Event event;
    event.stage = "states";
    event.text = text;
    events(event);
}

// Opens a file; one that is damaged is renamed away, so that it can be looked at and is not read again.
std::optional<StateCache> openSound(const std::filesystem::path& file, const EventSink& events) {
    if (!std::filesystem::exists(file)) return std::nullopt;
    try {
        return StateCache::open(file);
    } catch (const Error& error) {
        say(events, std::string(error.what()) + "; set aside as " + file.filename().string() + ".damaged");
        std::filesystem::rename(file, file.string() + ".damaged");
        return std::nullopt;
    }
}

bool serves(const StateInfo& info, const ExperimentSpec& spec) {
    return info.model == spec.model && info.readPosition == spec.readPosition && info.layer == spec.layer;
}

// The one file that serves the spec and holds every question. Several could differ by prompt or dtype: then only the
// language model knows which is meant.
std::optional<StateCache> soleCache(const ExperimentSpec& spec, const std::filesystem::path& folder,
                                    std::span<const std::string> questions, const EventSink& events) {
    std::optional<StateCache> found;
    for (const StateInfo& info : listStates(folder)) {
        if (!serves(info, spec)) continue;
        std::optional<StateCache> cache = openSound(statesFile(folder, info.key), events);
        if (!cache) continue;
        if (found) return std::nullopt;
        found = std::move(cache);
    }
    if (found && !std::ranges::all_of(questions, [&](const std::string& q) { return found->contains(q); }))
        found.reset();
    return found;
}

StateInfo infoOf(const ExperimentSpec& spec, const Backbone& backbone) {
    StateInfo info;
    info.key = backbone.stateKey(spec.layer);
    info.model = spec.model;
    info.readPosition = spec.readPosition;
    info.provenance = backbone.provenance();
    info.layer = spec.layer;
    info.width = backbone.width();
    return info;
}

// The backbone counts within a piece; people want to see the whole.
EventSink shifted(const EventSink& events, std::size_t before, std::size_t total) {
    if (!events) return {};
    return [&events, before, total](const Event& event) {
        Event whole = event;
        if (event.kind == EventKind::Progress) {
            whole.done += static_cast<std::int64_t>(before);
            whole.total = static_cast<std::int64_t>(total);
        }
        events(whole);
    };
}

StateCache computeMissing(const ExperimentSpec& spec, const std::filesystem::path& file,
                          std::span<const std::string> questions, Backbone& backbone, const EventSink& events,
                          std::stop_token stop) {
    std::optional<StateCache> cache = openSound(file, events);
    if (!cache) {
        writeStates(file, infoOf(spec, backbone), {}, {});
        cache = StateCache::open(file);
    }
    std::vector<std::string> missing;
    std::unordered_set<std::string> seen;
    for (const std::string& question : questions)
        if (!cache->contains(question) && seen.insert(question).second) missing.push_back(question);
    for (std::size_t at = 0; at < missing.size(); at += kPiece) {
        if (stop.stop_requested()) throw Stopped("stopped while hidden states were computed");
        const auto piece = std::span<const std::string>(missing).subspan(at, std::min(kPiece, missing.size() - at));
        cache->append(piece, backbone.hiddenStates(piece, shifted(events, at, missing.size()), stop, spec.layer));
        if (!events) continue;
        Event event;
        event.kind = EventKind::Progress;
        event.stage = "states";
        event.text = "hidden states";
        event.done = static_cast<std::int64_t>(at + piece.size());
        event.total = static_cast<std::int64_t>(missing.size());
        events(event);
    }
    return std::move(*cache);
}

}  // namespace

Backbone& LazyBackbone::get() {
    if (!backbone_) {
        if (!source_)
            throw Error("the language model \"" + spec_.model +
                        "\" is needed (no cached states serve) and none is given");
        backbone_ = source_(spec_);
        if (!backbone_) throw Error("the language model \"" + spec_.model + "\" could not be opened");
    }
    return *backbone_;
}

LoadedStates loadStates(const ExperimentSpec& spec, const std::filesystem::path& projectFolder,
                        std::span<const std::string> questions, LazyBackbone& backbone, const EventSink& events,
                        std::stop_token stop) {
    std::optional<StateCache> cache;
    if (!backbone.opened()) cache = soleCache(spec, projectFolder, questions, events);
    if (!cache) {
        const std::filesystem::path file = statesFile(projectFolder, backbone.get().stateKey(spec.layer));
        cache = computeMissing(spec, file, questions, backbone.get(), events, stop);
    }
    auto matrix = std::make_shared<StateMatrix>();
    matrix->rows = questions.size();
    matrix->width = static_cast<std::size_t>(cache->info().width);
    matrix->values = cache->read(questions);
    return {matrix, cache->info().key, cache->info().provenance};
}

}  // namespace candor
