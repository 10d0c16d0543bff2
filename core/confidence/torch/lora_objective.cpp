// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/confidence/torch/lora_objective.h"

#include <torch/csrc/autograd/autograd.h>

#include "core/error.h"

namespace candor {

LoraObjective::LoraObjective(std::shared_ptr<const EngineModel> model, const Adapter& adapter,
                             std::span<const std::string> questions, std::uint64_t seed)
    : model_(std::move(model)),
      tensors_(adapter, model_->decoder().config(), model_->decoder().weights().device, true),
      rows_(model_->encode(questions)),
      seed_(seed) {}

std::vector<TokenRow> LoraObjective::select(std::span<const std::int64_t> rows) const {
    std::vector<TokenRow> chosen;
    chosen.reserve(rows.size());
    for (const auto row : rows) {
        if (row < 0 || row >= static_cast<std::int64_t>(rows_.size()))
            throw Error("row " + std::to_string(row) + " of an objective over " + std::to_string(rows_.size()) +
                        " questions");
        chosen.push_back(rows_[row]);
    }
    return chosen;
}

// A function of the seed, the rows and the head's values (which every step changes): a resumed run draws what an
// uninterrupted one would have drawn.
std::uint64_t LoraObjective::dropoutSeed(std::span<const std::int64_t> rows) {
    std::uint64_t hash = 0xcbf29ce484222325ULL ^ seed_;
    const auto mix = [&](std::uint64_t value) { hash = (hash ^ value) * 0x100000001b3ULL; };
    for (const auto row : rows) mix(static_cast<std::uint64_t>(row));
    const std::size_t head = blocks()[blocks().size() - 2].offset;
    for (const float value : parameters().subspan(head)) mix(std::bit_cast<std::uint32_t>(value));
    return hash >> 1;
}

double LoraObjective::accumulate(std::span<const std::int64_t> rows, std::span<const float> targets, double scale,
                                 std::span<float> gradient) {
    if (rows.size() != targets.size() || gradient.size() != parameters().size())
        throw Error("accumulate: " + std::to_string(rows.size()) + " rows, " + std::to_string(targets.size()) +
                    " targets, " + std::to_string(gradient.size()) + " gradient values of " +
                    std::to_string(parameters().size()));
    std::vector<TokenRow> chosen = select(rows);
    if (model_->readPosition() == ReadPosition::Padded) model_->pad(chosen);
    std::vector<const TokenRow*> pointers;
    for (const auto& row : chosen) pointers.push_back(&row);
    double loss = 0;
    for (const auto& batch : planBatches(pointers, 4 * model_->batchTokens())) {
        std::vector<const TokenRow*> members;
        at::Tensor wanted = at::empty({static_cast<std::int64_t>(batch.size())}, at::kDouble);
        for (std::size_t i = 0; i < batch.size(); ++i) {
            members.push_back(pointers[batch[i]]);
            wanted.data_ptr<double>()[i] = targets[batch[i]];
        }
        const Packed packed = pack(members);
        DecoderInput input{packed, &tensors_.layers(), tensors_.dropout(), 0};
        if (input.dropout > 0) input.dropoutSeed = dropoutSeed(rows);
        const at::Tensor logits = tensors_.logits(model_->decoder().atRead(input));
        const at::Tensor confidence = logits.detach().to(at::kCPU, at::kDouble).sigmoid();
        const at::Tensor error = confidence - wanted;
        loss += error.square().sum().item<double>();
        const at::Tensor slope = (2 * scale * error * confidence * (1 - confidence)).to(logits.device(), at::kFloat);
        const auto gradients = torch::autograd::grad({logits}, tensors_.leaves(), {slope}, c10::nullopt, false, true);
        for (std::size_t i = 0; i < gradients.size(); ++i) {
            if (!gradients[i].defined()) continue;
            const auto& block = blocks()[i];
            at::from_blob(gradient.data() + block.offset, block.shape, at::TensorOptions(at::kFloat))
                .add_(gradients[i].cpu());
        }
    }
    return loss;
}

std::vector<double> LoraObjective::confidences(std::span<const std::int64_t> rows) {
    std::vector<TokenRow> chosen = select(rows);
    model_->padInOrder(chosen);
    return model_->confidences(chosen, tensors_);
}

}  // namespace candor
