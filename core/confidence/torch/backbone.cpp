// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/confidence/backbone.h"

#include <nlohmann/json.hpp>

#include "core/confidence/torch/lora_objective.h"
#include "core/error.h"

namespace candor {

namespace {

class Engine : public TorchBackbone {
  public:
    Engine(const std::filesystem::path& folder, const EngineOptions& options)
        : model_(std::make_shared<const EngineModel>(folder, options)) {}

    std::string provenance() const override { return model_->provenance(); }
    std::string stateKey(int layer) const override { return model_->stateKey(layer); }
    int width() const override { return model_->decoder().config().hiddenSize; }

    std::vector<float> hiddenStates(std::span<const std::string> questions, const EventSink& events,
                                    std::stop_token stop, int layer) override {
        std::vector<TokenRow> rows = model_->encode(questions);
        model_->padInOrder(rows);
        std::vector<float> states(questions.size() * static_cast<std::size_t>(width()));
        const auto take = [&](const at::Tensor& hidden, const std::vector<std::int64_t>& batch) {
            const at::Tensor values = hidden.contiguous();
            for (std::size_t i = 0; i < batch.size(); ++i)
                std::copy_n(values.data_ptr<float>() + i * width(), width(), states.begin() + batch[i] * width());
        };
        model_->forward(rows, nullptr, layer, take, events, stop, "states");
        return states;
    }

    std::unique_ptr<Objective> lora(const AdapterOptions& options, std::span<const std::string> questions,
                                    std::uint64_t seed) override {
        const Adapter adapter = freshAdapter(model_->decoder().config(), options, seed);
        return std::make_unique<LoraObjective>(model_, adapter, questions, seed);
    }

    std::unique_ptr<Objective> loadLora(const std::filesystem::path& folder, std::span<const std::string> questions,
                                        std::uint64_t seed) override {
        const Adapter adapter = readAdapter(folder, model_->decoder().config(), false);
        return std::make_unique<LoraObjective>(model_, adapter, questions, seed);
    }

    void saveAdapter(Objective& objective, const AdapterOptions&, const std::filesystem::path& folder,
                     const std::string& sidecarJson) override {
        const auto* trained = dynamic_cast<LoraObjective*>(&objective);
        if (!trained) throw Error("saveAdapter: expected an objective that lora() or loadLora() made");
        Adapter adapter = trained->adapter();
        if (adapter.config.baseModel.empty()) adapter.config.baseModel = model_->folder().filename().string();
        auto sidecar = sidecarJson.empty() ? nlohmann::json::object() : nlohmann::json::parse(sidecarJson);
        if (!sidecar.contains("provenance")) sidecar["provenance"] = nlohmann::json::parse(provenance());
        writeAdapter(folder, adapter, model_->decoder().config(), sidecar.dump());
    }

  private:
    std::shared_ptr<const EngineModel> model_;
};

}  // namespace

std::shared_ptr<TorchBackbone> openBackbone(const std::filesystem::path& modelFolder, const EngineOptions& options) {
    return std::make_shared<Engine>(modelFolder, options);
}

}  // namespace candor
