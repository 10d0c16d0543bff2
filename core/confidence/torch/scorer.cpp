// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/confidence/scorer.h"

#include "core/confidence/torch/engine_model.h"

namespace candor {

struct Scorer::Impl {
    Impl(const std::filesystem::path& modelFolder, const std::filesystem::path& adapterFolder,
         const EngineOptions& options)
        : model(modelFolder, options),
          adapter(readAdapter(adapterFolder, model.decoder().config(), true)),
          tensors(adapter, model.decoder().config(), model.decoder().weights().device, false) {}

    EngineModel model;
    Adapter adapter;
    AdapterTensors tensors;
};

Scorer::Scorer(const std::filesystem::path& modelFolder, const std::filesystem::path& adapterFolder,
               const EngineOptions& options)
    : impl_(std::make_unique<Impl>(modelFolder, adapterFolder, options)) {}
Scorer::~Scorer() = default;
Scorer::Scorer(Scorer&&) noexcept = default;
Scorer& Scorer::operator=(Scorer&&) noexcept = default;

std::vector<double> Scorer::confidences(std::span<const std::string> questions, const EventSink& events,
                                        std::stop_token stop) {
    std::vector<TokenRow> rows = impl_->model.encode(questions);
    impl_->model.padInOrder(rows);
    return impl_->model.confidences(rows, impl_->tensors, events, stop);
}

const std::vector<std::string>& Scorer::warnings() const { return impl_->adapter.warnings; }

std::string Scorer::provenance() const { return impl_->model.provenance(); }

}  // namespace candor
