// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/confidence/torch/adapter_tensors.h"
#include "core/confidence/torch/engine_model.h"
#include "core/train/objective.h"

namespace candor {

// A LoRA adapter and head over a list of questions. Rows of one accumulate() share the computation of their common
// beginnings; in read position "padded" they are one right-padded batch, as the paper trains.
class LoraObjective : public Objective {
  public:
    LoraObjective(std::shared_ptr<const EngineModel> model, const Adapter& adapter,
                  std::span<const std::string> questions, std::uint64_t seed);

    std::size_t rows() const override { return rows_.size(); }
    const std::vector<ParameterBlock>& blocks() const override { return tensors_.blocks(); }
    std::span<float> parameters() override { return tensors_.parameters(); }
    void parametersChanged() override { tensors_.refresh(); }
    double accumulate(std::span<const std::int64_t> rows, std::span<const float> targets, double scale,
                      std::span<float> gradient) override;
    std::vector<double> confidences(std::span<const std::int64_t> rows) override;

    Adapter adapter() const { return tensors_.adapter(); }

  private:
    std::vector<TokenRow> select(std::span<const std::int64_t> rows) const;
    std::uint64_t dropoutSeed(std::span<const std::int64_t> rows);

    std::shared_ptr<const EngineModel> model_;
    AdapterTensors tensors_;
    std::vector<TokenRow> rows_;
    std::uint64_t seed_;
};

}  // namespace candor
