// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/experiment/methods.h"
#include "core/experiment/presets.h"
#include "core/experiment/spec.h"

namespace candor {
namespace {

using nlohmann::json;

[[noreturn]] void bad(const std::string& message) { throw InputError("bad_spec", "experiment file: " + message); }

[[noreturn]] void expected(const std::string& key, const std::string& what, const json& got) {
    std::string text = got.dump();
    if (text.size() > 60) text = text.substr(0, 57) + "...";
    bad("\"" + key + "\" must be " + what + ", got " + text);
}

using Setter = std::function<void(const std::string& key, const json& value)>;
using Keys = std::vector<std::pair<std::string, Setter>>;

// Hands each member of an object to its setter; unknown keys are errors. `path` is "" or "stage1.".
void readObject(const std::string& path, const json& object, const Keys& keys) {
    if (!object.is_object())
        expected(path.substr(0, path.size() - std::min<std::size_t>(1, path.size())), "an object", object);
    std::vector<std::string> names;
    for (const auto& [name, setter] : keys) names.push_back(name);
    for (const auto& [name, value] : object.items()) {
        const auto found = std::ranges::find(names, name);
        if (found == names.end()) {
            const std::string near = nearestName(name, names);
            std::string message = "unknown key \"" + path + name + "\"";
            if (!near.empty()) message += ": did you mean \"" + path + near + "\"?";
            bad(message);
        }
        keys[static_cast<std::size_t>(found - names.begin())].second(path + name, value);
    }
}

std::string text(const std::string& key, const json& value) {
    if (!value.is_string() || value.get<std::string>().empty()) expected(key, "a text that is not empty", value);
    return value;
}

std::string oneOf(const std::string& key, const json& value, const std::vector<std::string>& words) {
    if (value.is_string() && std::ranges::find(words, value.get<std::string>()) != words.end()) return value;
    std::string list;
    for (const std::string& word : words) list += (list.empty() ? "\"" : ", \"") + word + "\"";
    expected(key, "one of " + list, value);
}

std::int64_t integer(const std::string& key, const json& value, std::int64_t least,
                     std::int64_t most = std::numeric_limits<std::int32_t>::max()) {
    if (!value.is_number_integer() || value.get<double>() < static_cast<double>(least) ||
        value.get<double>() > static_cast<double>(most))
        expected(key, "a whole number from " + std::to_string(least) + " to " + std::to_string(most), value);
    return value;
}

double real(const std::string& key, const json& value, const char* what, const std::function<bool(double)>& fits) {
    if (!value.is_number() || !std::isfinite(value.get<double>()) || !fits(value.get<double>()))
        expected(key, what, value);
    return value;
}

std::int64_t budget(const std::string& key, const json& value) {
    if (value.is_string() && value == "all") return kAllLabels;
    if (!value.is_number_integer() || value.get<double>() < 1)
        expected(key, "a whole number from 1, or \"all\"", value);
    return value;
}

// One value or a list of different ones.
template <typename T, typename Read>
std::vector<T> list(const std::string& key, const json& value, Read read, bool mayBeEmpty = false) {
    std::vector<T> values;
    if (!value.is_array()) {
        values.push_back(read(key, value));
    } else {
        for (const json& one : value) values.push_back(read(key, one));
    }
    if (values.empty() && !mayBeEmpty) expected(key, "a list that is not empty", value);
    for (std::size_t i = 0; i < values.size(); ++i)
        if (std::find(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(i), values[i]) !=
            values.begin() + static_cast<std::ptrdiff_t>(i))
            expected(key, "a list without repeats", value);
    return values;
}

template <typename T, typename Read>
void axis(const std::string& key, const json& value, T& first, std::vector<T>& more, Read read) {
    more = list<T>(key, value, read);
    first = more.front();
    more.erase(more.begin());
}

EpochPlan epochs(const std::string& key, const json& value, EpochPlan plan) {
    plan.byBudget.clear();
    if (!value.is_object()) {
        plan.fallback = static_cast<int>(integer(key, value, 1));
        return plan;
    }
    for (const auto& [name, number] : value.items()) {
        const int count = static_cast<int>(integer(key + "." + name, number, 1));
        if (name == "default") {
            plan.fallback = count;
        } else if (name == "all") {
            plan.byBudget[kAllLabels] = count;
        } else if (!name.empty() && name.size() < 16 &&
                   std::ranges::all_of(name, [](char c) { return c >= '0' && c <= '9'; }) && std::stoll(name) > 0) {
            plan.byBudget[std::stoll(name)] = count;
        } else {
            bad("\"" + key + "\" maps budgets (a number, \"all\" or \"default\") to epochs, got \"" + name + "\"");
        }
    }
    return plan;
}

void readOptimiser(const std::string& key, const json& value, OptimiserOptions& o) {
    const auto positive = [](double x) { return x > 0; };
    const auto notNegative = [](double x) { return x >= 0; };
    readObject(key + ".", value,
               {{"lr", [&](auto& k, auto& v) { o.lr = real(k, v, "a number above 0", positive); }},
                {"batch", [&](auto& k, auto& v) { o.batch = static_cast<int>(integer(k, v, 1)); }},
                {"micro_batch", [&](auto& k, auto& v) { o.microBatch = static_cast<int>(integer(k, v, 1)); }},
                {"weight_decay", [&](auto& k, auto& v) { o.weightDecay = real(k, v, "a number from 0", notNegative); }},
                {"warmup",
                 [&](auto& k, auto& v) {
                     o.warmup = real(k, v, "a share from 0 to 1", [](double x) { return x >= 0 && x <= 1; });
                 }},
                {"clip", [&](auto& k, auto& v) { o.clip = real(k, v, "a number above 0", positive); }}});
}

void readAdapter(const std::string& key, const json& value, ExperimentSpec& s) {
    const auto notNegative = [](double x) { return x >= 0 && x < 1; };
    readObject(
        key + ".", value,
        {{"type",
          [&](auto& k, auto& v) {
              s.adapterType = oneOf(k, v, {"lora", "head"});
          }},
         {"r", [&](auto& k, auto& v) { s.adapter.r = static_cast<int>(integer(k, v, 1, 65536)); }},
         {"alpha",
          [&](auto& k, auto& v) { s.adapter.alpha = real(k, v, "a number above 0", [](double x) { return x > 0; }); }},
         {"dropout",
          [&](auto& k, auto& v) { s.adapter.dropout = real(k, v, "a share from 0 to below 1", notNegative); }},
         {"targets", [&](auto& k, auto& v) { s.adapter.targets = list<std::string>(k, v, text); }},
         {"head",
          [&](auto& k, auto& v) {
              s.adapter.head = oneOf(k, v, {"linear", "mlp"});
          }},
         {"layer", [&](auto& k, auto& v) {
              axis(k, v, s.layer, s.axes.layer, [](auto& n, auto& x) { return static_cast<int>(integer(n, x, -1)); });
          }}});
}

void readStage(const std::string& key, const json& value, EpochPlan& plan, std::optional<OptimiserOptions>& own,
               const OptimiserOptions& shared, Keys more) {
    more.emplace_back("epochs", [&](auto& k, auto& v) { plan = epochs(k, v, plan); });
    more.emplace_back("optimiser", [&](auto& k, auto& v) {
        own = own.value_or(shared);
        readOptimiser(k, v, *own);
    });
    readObject(key + ".", value, more);
}

void readStage1(const std::string& key, const json& value, ExperimentSpec& s) {
    readStage(key, value, s.stage1Epochs, s.stage1Optimiser, s.optimiser,
              {{"questions", [&](auto& k, auto& v) { axis(k, v, s.stage1Questions, s.axes.stage1Questions, budget); }},
               {"target", [&](auto& k, auto& v) {
                    axis(k, v, s.stage1Target, s.axes.stage1Target, [](auto& n, auto& x) {
                        return oneOf(n, x, {"consistency", "consis-lex", "semantic-entropy", "n-prob"});
                    });
                }}});
}

void readSelection(const std::string& key, const json& value, SelectionOptions& o) {
    readObject(key + ".", value,
               {{"rule",
                 [&](auto& k, auto& v) {
                     const std::string rule = oneOf(k, v, {"auto", "holdout", "kfold", "last", "test"});
                     o.rule.reset();
                     for (const auto r :
                          {SelectionRule::Holdout, SelectionRule::KFold, SelectionRule::Last, SelectionRule::Test})
                         if (rule == nameOf(r)) o.rule = r;
                 }},
                {"share",
                 [&](auto& k, auto& v) {
                     o.share = real(k, v, "a share above 0 and below 1", [](double x) { return x > 0 && x < 1; });
                 }},
                {"patience", [&](auto& k, auto& v) { o.patience = static_cast<int>(integer(k, v, 0)); }}});
}

Keys specKeys(ExperimentSpec& s) {
    const auto method = [](auto& k, auto& v) { return methodOf(text(k, v)).name; };
    const auto seed = [](auto& k, auto& v) { return static_cast<int>(integer(k, v, 0)); };
    return {{"preset", [](auto&, auto&) {}},
            {"name", [&s](auto& k, auto& v) { s.name = text(k, v); }},
            {"model", [&s](auto& k, auto& v) { axis(k, v, s.model, s.axes.model, text); }},
            {"train", [&s](auto& k, auto& v) { s.train = list<std::string>(k, v, text); }},
            {"eval",
             [&s](auto& k, auto& v) {
                 readObject(k + ".", v,
                            {{"in", [&s](auto& n, auto& x) { s.evalIn = list<std::string>(n, x, text, true); }},
                             {"out", [&s](auto& n, auto& x) { s.evalOut = list<std::string>(n, x, text, true); }}});
             }},
            {"methods", [&s, method](auto& k, auto& v) { s.methods = list<std::string>(k, v, method); }},
            {"budgets", [&s](auto& k, auto& v) { s.budgets = list<std::int64_t>(k, v, budget); }},
            {"seeds", [&s, seed](auto& k, auto& v) { s.seeds = list<int>(k, v, seed); }},
            {"k",
             [&s](auto& k, auto& v) {
                 axis(k, v, s.k, s.axes.k, [](auto& n, auto& x) { return static_cast<int>(integer(n, x, 1)); });
             }},
            {"labels",
             [&s](auto& k, auto& v) {
                 readObject(k + ".", v,
                            {{"agreement", [&s](auto& n, auto& x) { s.labels.agreement = text(n, x); }},
                             {"correctness", [&s](auto& n, auto& x) { s.labels.correctness = text(n, x); }}});
             }},
            {"target",
             [&s](auto& k, auto& v) {
                 axis(k, v, s.target, s.axes.target, [](auto& n, auto& x) {
                     return oneOf(n, x, {"sample-share", "greedy"});
                 });
             }},
            {"adapter", [&s](auto& k, auto& v) { readAdapter(k, v, s); }},
            {"optimiser", [&s](auto& k, auto& v) { readOptimiser(k, v, s.optimiser); }},
            {"stage1", [&s](auto& k, auto& v) { readStage1(k, v, s); }},
            {"stage2", [&s](auto& k, auto& v) { readStage(k, v, s.stage2Epochs, s.stage2Optimiser, s.optimiser, {}); }},
            {"stage1_seed",
             [&s, seed](auto& k, auto& v) {
                 s.stage1Seed = v.is_null() ? std::optional<int>() : std::optional<int>(seed(k, v));
             }},
            {"selection", [&s](auto& k, auto& v) { readSelection(k, v, s.selection); }},
            {"read_position",
             [&s](auto& k, auto& v) {
                 s.readPosition = oneOf(k, v, {"last", "eos", "padded"});
             }},
            {"dtype", [&s](auto& k, auto& v) {
                 s.dtype = oneOf(k, v, {"auto", "fp32", "bf16"});
             }}};
}

// A stage's own optimiser starts from the shared one, so that is read first.
void readInto(ExperimentSpec& spec, const json& object) {
    const Keys keys = specKeys(spec);
    json first = json::object(), rest = object;
    if (object.is_object() && object.contains("optimiser")) {
        first["optimiser"] = object["optimiser"];
        rest.erase("optimiser");
        readObject("", first, keys);
    }
    readObject("", rest, keys);
}

}  // namespace

ExperimentSpec parseSpec(const std::string& text) {
    json object;
    try {
        object = json::parse(text);
    } catch (const json::parse_error& error) {
        const auto before = std::string_view(text).substr(0, error.byte > 0 ? error.byte - 1 : 0);
        const auto lines = std::count(before.begin(), before.end(), '\n');
        const std::size_t start = before.rfind('\n') == std::string_view::npos ? 0 : before.rfind('\n') + 1;
        bad("not JSON: it breaks off or goes wrong at line " + std::to_string(lines + 1) + ", column " +
            std::to_string(before.size() - start + 1));
    }
    if (!object.is_object()) bad("must be a JSON object");
    ExperimentSpec spec;
    if (const auto preset = object.find("preset"); preset != object.end()) {
        const std::string name = oneOf("preset", *preset, presetNames());
        readInto(spec, json::parse(presetJson(name)));
    }
    readInto(spec, object);
    for (const char* key : {"name", "model", "train", "eval"})
        if (!object.contains(key)) bad(std::string("\"") + key + "\" is missing: it has no default");
    if (spec.evalIn.empty() && spec.evalOut.empty())
        bad("\"eval\" names no set: expected {\"in\": [...], \"out\": [...]}");
    return spec;
}

}  // namespace candor
