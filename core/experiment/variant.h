// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "core/experiment/plan.h"
#include "core/experiment/states.h"
#include "core/experiment/training.h"

namespace candor {

// What a run ended with.
struct RunResult {
    std::vector<double> confidences;  // of data.eval; NaN: none
    std::string outcome;              // JSON object: epochs kept, calibrator, ...
};

// Executes runs of one combination of axes. The language model or the cached states are opened when first needed, for
// the questions that the pending runs use. Not thread safe.
class Variant {
  public:
    Variant(const ExperimentSpec& spec, const ExperimentData& data, std::vector<const Planned*> pending,
            std::filesystem::path folder, const BackboneSource& source, EventSink events, std::stop_token stop);

    // Throws InputError, Error, Stopped.
    RunResult execute(const Planned& planned, const TrainingSink& sink);
    // JSON object: what identified the numbers of the model or states in use; "{}" if none were needed.
    std::string provenance();
    // Saves a finished trained run's adapter or head below `folder`, replacing what is there.
    void saveAdapter(const std::filesystem::path& folder, const std::string& sidecarJson);
    // A run is stored: its stage-2 checkpoints go unless another pending run builds on them.
    void finished(const Planned& planned);

  private:
    RowMap neededRows() const;
    std::vector<std::string> neededQuestions(const RowMap& rows) const;
    const LoadedStates& states();
    TwoStages& stages();

    const ExperimentSpec& spec_;
    const ExperimentData& data_;
    std::vector<const Planned*> pending_;
    std::filesystem::path folder_;
    LazyBackbone backbone_;
    EventSink events_;
    std::stop_token stop_;
    RowMap rows_;
    std::vector<std::string> questions_;
    std::optional<LoadedStates> states_;
    std::unique_ptr<TwoStages> stages_;
};

// Throws InputError ("missing_labels") where a planned run would need a label that its questions lack.
void requireLabels(const ExperimentSpec& spec, const ExperimentData& data, const Planned& planned);

}  // namespace candor
