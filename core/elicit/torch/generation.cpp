// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/elicit/torch/generation.h"

#include <algorithm>
#include <chrono>
#include <map>

#include "core/error.h"
#include "core/llm/torch/parallel.h"

namespace candor {

namespace {

std::size_t sharedWith(const std::vector<std::int32_t>& start, const std::vector<std::int32_t>& prompt) {
    const auto common = std::mismatch(start.begin(), start.end(), prompt.begin(), prompt.end()).first - start.begin();
    return std::min(static_cast<std::size_t>(common), prompt.size() - 1);  // the last token is always computed
}

std::string textOf(const Tokenizer& tokenizer, const GeneratedAnswer& answer) {
    std::vector<std::int32_t> ids;
    for (const auto& token : answer.tokens) ids.push_back(token.id);
    if (answer.stopped == StopReason::StopToken) ids.pop_back();
    return tokenizer.decode(ids, true);
}

std::size_t firstStop(const std::string& text, const std::vector<std::string>& stops) {
    std::size_t first = std::string::npos;
    for (const auto& stop : stops) first = std::min(first, text.find(stop));
    return first;
}

}  // namespace

Generation::Generation(const EngineModel& model, CachedDecoder& cache, const std::vector<std::int32_t>& start,
                       std::span<const GenerationRequest> requests, const GenerationOptions& options)
    : model_(model), cache_(cache), start_(start), requests_(requests), options_(options) {
    const auto limit = model.decoder().config().maxPositions;
    for (const auto& request : requests) {
        prompts_.push_back(request.ids);
        if (request.ids.empty()) prompts_.back() = model.encode(std::span(&request.question, 1))[0].ids;
        const auto tokens = static_cast<std::int64_t>(prompts_.back().size());
        if (limit > 0 && tokens >= limit)
            throw InputError("bad_prompt", "a prompt of " + std::to_string(tokens) +
                                               " tokens leaves no room in a context of " + std::to_string(limit));
        for (const auto id : prompts_.back())
            if (id < 0 || id >= model.decoder().config().vocab)
                throw InputError("bad_prompt", "token id " + std::to_string(id) + " is outside the model's vocabulary");
    }
    if (options.stopAtEos)
        stopTokens_.insert(model.decoder().config().eosIds.begin(), model.decoder().config().eosIds.end());
    stopTokens_.insert(options.stopTokens.begin(), options.stopTokens.end());
    const std::size_t chosen = model.decoder().weights().device.is_cuda() ? 1024 : 168;
    together_ = options.answersTogether > 0 ? static_cast<std::size_t>(options.answersTogether) : chosen;
    reserveCache();
}

int Generation::allowedTokens(std::size_t request) const {
    const auto limit = model_.decoder().config().maxPositions;
    if (limit <= 0) return options_.maxNewTokens;
    const auto left = limit - static_cast<std::int64_t>(prompts_[request].size());
    return static_cast<int>(std::min<std::int64_t>(options_.maxNewTokens, left));
}

// The last token of an answer is never computed, the first ones may be shared.
std::size_t Generation::rowsNeeded(std::size_t request) const {
    const auto& prompt = prompts_[request];
    return prompt.size() - sharedWith(start_, prompt) +
           answers() * static_cast<std::size_t>(allowedTokens(request) - 1);
}

void Generation::reserveCache() {
    std::size_t largest = 0, sum = 0;
    for (std::size_t i = 0; i < prompts_.size(); ++i) {
        largest = std::max(largest, rowsNeeded(i));
        sum += rowsNeeded(i);
    }
    const std::size_t questions = std::max<std::size_t>(1, together_ / answers());
    const std::size_t wanted = start_.size() + std::min(sum, largest * questions);
    const auto affordable = static_cast<std::size_t>(options_.memory / cache_.rowBytes());
    if (start_.size() + largest > affordable)
        throw InputError("bad_option", "answers to one question may need " +
                                           std::to_string((start_.size() + largest) * cache_.rowBytes() >> 20) +
                                           " MiB of cached keys and values, the limit is " +
                                           std::to_string(options_.memory >> 20) +
                                           " MiB: raise it, or lower the samples or the new tokens");
    const std::size_t rows = std::min(wanted, affordable);
    cache_.reserve(static_cast<std::int64_t>(rows));
    for (auto row = rows; row > start_.size(); --row) freeRows_.push_back(static_cast<std::int32_t>(row - 1));
}

void Generation::computeStart() {
    std::vector<std::int32_t> rows(start_.size());
    CachedTokens tokens;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        rows[i] = static_cast<std::int32_t>(i);
        tokens.ids.push_back(start_[i]);
    }
    for (std::size_t i = 0; i < rows.size(); ++i) tokens.rows.push_back(std::span(rows).first(i + 1));
    tokens.read = {static_cast<std::int64_t>(rows.size()) - 1};
    cache_.forward(tokens);
}

void Generation::admit() {
    std::size_t open = 0;
    for (const auto& question : questions_) open += question.open;
    for (; next_ < prompts_.size(); ++next_, open += answers()) {
        const std::size_t need = rowsNeeded(next_);
        if (need > freeRows_.size() || (open > 0 && open + answers() > together_)) return;
        OpenQuestion& question = questions_.emplace_back();
        question.request = next_;
        question.key = requests_[next_].key;
        question.prompt = prompts_[next_];
        question.cacheRows.assign(freeRows_.rbegin(), freeRows_.rbegin() + static_cast<std::ptrdiff_t>(need));
        freeRows_.resize(freeRows_.size() - need);
        question.maxNewTokens = allowedTokens(next_);
        question.open = answers();
        question.answers.samples.resize(static_cast<std::size_t>(options_.samples));
        question.answers.promptTokens = static_cast<std::int64_t>(question.prompt.size());

        Branch branch;
        branch.question = &question;
        const std::size_t shared = sharedWith(start_, question.prompt);
        for (std::size_t i = 0; i < question.prompt.size(); ++i)
            branch.rows.push_back(i < shared ? static_cast<std::int32_t>(i) : question.nextRow());
        branch.pending.assign(question.prompt.begin() + static_cast<std::ptrdiff_t>(shared), question.prompt.end());
        if (options_.decoding.repetitionPenalty != 1) {
            const std::set<std::int32_t> unique(question.prompt.begin(), question.prompt.end());
            branch.seen.assign(unique.begin(), unique.end());
        }
        if (options_.greedy) branch.members.push_back(Branch::kGreedy);
        for (int i = 0; i < options_.samples; ++i) branch.members.push_back(i);
        branches_.push_back(std::move(branch));
    }
}

void Generation::step() {
    CachedTokens tokens;
    for (const Branch& branch : branches_) {
        const std::size_t before = branch.rows.size() - branch.pending.size();
        for (std::size_t i = 0; i < branch.pending.size(); ++i) {
            tokens.ids.push_back(branch.pending[i]);
            tokens.rows.push_back(std::span(branch.rows).first(before + i + 1));
        }
        tokens.read.push_back(static_cast<std::int64_t>(tokens.ids.size()) - 1);
    }
    const at::Tensor logits = cache_.forward(tokens).contiguous();
    const auto vocab = static_cast<std::size_t>(logits.size(1));
    float* values = logits.data_ptr<float>();
    std::vector<std::vector<Choice>> choices(branches_.size());
    parallelRows(static_cast<std::int64_t>(branches_.size()), 1, [&](auto begin, auto end) {
        for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i)
            choices[i] = choose(branches_[i], std::span(values + i * vocab, vocab));
    });
    std::vector<Branch> next;
    for (std::size_t i = 0; i < branches_.size(); ++i) grow(branches_[i], choices[i], next);
    branches_ = std::move(next);
}

std::vector<Generation::Choice> Generation::choose(const Branch& branch, std::span<float> logits) const {
    NextToken distribution(logits);
    distribution.penalise(branch.seen, options_.decoding.repetitionPenalty);
    const bool draws = options_.decoding.temperature > 0;
    if (draws && branch.members.back() != Branch::kGreedy) distribution.shape(options_.decoding);
    std::vector<Choice> choices;
    for (const int member : branch.members) {
        Choice choice;
        choice.member = member;
        choice.token.id =
            member == Branch::kGreedy || !draws
                ? distribution.best()
                : distribution.draw(uniformAt(options_.seed, branch.question->key, static_cast<std::uint64_t>(member),
                                              static_cast<std::uint64_t>(branch.generated)));
        choice.token.logProbability = distribution.logProbability(choice.token.id);
        choice.token.entropy = distribution.entropy();
        choice.token.top = distribution.top();
        choices.push_back(std::move(choice));
    }
    return choices;
}

GeneratedAnswer& Generation::answerOf(OpenQuestion& question, int member) const {
    return member == Branch::kGreedy ? question.answers.greedy
                                     : question.answers.samples[static_cast<std::size_t>(member)];
}

// Adds the token; true where the answer ends with it.
bool Generation::ends(OpenQuestion& question, const Choice& choice) {
    GeneratedAnswer& answer = answerOf(question, choice.member);
    answer.tokens.push_back(choice.token);
    const auto count = static_cast<int>(answer.tokens.size());
    bool ended = true;
    if (stopTokens_.contains(choice.token.id)) {
        answer.stopped = StopReason::StopToken;
        answer.text = textOf(model_.tokenizer(), answer);
    } else {
        ended = count >= question.maxNewTokens;
        answer.stopped = count < options_.maxNewTokens ? StopReason::Context : StopReason::Length;
        if (!ended && options_.stopStrings.empty()) return false;
        answer.text = textOf(model_.tokenizer(), answer);
        const auto cut = firstStop(answer.text, options_.stopStrings);
        if (cut == std::string::npos) return ended;
        answer.text.resize(cut);
        answer.stopped = StopReason::StopString;
        return true;
    }
    return ended;
}

// Answers that chose the same token stay together.
void Generation::grow(const Branch& branch, const std::vector<Choice>& choices, std::vector<Branch>& next) {
    OpenQuestion& question = *branch.question;
    std::map<std::int32_t, Branch> children;
    for (const Choice& choice : choices) {
        if (ends(question, choice)) {
            --question.open;
            continue;
        }
        Branch& child = children[choice.token.id];
        child.members.push_back(choice.member);
        if (child.question) continue;
        child.question = &question;
        child.generated = branch.generated + 1;
        child.pending = {choice.token.id};
        child.rows.reserve(branch.rows.size() + 1);
        child.rows = branch.rows;
        child.rows.push_back(question.nextRow());
        if (options_.decoding.repetitionPenalty == 1) continue;
        child.seen = branch.seen;
        const auto place = std::lower_bound(child.seen.begin(), child.seen.end(), choice.token.id);
        if (place == child.seen.end() || *place != choice.token.id) child.seen.insert(place, choice.token.id);
    }
    for (auto& [id, child] : children) next.push_back(std::move(child));
}

void Generation::deliver(const Generator::Done& done) {
    for (auto question = questions_.begin(); question != questions_.end();) {
        if (question->open > 0) {
            ++question;
            continue;
        }
        freeRows_.insert(freeRows_.end(), question->cacheRows.rbegin(), question->cacheRows.rend());
        ++finished_;
        done(question->request, std::move(question->answers));
        question = questions_.erase(question);
    }
}

void Generation::report(const EventSink& events, double seconds) const {
    if (!events) return;
    Event event;
    event.kind = EventKind::Progress;
    event.stage = "answers";
    event.done = static_cast<std::int64_t>(finished_);
    event.total = static_cast<std::int64_t>(prompts_.size());
    event.rate = static_cast<double>(finished_) / std::max(seconds, 1e-9);
    events(event);
}

void Generation::run(const Generator::Done& done, const EventSink& events, std::stop_token stop) {
    const auto start = std::chrono::steady_clock::now();
    while (finished_ < prompts_.size()) {
        if (stop.stop_requested()) throw Stopped();
        admit();
        step();
        const auto before = finished_;
        deliver(done);
        const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
        if (finished_ > before) report(events, seconds.count());
    }
}

}  // namespace candor
