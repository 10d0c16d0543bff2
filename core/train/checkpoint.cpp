// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/train/checkpoint.h"

#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/train/files.h"

namespace candor {
namespace {

using nlohmann::json;

// File: magic, length of the JSON header, header, the float arrays it names one after the other, checksum of all
// before.
constexpr std::string_view kMagic = "CANDORT1";

// JSON has no NaN or infinity; finite doubles come back bit for bit.
json number(double value) {
    if (std::isfinite(value)) return value;
    return std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
}

double number(const json& value) {
    if (value.is_number()) return value.get<double>();
    const double infinity = std::numeric_limits<double>::infinity();
    const std::string word = value.get<std::string>();
    return word == "inf" ? infinity : word == "-inf" ? -infinity : std::numeric_limits<double>::quiet_NaN();
}

json header(const TrainState& s) {
    json history = json::array();
    for (const EpochRecord& e : s.history)
        history.push_back({e.stage, e.epoch, e.step, number(e.trainLoss), number(e.holdoutLoss), number(e.holdoutAuroc),
                           number(e.holdoutEce), e.best});
    json recent = json::array();
    for (const double loss : s.recentLosses) recent.push_back(number(loss));
    return {{"fingerprint", s.fingerprint},
            {"finished", s.finished},
            {"epoch", s.epoch},
            {"batch", s.batch},
            {"steps", s.steps},
            {"epoch_loss", number(s.epochLoss)},
            {"epoch_rows", s.epochRows},
            {"best_loss", number(s.bestLoss)},
            {"best_epoch", s.bestEpoch},
            {"since_best", s.sinceBest},
            {"recent", recent},
            {"history", history},
            {"sizes", {s.parameters.size(), s.firstMoment.size(), s.secondMoment.size(), s.best.size()}}};
}

TrainState fromHeader(const json& h) {
    TrainState s;
    s.fingerprint = h.at("fingerprint");
    s.finished = h.at("finished");
    s.epoch = h.at("epoch");
    s.batch = h.at("batch");
    s.steps = h.at("steps");
    s.epochLoss = number(h.at("epoch_loss"));
    s.epochRows = h.at("epoch_rows");
    s.bestLoss = number(h.at("best_loss"));
    s.bestEpoch = h.at("best_epoch");
    s.sinceBest = h.at("since_best");
    for (const json& loss : h.at("recent")) s.recentLosses.push_back(number(loss));
    for (const json& e : h.at("history"))
        s.history.push_back(
            {e.at(0), e.at(1), e.at(2), number(e.at(3)), number(e.at(4)), number(e.at(5)), number(e.at(6)), e.at(7)});
    return s;
}

}  // namespace

void saveState(const std::filesystem::path& file, const TrainState& state) {
    const std::string text = header(state).dump();
    const std::uint64_t length = text.size();
    std::string head(kMagic);
    head.append(reinterpret_cast<const char*>(&length), sizeof length);
    head += text;
    std::vector<std::string_view> pieces = {head};
    for (const auto* values : {&state.parameters, &state.firstMoment, &state.secondMoment, &state.best})
        pieces.push_back(bytesOf(std::span<const float>(*values)));
    std::uint64_t sum = 0;
    for (const std::string_view piece : pieces) sum = checksum64(piece, sum);
    pieces.emplace_back(reinterpret_cast<const char*>(&sum), sizeof sum);
    writeFileAtomically(file, pieces);
}

TrainState loadState(const std::filesystem::path& file) {
    const std::string bytes = readWholeFile(file);
    const auto damaged = [&file](const char* what) -> Error {
        return Error("checkpoint " + file.string() + " is damaged (" + what + "): delete it to train anew");
    };
    std::uint64_t length = 0;
    if (bytes.size() < kMagic.size() + 8 || bytes.compare(0, kMagic.size(), kMagic) != 0) throw damaged("no header");
    std::memcpy(&length, bytes.data() + kMagic.size(), 8);
    std::size_t at = kMagic.size() + 8;
    if (length > bytes.size() - at) throw damaged("cut short");
    const json h = json::parse(bytes.begin() + static_cast<std::ptrdiff_t>(at),
                               bytes.begin() + static_cast<std::ptrdiff_t>(at + length), nullptr, false);
    if (h.is_discarded()) throw damaged("header");
    at += length;
    try {
        TrainState state = fromHeader(h);
        std::uint64_t sum = checksum64(std::string_view(bytes).substr(0, at)), stored = 0;
        std::size_t i = 0;
        for (auto* values : {&state.parameters, &state.firstMoment, &state.secondMoment, &state.best}) {
            const std::size_t count = h.at("sizes").at(i++);
            if (count > (bytes.size() - at) / sizeof(float)) throw damaged("cut short");
            values->resize(count);
            if (count > 0) std::memcpy(values->data(), bytes.data() + at, count * sizeof(float));
            sum = checksum64(std::string_view(bytes).substr(at, count * sizeof(float)), sum);
            at += count * sizeof(float);
        }
        if (bytes.size() - at != sizeof stored) throw damaged("cut short");
        std::memcpy(&stored, bytes.data() + at, sizeof stored);
        if (stored != sum) throw damaged("checksum");
        return state;
    } catch (const json::exception&) {
        throw damaged("header");
    }
}

}  // namespace candor
