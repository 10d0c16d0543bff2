// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/elicit/next_token.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/llm/simd.h"

namespace candor {

namespace {

using namespace simd;

constexpr std::size_t kBlock = 64;
constexpr std::size_t kTop = 5;

struct ExpSums {
    double sum = 0, weighted = 0;  // of e^(x - top), and of (x - top) e^(x - top)
};

// Over whole blocks; each block is summed in fp32, the blocks in double.
CANDOR_CLONES void expSums(const float* x, std::size_t blocks, float top, ExpSums* out) {
    double total = 0, weighted = 0;
    for (std::size_t block = 0; block < blocks; ++block) {
        Floats s{}, w{};
        for (std::size_t i = 0; i < kBlock; i += kLanes) {
            Floats value, e;
            load(value, x + block * kBlock + i);
            const Floats shifted = value - top;
            const Floats bounded = shifted < -100.0F ? Floats{} - 100.0F : shifted;
            exp(e, bounded);
            s += e;
            w += e * bounded;
        }
        total += static_cast<double>(sum(s));
        weighted += static_cast<double>(sum(w));
    }
    out->sum += total;
    out->weighted += weighted;
}

CANDOR_CLONES void blockMaxima(const float* x, std::size_t blocks, float* out) {
    for (std::size_t block = 0; block < blocks; ++block) {
        Floats best;
        load(best, x + block * kBlock);
        for (std::size_t i = kLanes; i < kBlock; i += kLanes) {
            Floats value;
            load(value, x + block * kBlock + i);
            best = value > best ? value : best;
        }
        float one = best[0];
        for (int i = 1; i < kLanes; ++i) one = best[i] > one ? best[i] : one;
        out[block] = one;
    }
}

std::uint64_t mix(std::uint64_t x) {  // splitmix64's finaliser
    x += 0x9e3779b97f4a7c15U;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
    return x ^ (x >> 31);
}

}  // namespace

NextToken::NextToken(std::span<float> logits) : logits_(logits), maxima_((logits.size() + kBlock - 1) / kBlock) {
    const std::size_t whole = logits.size() / kBlock;
    blockMaxima(logits.data(), whole, maxima_.data());
    if (whole < maxima_.size()) measureBlock(whole);
    const float top = *std::max_element(maxima_.begin(), maxima_.end());
    ExpSums sums;
    expSums(logits.data(), whole, top, &sums);
    for (std::size_t i = whole * kBlock; i < logits.size(); ++i) {
        const double shifted = std::max(-100.0, static_cast<double>(logits[i] - top));
        sums.sum += std::exp(shifted);
        sums.weighted += shifted * std::exp(shifted);
    }
    logSum_ = top + std::log(sums.sum);
    entropy_ = std::max(0.0, std::log(sums.sum) - sums.weighted / sums.sum);
    for (const auto id : largest(kTop)) top_.emplace_back(id, static_cast<float>(logits[id] - logSum_));
    std::sort(top_.begin(), top_.end(), [](const auto& a, const auto& b) {
        return a.second != b.second ? a.second > b.second : a.first < b.first;
    });
    top_.resize(std::min(top_.size(), kTop));
}

void NextToken::measureBlock(std::size_t block) {
    const auto begin = logits_.begin() + static_cast<std::ptrdiff_t>(block * kBlock);
    const auto end = logits_.begin() + static_cast<std::ptrdiff_t>(std::min(logits_.size(), (block + 1) * kBlock));
    maxima_[block] = *std::max_element(begin, end);
}

double NextToken::logProbability(std::int32_t id) const {
    const auto changed =
        std::lower_bound(raw_.begin(), raw_.end(), std::pair(id, -std::numeric_limits<float>::infinity()));
    const float logit = changed != raw_.end() && changed->first == id ? changed->second : logits_[id];
    return logit - logSum_;
}

void NextToken::penalise(std::span<const std::int32_t> seen, double penalty) {
    if (penalty == 1) return;
    const auto factor = static_cast<float>(penalty);
    for (const auto id : seen) {
        float& logit = logits_[id];
        raw_.emplace_back(id, logit);
        logit = logit > 0 ? logit / factor : logit * factor;
    }
    for (const auto id : seen) measureBlock(static_cast<std::size_t>(id) / kBlock);
}

std::int32_t NextToken::best() const {
    const auto block = static_cast<std::size_t>(std::max_element(maxima_.begin(), maxima_.end()) - maxima_.begin());
    auto at = block * kBlock;
    while (logits_[at] != maxima_[block]) ++at;
    return static_cast<std::int32_t>(at);
}

// The count-th largest block maximum bounds the count-th largest logit from below, so few values are looked at twice.
std::vector<std::int32_t> NextToken::largest(std::size_t count) const {
    std::vector<std::int32_t> ids;
    if (count == 0 || count >= logits_.size()) {
        ids.resize(logits_.size());
        for (std::size_t i = 0; i < ids.size(); ++i) ids[i] = static_cast<std::int32_t>(i);
        return ids;
    }
    float bound = -std::numeric_limits<float>::infinity();
    const auto nth = static_cast<std::ptrdiff_t>(count) - 1;
    if (count <= maxima_.size()) {
        std::vector<float> ordered = maxima_;
        std::nth_element(ordered.begin(), ordered.begin() + nth, ordered.end(), std::greater<>());
        bound = ordered[nth];
    }
    std::vector<float> values;
    for (std::size_t block = 0; block < maxima_.size(); ++block) {
        if (maxima_[block] < bound) continue;
        for (auto i = block * kBlock; i < std::min(logits_.size(), (block + 1) * kBlock); ++i) {
            if (logits_[i] < bound) continue;
            ids.push_back(static_cast<std::int32_t>(i));
            values.push_back(logits_[i]);
        }
    }
    std::nth_element(values.begin(), values.begin() + nth, values.end(), std::greater<>());
    std::erase_if(ids, [&](std::int32_t id) { return logits_[id] < values[nth]; });
    return ids;
}

void NextToken::shape(const Decoding& decoding) {
    const auto ids = largest(static_cast<std::size_t>(std::max(0, decoding.topK)));
    const double top = *std::max_element(maxima_.begin(), maxima_.end());
    std::vector<std::pair<std::int32_t, double>> kept;
    double sum = 0;
    for (const auto id : ids) {
        kept.emplace_back(id, std::exp((logits_[id] - top) / decoding.temperature));
        sum += kept.back().second;
    }
    if (decoding.topP < 1) {
        std::sort(kept.begin(), kept.end(), [](const auto& a, const auto& b) {
            return a.second != b.second ? a.second < b.second : a.first > b.first;
        });
        double dropped = 0;
        std::size_t first = 0;
        while (first + 1 < kept.size() && (dropped += kept[first].second) <= (1 - decoding.topP) * sum) ++first;
        kept.erase(kept.begin(), kept.begin() + static_cast<std::ptrdiff_t>(first));
    }
    // By id: an order by size could turn on the last bit of two logits.
    std::sort(kept.begin(), kept.end());
    double running = 0;
    for (auto& [id, weight] : kept) weight = running += weight;
    cumulative_ = std::move(kept);
}

std::int32_t NextToken::draw(double uniform) const {
    const double aim = uniform * cumulative_.back().second;
    const auto found = std::upper_bound(cumulative_.begin(), cumulative_.end(), aim,
                                        [](double value, const auto& entry) { return value < entry.second; });
    return found == cumulative_.end() ? cumulative_.back().first : found->first;
}

double uniformAt(std::uint64_t seed, std::uint64_t question, std::uint64_t sample, std::uint64_t step) {
    const std::uint64_t bits = mix(mix(mix(mix(seed) ^ question) ^ sample) ^ step);
    return static_cast<double>(bits >> 11) * 0x1p-53;
}

}  // namespace candor
