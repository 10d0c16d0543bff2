// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/json_row.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/data/fields.h"
#include "core/data/json_text.h"
#include "core/data/json_values.h"
#include "core/data/lines.h"
#include "core/text/unicode.h"

namespace candor {
namespace {

using json::Element;
using json::Reject;
using simdjson::dom::object;

static_assert(LineReader::kPadding >= simdjson::SIMDJSON_PADDING);

// A value of the row that a field takes, under the name the row has for it.
struct Source {
    std::string_view name;
    Element value;
};
using Sources = std::array<std::vector<Source>, kFields>;

// Why simdjson took no object from the line; looked up again because it does not say where.
std::string explain(std::string_view text, simdjson::error_code error) {
    for (std::size_t at = 0, next = 0; at < text.size(); at = next) {
        if (decodeAt(text, next) != 0xFFFD || text.substr(at, next - at) == "\xEF\xBF\xBD") continue;
        return "invalid UTF-8 at byte " + std::to_string(at + 1) + " of the line";
    }
    if (error == simdjson::DEPTH_ERROR) return "nested too deeply";
    struct Locator : nlohmann::json_sax<nlohmann::json> {
        std::size_t byte = 0;
        bool null() override { return true; }
        bool boolean(bool) override { return true; }
        bool number_integer(std::int64_t) override { return true; }
        bool number_unsigned(std::uint64_t) override { return true; }
        bool number_float(double, const std::string&) override { return true; }
        bool string(std::string&) override { return true; }
        bool binary(nlohmann::json::binary_t&) override { return true; }
        bool start_object(std::size_t) override { return true; }
        bool key(std::string&) override { return true; }
        bool end_object() override { return true; }
        bool start_array(std::size_t) override { return true; }
        bool end_array() override { return true; }
        bool parse_error(std::size_t position, const std::string&, const nlohmann::json::exception&) override {
            byte = position;
            return false;
        }
    } locator;
    if (nlohmann::json::sax_parse(text.begin(), text.end(), &locator))
        return std::string("JSON that cannot be kept exactly: ") + simdjson::error_message(error);
    // The position is that of the last byte read, so a word that is no value starts at or just before it.
    const std::size_t near = locator.byte > 3 ? locator.byte - 3 : 0;
    const std::string_view around = text.substr(std::min(near, text.size()), 5);
    std::string reason = "not JSON at byte " + std::to_string(locator.byte) + " of the line";
    if (around.find("Na") != std::string_view::npos || around.find("In") != std::string_view::npos)
        reason += ": NaN and Infinity are no JSON numbers (write null, or \"-Infinity\" for a log-probability)";
    else if (locator.byte > text.size())
        reason += ": the line ends too early";
    return reason;
}

// A value by a dotted path; a key that has dots itself comes first.
bool locate(object root, std::string_view path, Element& out) {
    if (root.at_key(path).get(out) == simdjson::SUCCESS) return true;
    for (std::size_t dot = path.find('.'); dot != std::string_view::npos; dot = path.find('.', dot + 1)) {
        object inner;
        if (root.at_key(path.substr(0, dot)).get(inner) == simdjson::SUCCESS &&
            locate(inner, path.substr(dot + 1), out))
            return true;
    }
    return false;
}

// Appends `object` without the values that the map took; false where nothing is left.
bool appendRest(std::string& out, object from, const std::vector<std::string_view>& taken, const std::string& prefix) {
    bool any = false;
    out.push_back('{');
    for (const auto [key, value] : from) {
        const std::string path = prefix + std::string(key);
        if (std::find(taken.begin(), taken.end(), path) != taken.end()) continue;
        const bool inside = std::any_of(taken.begin(), taken.end(), [&](std::string_view t) {
            return t.size() > path.size() && t.starts_with(path) && t[path.size()] == '.';
        });
        const std::size_t before = out.size();
        appendJsonKey(out, key);
        object inner;
        if (inside && value.get(inner) == simdjson::SUCCESS) {
            if (!appendRest(out, inner, taken, path + ".")) {
                out.resize(before);
                continue;
            }
        } else {
            out += simdjson::minify(Element(value));
        }
        any = true;
    }
    out.push_back('}');
    return any;
}

}  // namespace

struct JsonRows::Impl {
    std::vector<Mapping> map;
    std::array<bool, kFields> mapped{};
    bool keepShapes = true;
    simdjson::dom::parser parser;
    std::string extra, originals;

    void readObject(object root, Record& record);
    void take(object root, Sources& sources);
    void takeMapped(object root, Sources& sources);
    void fill(const Sources& sources, Record& record);
    void original(const Source& source, Field field, bool canonical);
};

JsonRows::JsonRows(const ReadOptions& options, bool keepShapes) : impl_(std::make_unique<Impl>()) {
    impl_->map = resolveMap(options.map);
    impl_->keepShapes = keepShapes && options.map.empty();
    for (const Mapping& mapping : impl_->map)
        if (mapping.field) impl_->mapped[static_cast<std::size_t>(*mapping.field)] = true;
}

JsonRows::~JsonRows() = default;

bool JsonRows::parse(std::string_view text, Record& record, std::string& reason) {
    Element root;
    const auto error = impl_->parser.parse(text.data(), text.size(), false).get(root);
    if (error != simdjson::SUCCESS) {
        reason = explain(text, error);
        return false;
    }
    try {
        object row;
        if (root.get(row) != simdjson::SUCCESS) throw Reject{"expected one JSON object a line, got another value"};
        record = {};
        impl_->readObject(row, record);
        return true;
    } catch (const Reject& rejected) {
        reason = rejected.reason;
        return false;
    }
}

std::vector<std::string> JsonRows::unseen() const {
    std::vector<std::string> names;
    for (const Mapping& mapping : impl_->map)
        if (!mapping.seen) names.push_back(mapping.theirs);
    return names;
}

void JsonRows::Impl::readObject(object root, Record& record) {
    Sources sources;
    extra = originals = "{";
    if (map.empty())
        take(root, sources);
    else
        takeMapped(root, sources);
    fill(sources, record);
    if (originals.size() > 1) {
        appendJsonKey(extra, kOriginalKey);
        extra += originals + "}";
    }
    if (extra.size() > 1) record.extra = extra + "}";
}

void JsonRows::Impl::take(object root, Sources& sources) {
    for (const auto [key, value] : root) {
        if (const auto field = honestyBenchField(key)) {
            auto& place = sources[static_cast<std::size_t>(*field)];
            if (!place.empty()) throw Reject{"field \"" + std::string(key) + "\" stands twice in the row"};
            place.push_back({key, value});
        } else {
            if (key == kOriginalKey) throw Reject{"field \"" + std::string(key) + "\" is a reserved name"};
            appendJsonKey(extra, key);
            extra += simdjson::minify(Element(value));
        }
    }
}

void JsonRows::Impl::takeMapped(object root, Sources& sources) {
    std::vector<std::string_view> taken;
    std::vector<std::pair<std::string_view, Element>> named;
    for (Mapping& mapping : map) {
        Element value;
        if (!locate(root, mapping.theirs, value)) continue;
        mapping.seen = true;
        taken.push_back(mapping.theirs);
        if (mapping.field)
            sources[static_cast<std::size_t>(*mapping.field)].push_back({mapping.theirs, value});
        else
            named.emplace_back(mapping.ours, value);
    }
    for (const auto [key, value] : root) {
        const auto field = honestyBenchField(key);
        if (!field || mapped[static_cast<std::size_t>(*field)]) continue;
        if (std::find(taken.begin(), taken.end(), key) != taken.end()) continue;
        sources[static_cast<std::size_t>(*field)].push_back({key, value});
        taken.push_back(key);
    }
    appendRest(extra, root, taken, "");
    extra.erase(0, 1);  // appendRest wrote an object of its own behind the brace
    extra.pop_back();
    for (const auto& [ours, value] : named) {
        appendJsonKey(extra, ours);
        extra += simdjson::minify(value);
    }
}

void JsonRows::Impl::original(const Source& source, Field field, bool canonical) {
    if (canonical || !keepShapes) return;
    appendJsonKey(originals, kHonestyBenchNames[static_cast<std::size_t>(field)]);
    originals += simdjson::minify(source.value);
}

void JsonRows::Impl::fill(const Sources& sources, Record& record) {
    AnswerRecord answers;
    LabelRecord labels;
    const auto each = [&](Field field, auto&& read) {
        for (const Source& source : sources[static_cast<std::size_t>(field)])
            original(source, field, read(source.value, std::string(source.name)));
    };
    if (sources[0].empty()) {
        const auto wanted =
            std::find_if(map.begin(), map.end(), [](const Mapping& m) { return m.field == Field::Question; });
        throw Reject{"no field \"" + (wanted == map.end() ? std::string("question") : wanted->theirs) + "\""};
    }
    each(Field::Question, [&](Element v, const std::string& n) { return json::readQuestion(v, n, record.question); });
    each(Field::Gold, [&](Element v, const std::string& n) {
        std::vector<std::string> more;
        const bool canonical = json::readTexts(v, n, more);
        const bool first = record.gold.empty();
        for (std::string& text : more)
            if (first || std::find(record.gold.begin(), record.gold.end(), text) == record.gold.end())
                record.gold.push_back(std::move(text));
        return canonical;
    });
    each(Field::Greedy, [&](Element v, const std::string& n) { return json::readText(v, n, answers.greedy); });
    each(Field::Tokens, [&](Element v, const std::string& n) { return json::readTokens(v, n, answers.greedyTokens); });
    each(Field::Logprobs, [&](Element v, const std::string& n) {
        return json::readLogprobs(v, n, answers.greedyTokens, answers.greedyLogprobs);
    });
    each(Field::TokenProbs, [&](Element v, const std::string& n) {
        if (!answers.greedyLogprobs.empty()) throw Reject{"token_probs and token_logprobs are both given"};
        return json::readProbabilities(v, n, answers.greedyLogprobs);
    });
    each(Field::Cumulative,
         [&](Element v, const std::string& n) { return json::readNumber(v, n, answers.greedyCumulative); });
    each(Field::Samples, [&](Element v, const std::string& n) { return json::readTexts(v, n, answers.samples); });
    each(Field::Correct,
         [&](Element v, const std::string& n) { return json::readVerdict(v, n, labels.greedyCorrect); });

    const auto verdicts = [&](Field field, std::vector<Verdict>& out) {
        each(field, [&](Element v, const std::string& n) {
            const bool canonical = json::readVerdicts(v, n, out);
            if (!out.empty() && out.size() != answers.samples.size())
                throw Reject{"field \"" + n + "\" has " + std::to_string(out.size()) + " verdicts for " +
                             std::to_string(answers.samples.size()) + " sampled answers"};
            return canonical;
        });
    };
    verdicts(Field::SampleCorrect, labels.sampleCorrect);
    verdicts(Field::Agreement, labels.agreement);

    const bool judged = labels.greedyCorrect || !labels.sampleCorrect.empty() || !labels.agreement.empty();
    if (judged) record.labels = std::move(labels);
    // Judgements hang on answers, so a judged row has answers even where their text is not given.
    if (judged || answers.greedy || answers.greedyCumulative || !answers.greedyTokens.empty() ||
        !answers.greedyLogprobs.empty() || !answers.samples.empty())
        record.answers = std::move(answers);
}

}  // namespace candor
