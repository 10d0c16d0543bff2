// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/elicit/generator.h"

#include <algorithm>

#include "core/confidence/torch/engine_model.h"
#include "core/elicit/torch/generation.h"
#include "core/error.h"

namespace candor {

namespace {

void check(const GenerationOptions& o) {
    const auto refuse = [](const std::string& what) { throw InputError("bad_option", what); };
    if (o.samples < 0 || (o.samples == 0 && !o.greedy)) refuse("samples: expected at least one answer a question");
    if (o.maxNewTokens < 1) refuse("maximum of new tokens: expected at least 1, got " + std::to_string(o.maxNewTokens));
    const Decoding& d = o.decoding;
    if (!(d.temperature >= 0)) refuse("temperature: expected 0 or more, got " + std::to_string(d.temperature));
    if (!(d.topP > 0 && d.topP <= 1))
        refuse("top-p: expected more than 0 and at most 1, got " + std::to_string(d.topP));
    if (d.topK < 0) refuse("top-k: expected 0 (all) or more, got " + std::to_string(d.topK));
    if (!(d.repetitionPenalty > 0))
        refuse("repetition penalty: expected more than 0, got " + std::to_string(d.repetitionPenalty));
    for (const auto& text : o.stopStrings)
        if (text.empty()) refuse("a stop string is empty");
}

std::size_t commonStart(const std::vector<std::int32_t>& a, const std::vector<std::int32_t>& b) {
    return static_cast<std::size_t>(std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first - a.begin());
}

EngineOptions atLastToken(EngineOptions options) {
    options.readPosition = "last";
    return options;
}

}  // namespace

const char* stopReasonName(StopReason reason) {
    switch (reason) {
        case StopReason::StopToken:
            return "eos";
        case StopReason::StopString:
            return "stop";
        case StopReason::Length:
            return "length";
        case StopReason::Context:
            return "context";
    }
    return "";
}

double GeneratedAnswer::logProbability(bool withStopToken) const {
    const bool skip = !withStopToken && stopped == StopReason::StopToken && !tokens.empty();
    double sum = 0;
    for (std::size_t i = 0; i + (skip ? 1 : 0) < tokens.size(); ++i) sum += tokens[i].logProbability;
    return sum;
}

struct Generator::Impl {
    Impl(const std::filesystem::path& folder, const EngineOptions& options)
        : model(folder, atLastToken(options)), cache(model.decoder()) {
        // Two questions without a common beginning show what the template puts before every question.
        const std::vector<std::string> apart = {"a", "Z1"};
        const auto rows = model.encode(apart);
        start.assign(rows[0].ids.begin(),
                     rows[0].ids.begin() + static_cast<std::ptrdiff_t>(commonStart(rows[0].ids, rows[1].ids)));
    }

    EngineModel model;
    CachedDecoder cache;
    std::vector<std::int32_t> start;  // tokens that all prompts begin with
    bool startCached = false;         // in the first rows of the cache
};

Generator::Generator(const std::filesystem::path& modelFolder, const EngineOptions& options)
    : impl_(std::make_unique<Impl>(modelFolder, options)) {}
Generator::~Generator() = default;
Generator::Generator(Generator&&) noexcept = default;
Generator& Generator::operator=(Generator&&) noexcept = default;

void Generator::generate(std::span<const GenerationRequest> requests, const GenerationOptions& options,
                         const Done& done, const EventSink& events, std::stop_token stop) {
    check(options);
    if (requests.empty()) return;
    const c10::InferenceMode guard;
    Impl& impl = *impl_;
    const auto before = impl.cache.capacity();
    Generation work(impl.model, impl.cache, impl.start, requests, options);
    if (impl.cache.capacity() != before) impl.startCached = false;
    if (!impl.startCached && !impl.start.empty()) work.computeStart();
    impl.startCached = true;
    work.run(done, events, stop);
}

std::string Generator::provenance() const { return impl_->model.provenance(); }
std::string Generator::promptHash() const { return impl_->model.prompt().promptHash(); }

}  // namespace candor
