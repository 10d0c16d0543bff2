// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <utility>

#include "core/experiment/runner.h"
#include "core/train/linear_head.h"

namespace candor {

// Opens the language model of a spec when first asked for, once.
class LazyBackbone {
  public:
    LazyBackbone(const ExperimentSpec& spec, BackboneSource source) : spec_(spec), source_(std::move(source)) {}
    Backbone& get();  // throws Error
    bool opened() const { return backbone_ != nullptr; }

  private:
    const ExperimentSpec& spec_;
    BackboneSource source_;
    std::shared_ptr<Backbone> backbone_;
};

struct LoadedStates {
    std::shared_ptr<const StateMatrix> matrix;  // one row a question asked for
    std::string key, provenance;                // of the file they came from
};

// Hidden states of `questions` for the spec's model, read position and layer. Taken from the project's cache where
// exactly one file serves; else the language model is opened, and what it computes is added to the cache in pieces, so
// that a stop loses little. A damaged file is reported, set aside and computed again. Throws Error, Stopped.
LoadedStates loadStates(const ExperimentSpec& spec, const std::filesystem::path& projectFolder,
                        std::span<const std::string> questions, LazyBackbone& backbone, const EventSink& events,
                        std::stop_token stop);

}  // namespace candor
