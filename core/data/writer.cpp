// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/writer.h"

#include <optional>

#include "core/data/fields.h"
#include "core/data/json_text.h"
#include "core/data/json_values.h"
#include "core/error.h"

namespace candor {
namespace {

using simdjson::dom::object;

const AnswerRecord kNoAnswers;
const LabelRecord kNoLabels;

// Builds the row: each field canonically, or as it came where that still says the same.
class RowWriter {
  public:
    RowWriter(const Record& record, std::optional<object> originals)
        : record_(record),
          answers_(record.answers ? *record.answers : kNoAnswers),
          labels_(record.labels ? *record.labels : kNoLabels),
          originals_(originals) {}

    std::string write() {
        field(Field::Question, true, [&] { appendJsonString(row_, record_.question); });
        field(Field::Gold, !record_.gold.empty(), [&] { texts(record_.gold); });
        field(Field::Greedy, answers_.greedy.has_value(), [&] { texts({*answers_.greedy}); });
        field(Field::Correct, labels_.greedyCorrect.has_value(), [&] { verdict(*labels_.greedyCorrect); });
        field(Field::Tokens, !answers_.greedyTokens.empty(), [&] {
            row_ += '[';
            list(answers_.greedyTokens, [&](std::int32_t token) { row_ += std::to_string(token); });
            row_ += ']';
        });
        field(Field::Cumulative, answers_.greedyCumulative.has_value(), [&] {
            list(std::vector{*answers_.greedyCumulative}, [&](double value) { appendJsonNumber(row_, value); });
        });
        field(Field::Logprobs, !answers_.greedyLogprobs.empty(), [&] {
            row_ += '[';
            list(answers_.greedyLogprobs, [&](double value) { appendJsonNumber(row_, value); });
            row_ += ']';
        });
        field(Field::Samples, !answers_.samples.empty(), [&] { texts(answers_.samples); });
        field(Field::SampleCorrect, !labels_.sampleCorrect.empty(), [&] { verdicts(labels_.sampleCorrect); });
        field(Field::Agreement, !labels_.agreement.empty(), [&] { verdicts(labels_.agreement); });
        return std::move(row_);
    }

  private:
    template <typename Items, typename Write>
    void list(const Items& items, const Write& write) {
        row_ += '[';
        bool first = true;
        for (const auto& item : items) {
            if (!first) row_ += ',';
            first = false;
            write(item);
        }
        row_ += ']';
    }

    void texts(const std::vector<std::string>& items) {
        list(items, [&](const std::string& text) { appendJsonString(row_, text); });
    }
    void verdict(Verdict given) { row_ += given == Verdict::Yes ? "1" : given == Verdict::No ? "0" : "null"; }
    void verdicts(const std::vector<Verdict>& items) {
        list(items, [&](Verdict item) { verdict(item); });
    }

    template <typename Write>
    void field(Field which, bool present, const Write& write) {
        const std::string_view name = kHonestyBenchNames[static_cast<std::size_t>(which)];
        json::Element original;
        if (originals_ && originals_->at_key(name).get(original) == simdjson::SUCCESS && stillSays(which, original)) {
            appendJsonKey(row_, name);
            row_ += simdjson::minify(original);
        } else if (present) {
            appendJsonKey(row_, name);
            write();
        }
    }

    // Whether reading the field as it came gives what the record holds now (labels may have been replaced since).
    bool stillSays(Field which, json::Element original) const {
        const std::string name;
        std::optional<std::string> text;
        std::vector<std::string> many;
        std::vector<std::int32_t> tokens;
        std::vector<double> numbers;
        std::optional<double> number;
        std::optional<Verdict> verdict;
        std::vector<Verdict> verdicts;
        try {
            switch (which) {
                case Field::Gold:
                    return json::readTexts(original, name, many), many == record_.gold;
                case Field::Greedy:
                    return json::readText(original, name, text), text == answers_.greedy;
                case Field::Tokens:
                    return json::readTokens(original, name, tokens), tokens == answers_.greedyTokens;
                case Field::Logprobs:
                    return json::readLogprobs(original, name, answers_.greedyTokens, numbers),
                           numbers == answers_.greedyLogprobs;
                case Field::Cumulative:
                    return json::readNumber(original, name, number), number == answers_.greedyCumulative;
                case Field::Samples:
                    return json::readTexts(original, name, many), many == answers_.samples;
                case Field::Correct:
                    return json::readVerdict(original, name, verdict), verdict == labels_.greedyCorrect;
                case Field::SampleCorrect:
                    return json::readVerdicts(original, name, verdicts), verdicts == labels_.sampleCorrect;
                case Field::Agreement:
                    return json::readVerdicts(original, name, verdicts), verdicts == labels_.agreement;
                default:
                    return false;
            }
        } catch (const json::Reject&) {
            return false;
        }
    }

    const Record& record_;
    const AnswerRecord& answers_;
    const LabelRecord& labels_;
    std::optional<object> originals_;
    std::string row_ = "{";
};

}  // namespace

std::string toHonestyBench(const Record& record) {
    thread_local simdjson::dom::parser parser;
    std::optional<object> extra, originals;
    if (!record.extra.empty()) {
        object parsed;
        if (parser.parse(record.extra).get(parsed) != simdjson::SUCCESS)
            throw InputError("bad_extra", "extra fields of \"" + record.question + "\": expected a JSON object, got " +
                                              record.extra.substr(0, 200));
        extra = parsed;
        object kept;
        if (parsed.at_key(kOriginalKey).get(kept) == simdjson::SUCCESS) originals = kept;
    }
    std::string row = RowWriter(record, originals).write();
    if (extra) {
        for (const auto [key, value] : *extra) {
            // A field of the record goes before an extra one that was given its name.
            if (key == kOriginalKey || honestyBenchField(key)) continue;
            appendJsonKey(row, key);
            row += simdjson::minify(json::Element(value));
        }
    }
    return row + "}";
}

}  // namespace candor
