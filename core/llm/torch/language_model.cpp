// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/llm/language_model.h"

#include "core/error.h"
#include "core/llm/model_folder.h"
#include "core/llm/torch/decoder.h"
#include "core/llm/torch/device.h"

namespace candor {

namespace {

std::vector<float> toVector(const at::Tensor& tensor) {
    const at::Tensor values = tensor.to(at::kCPU, at::kFloat).contiguous();
    return {values.data_ptr<float>(), values.data_ptr<float>() + values.numel()};
}

std::vector<TokenRow> toRows(std::span<const LanguageModel::Ids> rows) {
    std::vector<TokenRow> result;
    for (const auto& ids : rows) {
        if (ids.empty()) throw Error("a row without tokens");
        result.push_back({ids});
    }
    return result;
}

}  // namespace

struct LanguageModel::Impl {
    explicit Impl(DecoderWeights weights) : decoder(std::move(weights)) {}

    at::Tensor run(std::span<const Ids> rows, int layer, bool everywhere) const {
        const std::vector<TokenRow> tokens = toRows(rows);
        std::vector<const TokenRow*> pointers;
        for (const auto& row : tokens) pointers.push_back(&row);
        const Packed packed = pack(pointers);
        return everywhere ? decoder.everywhere({packed}, layer) : decoder.atRead({packed}, layer);
    }

    Decoder decoder;
};

LanguageModel::LanguageModel(const std::filesystem::path& folder, const std::string& dtype, const std::string& device,
                             int threads) {
    const MachineReport& machine = prepareMachine(threads, device);
    const bool half = dtype == "bf16" || (dtype == "auto" && machine.bf16Faster);
    impl_ = std::make_unique<Impl>(
        loadWeights(resolveModelFolder(folder), half ? at::kBFloat16 : at::kFloat, torchDevice(machine)));
}
LanguageModel::~LanguageModel() = default;
LanguageModel::LanguageModel(LanguageModel&&) noexcept = default;
LanguageModel& LanguageModel::operator=(LanguageModel&&) noexcept = default;

const ModelConfig& LanguageModel::config() const { return impl_->decoder.config(); }

std::vector<float> LanguageModel::lastHidden(std::span<const Ids> rows, int layer) const {
    const c10::InferenceMode guard;
    return toVector(impl_->run(rows, layer, false));
}

std::vector<float> LanguageModel::allHidden(const Ids& row, int layer) const {
    const c10::InferenceMode guard;
    return toVector(impl_->run(std::span(&row, 1), layer, true));
}

std::vector<float> LanguageModel::logits(std::span<const Ids> rows) const {
    const c10::InferenceMode guard;
    return toVector(impl_->decoder.logits(impl_->run(rows, -1, false)));
}

void LanguageModel::setPlain(bool plain) { impl_->decoder.setPlain(plain); }

}  // namespace candor
