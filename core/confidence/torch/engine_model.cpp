// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/confidence/torch/engine_model.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/llm/files.h"
#include "core/llm/hash.h"
#include "core/llm/model_folder.h"

namespace candor {

namespace {

ReadPosition parseReadPosition(const std::string& word) {
    if (word == "last") return ReadPosition::Last;
    if (word == "eos") return ReadPosition::Eos;
    if (word == "padded") return ReadPosition::Padded;
    throw InputError("bad_option", "read position \"" + word + "\": expected last, eos or padded");
}

at::ScalarType parseDtype(const std::string& word, const MachineReport& machine) {
    if (word == "fp32") return at::kFloat;
    if (word == "bf16") return at::kBFloat16;
    if (word == "auto") return machine.bf16Faster ? at::kBFloat16 : at::kFloat;
    throw InputError("bad_option", "dtype \"" + word + "\": expected fp32, bf16 or auto");
}

// "eos_token" or "pad_token" of tokenizer_config.json: a string, or an object with "content"; empty if there is none.
std::string specialToken(const std::filesystem::path& folder, const char* key) {
    const auto file = folder / "tokenizer_config.json";
    if (!std::filesystem::exists(file)) return {};
    const auto config = readJson(file, std::size_t{64} << 20, "bad_tokenizer");
    const auto found = config.find(key);
    if (found == config.end()) return {};
    if (found->is_string()) return found->get<std::string>();
    return found->is_object() ? found->value("content", "") : "";
}

std::string eosText(const std::filesystem::path& folder, const Tokenizer& tokenizer, const ModelConfig& config) {
    std::string text = specialToken(folder, "eos_token");
    if (text.empty() && !config.eosIds.empty()) text = tokenizer.tokenOf(config.eosIds.front());
    return text;
}

std::int32_t padToken(const std::filesystem::path& folder, const Tokenizer& tokenizer, const ModelConfig& config) {
    if (const auto id = tokenizer.idOf(specialToken(folder, "pad_token"))) return *id;
    if (config.padId) return *config.padId;
    if (const auto id = tokenizer.idOf(specialToken(folder, "eos_token"))) return *id;
    throw InputError("bad_tokenizer", "read position padded: no pad or eos token in " + folder.string() +
                                          "; add pad_token to tokenizer_config.json");
}

const char* readPositionName(ReadPosition position) {
    return position == ReadPosition::Last ? "last" : position == ReadPosition::Eos ? "eos" : "padded";
}

}  // namespace

EngineModel::EngineModel(const std::filesystem::path& folder, const EngineOptions& options)
    : folder_(resolveModelFolder(folder)),
      options_(options),
      readPosition_(parseReadPosition(options.readPosition)),
      machine_(prepareMachine(options.threads, options.device)),
      decoder_(loadWeights(folder_, parseDtype(options.dtype, machine_), torchDevice(machine_))),
      tokenizer_(folder_),
      prompt_(folder_, options.prompt) {
    decoder_.setPlain(options.plainOperations);
    if (tokenizer_.vocabSize() > decoder_.config().vocab)
        throw InputError("bad_model", "the tokenizer of " + folder_.string() + " has ids up to " +
                                          std::to_string(tokenizer_.vocabSize() - 1) + ", the embedding only " +
                                          std::to_string(decoder_.config().vocab) +
                                          " rows: they do not belong together");
    if (readPosition_ == ReadPosition::Padded) padId_ = padToken(folder_, tokenizer_, decoder_.config());
    if (readPosition_ != ReadPosition::Eos) return;
    eos_ = eosText(folder_, tokenizer_, decoder_.config());
    if (eos_.empty())
        throw InputError("bad_tokenizer", "read position eos: " + folder_.string() + " names no eos_token");
}

std::vector<TokenRow> EngineModel::encode(std::span<const std::string> questions) const {
    std::vector<TokenRow> rows;
    rows.reserve(questions.size());
    for (const auto& question : questions) {
        rows.push_back({tokenizer_.encode(prompt_.render(question) + eos_, options_.doubleBos)});
        if (rows.back().ids.empty()) throw InputError("bad_prompt", "a question and its prompt are empty");
    }
    return rows;
}

void EngineModel::pad(std::span<TokenRow> batch) const {
    std::size_t longest = 0;
    for (const auto& row : batch) longest = std::max(longest, row.ids.size());
    for (auto& row : batch) {
        row.padId = padId_;
        row.padPosition = row.ids.size() < longest ? static_cast<std::int64_t>(longest) - 1 : -1;
    }
}

void EngineModel::padInOrder(std::vector<TokenRow>& rows) const {
    if (readPosition_ != ReadPosition::Padded) return;
    const std::size_t size = options_.batch > 0 ? static_cast<std::size_t>(options_.batch) : rows.size();
    for (std::size_t begin = 0; begin < rows.size(); begin += size)
        pad(std::span(rows).subspan(begin, std::min(size, rows.size() - begin)));
}

std::int64_t EngineModel::batchTokens() const {
    if (options_.batchTokens > 0) return options_.batchTokens;
    return decoder_.weights().device.is_cuda() ? 4096 : 1024;
}

void EngineModel::forward(const std::vector<TokenRow>& rows, const std::vector<LayerLora>* lora, int layer,
                          const Batch& each, const EventSink& events, std::stop_token stop,
                          const std::string& stage) const {
    const c10::InferenceMode guard;
    std::vector<const TokenRow*> pointers;
    for (const auto& row : rows) pointers.push_back(&row);
    const auto maxRows = readPosition_ == ReadPosition::Padded ? 0 : options_.batch;
    const auto start = std::chrono::steady_clock::now();
    std::int64_t done = 0;
    for (const auto& batch : planBatches(pointers, batchTokens(), maxRows)) {
        if (stop.stop_requested()) throw Stopped();
        std::vector<const TokenRow*> members;
        for (const auto row : batch) members.push_back(pointers[row]);
        const Packed packed = pack(members);
        each(decoder_.atRead({packed, lora}, layer).cpu(), batch);
        done += static_cast<std::int64_t>(batch.size());
        if (!events) continue;
        const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
        Event event;
        event.kind = EventKind::Progress;
        event.stage = stage;
        event.done = done;
        event.total = static_cast<std::int64_t>(rows.size());
        event.rate = static_cast<double>(done) / std::max(seconds.count(), 1e-9);
        events(event);
    }
}

std::vector<double> EngineModel::confidences(const std::vector<TokenRow>& rows, const AdapterTensors& adapter,
                                             const EventSink& events, std::stop_token stop) const {
    std::vector<double> result(rows.size());
    const auto take = [&](const at::Tensor& hidden, const std::vector<std::int64_t>& batch) {
        const at::Tensor logits =
            adapter.logits(hidden.to(decoder_.weights().device)).to(at::kCPU, at::kDouble).contiguous();
        for (std::size_t i = 0; i < batch.size(); ++i)
            result[batch[i]] = 1 / (1 + std::exp(-logits.data_ptr<double>()[i]));
    };
    forward(rows, &adapter.layers(), -1, take, events, stop, "confidence");
    return result;
}

std::string EngineModel::provenance() const {
    if (modelHash_.empty()) modelHash_ = candor::modelHash(folder_);
    const nlohmann::json facts = {
        {"model", folder_.filename().string()},
        {"model_hash", modelHash_},
        {"tokenizer_hash", tokenizer_.contentHash()},
        {"prompt", prompt_.name()},
        {"template_hash", prompt_.templateHash()},
        {"prompt_hash", prompt_.promptHash()},
        {"double_bos", options_.doubleBos},
        {"read_position", readPositionName(readPosition_)},
        {"padded_batch", readPosition_ == ReadPosition::Padded ? options_.batch : 0},
        {"dtype", decoder_.weights().dtype == at::kFloat ? "fp32" : "bf16"},
        {"device", machine_.device},
        {"threads", machine_.threads},
        {"libtorch", machine_.libtorch},
        {"blas", machine_.blas},
    };
    return facts.dump();
}

std::string EngineModel::stateKey(int layer) const {
    if (modelHash_.empty()) modelHash_ = candor::modelHash(folder_);
    const int layers = decoder_.config().layers;
    const nlohmann::json key = {modelHash_,
                                tokenizer_.contentHash(),
                                prompt_.templateHash(),
                                prompt_.promptHash(),
                                options_.doubleBos,
                                readPositionName(readPosition_),
                                readPosition_ == ReadPosition::Padded ? options_.batch : 0,
                                layer < 0 ? layers + 1 + layer : layer,
                                decoder_.weights().dtype == at::kFloat ? "fp32" : "bf16"};
    return sha256(key.dump());
}

}  // namespace candor
