// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/example.h"

#include <zstd.h>

#include <QByteArray>
#include <QFile>
#include <QTemporaryDir>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/data/reader.h"
#include "core/error.h"
#include "core/experiment/state_cache.h"
#include "db/import.h"

// Resources of a static library register themselves only when asked to; outside any namespace, as Qt wants it.
static void registerResources() { Q_INIT_RESOURCE(example); }

namespace candor::app {
namespace {

constexpr const char* kModel = "smollm2-135m-instruct";

QByteArray resource(const std::string& path) {
    registerResources();
    QFile file(QString::fromStdString(path));
    if (!file.open(QIODevice::ReadOnly)) throw Error("the embedded example lacks " + path + ": this build is broken");
    return file.readAll();
}

std::string decompressed(const std::string& path) {
    const QByteArray packed = resource(path);
    const auto size = ZSTD_getFrameContentSize(packed.constData(), static_cast<std::size_t>(packed.size()));
    if (size == ZSTD_CONTENTSIZE_ERROR || size == ZSTD_CONTENTSIZE_UNKNOWN)
        throw Error("the embedded file " + path + " is damaged: this build is broken");
    std::string text(size, '\0');
    const auto got =
        ZSTD_decompress(text.data(), text.size(), packed.constData(), static_cast<std::size_t>(packed.size()));
    if (ZSTD_isError(got) || got != size)
        throw Error("the embedded file " + path + " is damaged: this build is broken");
    return text;
}

// The readers take files, so that the example comes in by the same door as anybody's data.
std::filesystem::path unpack(const QTemporaryDir& folder, const std::string& path) {
    if (!folder.isValid()) throw Error("no temporary folder: " + folder.errorString().toStdString());
    std::filesystem::path file = folder.path().toStdString();
    file /= std::filesystem::path(path).stem();
    std::ofstream out(file, std::ios::binary);
    out << decompressed(path);
    if (!out.flush()) throw Error("cannot write " + file.string() + ": is the disk full?");
    return file;
}

void installStates(const db::Project& project, const QTemporaryDir& folder) {
    const auto unpacked = unpack(folder, ":/example/states.bin.zst");
    const StateCache cache = StateCache::open(unpacked);
    const auto target = statesFile(project.folder(), cache.info().key);
    if (std::filesystem::exists(target)) return;
    std::filesystem::create_directories(target.parent_path());
    const auto partial = std::filesystem::path(target).concat(".partial");
    std::filesystem::copy_file(unpacked, partial, std::filesystem::copy_options::overwrite_existing);
    std::filesystem::rename(partial, target);
}

}  // namespace

const std::vector<ExampleSet>& exampleSets() {
    static const std::vector<ExampleSet> sets = {
        {"people", "train", true, ":/example/train_people.jsonl.zst"},
        {"places", "train", true, ":/example/train_places.jsonl.zst"},
        {"works", "train", true, ":/example/train_works.jsonl.zst"},
        {"companies", "train", true, ":/example/train_companies.jsonl.zst"},
        {"people", "eval", true, ":/example/eval_people.jsonl.zst"},
        {"places", "eval", true, ":/example/eval_places.jsonl.zst"},
        {"works", "eval", true, ":/example/eval_works.jsonl.zst"},
        {"companies", "eval", true, ":/example/eval_companies.jsonl.zst"},
        {"sport", "eval", false, ":/example/ood_sport.jsonl.zst"},
        {"belief", "eval", false, ":/example/ood_belief.jsonl.zst"},
    };
    return sets;
}

ExperimentSpec exampleSpec() { return parseSpec(resource(":/example/experiment.json").toStdString()); }

void installExample(db::Project& project, const EventSink& events, std::stop_token stop) {
    const QTemporaryDir folder;
    for (const ExampleSet& set : exampleSets()) {
        db::ImportOptions options;
        options.dataset = set.dataset;
        options.split = set.split;
        options.role = set.split == "train" ? Role::Train : Role::Eval;
        options.domain = set.inDomain ? Domain::In : Domain::Out;
        options.model = kModel;
        const auto report = db::importFiles(project, {unpack(folder, set.resource)}, options, events, stop);
        if (report.rejectedCount > 0) throw Error("the embedded example has bad rows: this build is broken");
    }
    installStates(project, folder);
}

std::vector<std::string> exampleQuestions() {
    const QTemporaryDir folder;
    std::vector<std::string> questions;
    for (const ExampleSet& set : exampleSets())
        readRecords(unpack(folder, set.resource), {},
                    [&](Record&& row) { questions.push_back(std::move(row.question)); });
    return questions;
}

}  // namespace candor::app
