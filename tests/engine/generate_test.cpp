// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "core/elicit/generator.h"
#include "core/error.h"
#include "tests/testing.h"

using candor::GeneratedAnswer;
using candor::GeneratedAnswers;
using candor::GenerationOptions;
using candor::GenerationRequest;
using candor::Generator;
using candor::StopReason;
using Json = nlohmann::json;

namespace {

Json read(const std::filesystem::path& file) {
    std::ifstream stream(file);
    return Json::parse(stream);
}

std::filesystem::path fixtures() { return candor::testing::shared() / "fixtures"; }

Generator open(const std::filesystem::path& folder, const std::string& dtype = "fp32", bool plain = false) {
    candor::EngineOptions options;
    options.dtype = dtype;
    options.device = "cpu";
    options.plainOperations = plain;
    return Generator(folder, options);
}

std::vector<GeneratedAnswers> run(Generator& generator, const std::vector<GenerationRequest>& requests,
                                  const GenerationOptions& options) {
    std::vector<GeneratedAnswers> all(requests.size());
    std::vector<int> times(requests.size());
    generator.generate(requests, options, [&](std::size_t request, GeneratedAnswers answers) {
        ++times[request];
        all[request] = std::move(answers);
    });
    if (std::count(times.begin(), times.end(), 1) != static_cast<std::ptrdiff_t>(times.size()))
        qFatal("a request was not delivered exactly once");
    return all;
}

std::vector<GenerationRequest> requestsOf(const Json& rows) {
    std::vector<GenerationRequest> requests;
    for (std::size_t i = 0; i < rows.size(); ++i)
        requests.push_back({"", i, rows[i]["ids"].get<std::vector<std::int32_t>>()});
    return requests;
}

GenerationOptions greedyOnly(int tokens, double penalty) {
    GenerationOptions options;
    options.samples = 0;
    options.maxNewTokens = tokens;
    options.stopAtEos = false;
    options.decoding.repetitionPenalty = penalty;
    return options;
}

GenerationOptions sampled(int samples, int tokens) {
    GenerationOptions options;
    options.samples = samples;
    options.maxNewTokens = tokens;
    options.seed = 7;
    return options;
}

std::vector<std::int32_t> idsOf(const GeneratedAnswer& answer) {
    std::vector<std::int32_t> ids;
    for (const auto& token : answer.tokens) ids.push_back(token.id);
    return ids;
}

// The tiny models' rows have lists of their own for ids and log-probabilities, SmolLM2's an object that ends at EOS.
Json idsIn(const Json& row, double penalty) {
    if (row.contains("greedy")) return row[penalty == 1 ? "greedy" : "greedy_penalty_1_05"]["ids"];
    return row[penalty == 1 ? "greedy_ids" : "greedy_ids_penalty_1_05"];
}
Json logProbabilitiesIn(const Json& row) {
    return row.contains("greedy") ? row["greedy"]["logprobs"] : row["greedy_logprobs"];
}

void compareGreedy(Generator& generator, const Json& rows, double penalty) {
    const bool ends = rows[0].contains("greedy");
    GenerationOptions options = greedyOnly(ends ? 24 : 12, penalty);
    options.stopAtEos = ends;
    const auto answers = run(generator, requestsOf(rows), options);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const auto& got = answers[i].greedy;
        QCOMPARE(idsOf(got), idsIn(rows[i], penalty).get<std::vector<std::int32_t>>());
        QCOMPARE(got.stopped, got.tokens.size() < (ends ? 24U : 12U) ? StopReason::StopToken : got.stopped);
        if (penalty != 1) continue;
        const Json want = logProbabilitiesIn(rows[i]);
        for (std::size_t t = 0; t < got.tokens.size(); ++t)
            QVERIFY(std::abs(got.tokens[t].logProbability - want[t].get<double>()) < 1e-4);
        for (std::size_t j = 0; j < 5; ++j) {
            const auto& [id, logProbability] = got.tokens[0].top[j];
            QCOMPARE(id, rows[i]["logprob_top5"][j][0].get<std::int32_t>());
            QVERIFY(std::abs(logProbability - rows[i]["logprob_top5"][j][1].get<double>()) < 1e-4);
        }
    }
}

void compareAnswers(const GeneratedAnswer& a, const GeneratedAnswer& b) {
    QCOMPARE(idsOf(a), idsOf(b));
    QCOMPARE(a.text, b.text);
    QCOMPARE(a.stopped, b.stopped);
    for (std::size_t t = 0; t < a.tokens.size(); ++t) {
        QVERIFY(std::abs(a.tokens[t].logProbability - b.tokens[t].logProbability) < 1e-4);
        QVERIFY(std::abs(a.tokens[t].entropy - b.tokens[t].entropy) < 1e-4);
    }
}

}  // namespace

class GenerateTest : public QObject {
    Q_OBJECT

    static void addModels() {
        QTest::addColumn<QString>("name");
        for (const char* name : {"llama", "llama31", "qwen2", "qwen2-sharded-bf16", "qwen3", "mistral"})
            QTest::newRow(name) << name;
    }

  private slots:
    void greedyMatchesTransformers_data() { addModels(); }
    void greedyMatchesTransformers() {
        CANDOR_NEED_SHARED();
        QFETCH(QString, name);
        const auto rows = read(fixtures() / ("forward_" + name.toStdString() + ".json"))["rows"];
        for (const bool plain : {false, true}) {
            Generator generator = open(fixtures() / "models" / name.toStdString(), "fp32", plain);
            compareGreedy(generator, rows, 1);
            if (QTest::currentTestFailed()) return;
            compareGreedy(generator, rows, 1.05);
            if (QTest::currentTestFailed()) return;
        }
    }

    void smollm2GreedyMatchesTransformers() {
        CANDOR_NEED_SHARED();
        CANDOR_NEED_SMOLLM2();
        Generator generator = open(candor::testing::smollm2());
        const auto rows = read(fixtures() / "smollm2" / "forward.json")["rows"];
        compareGreedy(generator, rows, 1);
        compareGreedy(generator, rows, 1.05);
    }

    // Alone, together, in another order, and with room for one question at a time.
    void answersDoNotDependOnTheBatch() {
        CANDOR_NEED_SHARED();
        Generator generator = open(fixtures() / "models" / "qwen2");
        auto requests = requestsOf(read(fixtures() / "forward_qwen2.json")["rows"]);
        requests.push_back({"who wrote the odyssey", 99, {}});
        const auto together = run(generator, requests, sampled(6, 10));
        auto narrow = sampled(6, 10);
        narrow.answersTogether = 1;
        const auto oneByOne = run(generator, requests, narrow);
        auto turned = requests;
        std::reverse(turned.begin(), turned.end());
        const auto backwards = run(generator, turned, sampled(6, 10));
        for (std::size_t i = 0; i < requests.size(); ++i) {
            const auto alone = run(generator, {requests[i]}, sampled(6, 10))[0];
            for (std::size_t j = 0; j < alone.samples.size(); ++j) {
                for (const auto* other : {&together[i], &oneByOne[i], &backwards[requests.size() - 1 - i]}) {
                    compareAnswers(alone.samples[j], other->samples[j]);
                    compareAnswers(alone.greedy, other->greedy);
                    if (QTest::currentTestFailed()) return;
                }
            }
        }
        QVERIFY(idsOf(together[0].samples[0]) != idsOf(together[0].samples[1]));
    }

    // A sample's first two tokens against exact probabilities from greedy's own raw distribution.
    void samplesFollowTheDistribution() {
        CANDOR_NEED_SHARED();
        Generator generator = open(fixtures() / "models" / "qwen2");
        const auto rows = read(fixtures() / "forward_qwen2.json")["rows"];
        GenerationOptions options = sampled(20000, 1);
        options.decoding = {0.25, 5, 1, 1};
        options.memory = std::int64_t{4} << 30;
        const auto answers = run(generator, {requestsOf(rows)[0]}, options)[0];
        std::map<std::int32_t, double> share;
        for (const auto& answer : answers.samples) share[answer.tokens[0].id] += 1.0 / 20000;
        double sum = 0;
        const auto& top = rows[0]["logprob_top5"];
        for (const auto& entry : top) sum += std::exp(entry[1].get<double>() / 0.25);
        QCOMPARE(share.size(), std::size_t{5});
        for (const auto& entry : top) {
            const double want = std::exp(entry[1].get<double>() / 0.25) / sum;
            const double deviation = std::sqrt(want * (1 - want) / 20000);
            QVERIFY(std::abs(share[entry[0].get<std::int32_t>()] - want) < 4.5 * deviation);
        }
    }

    void stopsAtTokensAndStrings() {
        CANDOR_NEED_SHARED();
        Generator generator = open(fixtures() / "models" / "llama");
        const auto request = requestsOf(read(fixtures() / "forward_llama.json")["rows"])[0];
        auto options = greedyOnly(12, 1.3);
        const auto whole = run(generator, {request}, options)[0].greedy;
        QCOMPARE(whole.tokens.size(), std::size_t{12});
        QCOMPARE(whole.logProbability(true), whole.logProbability(false));
        const auto place = std::find_if(whole.tokens.begin() + 3, whole.tokens.end(), [&](const auto& token) {
            return std::count_if(whole.tokens.begin(), whole.tokens.end(),
                                 [&](const auto& other) { return other.id == token.id; }) == 1;
        });
        QVERIFY(place != whole.tokens.end());
        const auto before = static_cast<std::size_t>(place - whole.tokens.begin());
        options.stopTokens = {place->id};
        const auto stopped = run(generator, {request}, options)[0].greedy;
        QCOMPARE(stopped.stopped, StopReason::StopToken);
        QCOMPARE(stopped.tokens.size(), before + 1);
        QVERIFY(std::abs(stopped.logProbability(true) - stopped.logProbability(false) - place->logProbability) < 1e-4);
        QVERIFY(whole.text.starts_with(stopped.text));

        options.stopTokens.clear();
        const std::string mark = whole.text.substr(whole.text.size() / 2, 3);
        options.stopStrings = {mark, "never there"};
        const auto cut = run(generator, {request}, options)[0].greedy;
        QCOMPARE(cut.stopped, StopReason::StopString);
        QCOMPARE(cut.text, whole.text.substr(0, whole.text.find(mark)));
        QVERIFY(cut.tokens.size() < whole.tokens.size());
    }

    void keepsToItsLimits() {
        CANDOR_NEED_SHARED();
        Generator generator = open(fixtures() / "models" / "qwen2");
        const auto requests = requestsOf(read(fixtures() / "forward_qwen2.json")["rows"]);
        auto options = sampled(3, 5);
        options.memory = 1000;
        QVERIFY_THROWS_EXCEPTION(candor::InputError, run(generator, requests, options));
        options = sampled(3, 0);
        QVERIFY_THROWS_EXCEPTION(candor::InputError, run(generator, requests, options));
        options = sampled(3, 5);
        options.decoding.topP = 0;
        QVERIFY_THROWS_EXCEPTION(candor::InputError, run(generator, requests, options));
        std::stop_source stop;
        int delivered = 0;
        options = sampled(3, 5);
        options.answersTogether = 4;
        const auto first = [&](std::size_t, GeneratedAnswers) { ++delivered, stop.request_stop(); };
        QVERIFY_THROWS_EXCEPTION(candor::Stopped, generator.generate(requests, options, first, {}, stop.get_token()));
        QCOMPARE(delivered, 1);
    }

    // bf16 and fp32 agree where the distribution is clear: the sum of differences, not every token.
    void bf16IsNear() {
        CANDOR_NEED_SHARED();
        CANDOR_NEED_SMOLLM2();
        Generator full = open(candor::testing::smollm2()), half = open(candor::testing::smollm2(), "bf16");
        const auto requests = requestsOf(read(fixtures() / "smollm2" / "forward.json")["rows"]);
        const auto a = run(full, requests, greedyOnly(1, 1)), b = run(half, requests, greedyOnly(1, 1));
        for (std::size_t i = 0; i < requests.size(); ++i)
            QVERIFY(std::abs(a[i].greedy.tokens[0].entropy - b[i].greedy.tokens[0].entropy) < 0.15);
    }
};

CANDOR_TEST(GenerateTest);
#include "generate_test.moc"
