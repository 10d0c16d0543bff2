// SPDX-License-Identifier: GPL-3.0-or-later
#include "db/import.h"

#include <future>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "db/answer_store.h"
#include "db/connection.h"
#include "db/filesystem.h"
#include "db/imported_runs.h"
#include "db/pack.h"
#include "db/project.h"
#include "db/question_store.h"

namespace candor::db {
namespace {

// A transaction each. Every one touches most pages of the index over text hashes, so small ones write much more.
constexpr std::size_t kBatchRows = 4000, kBatchBytes = 24 << 20;

struct Row {
    Record record;
    std::int64_t row = 0;
    std::string file;
};

enum class Found : std::uint8_t { Missing, Equal };

std::size_t sizeOf(const Record& r) {
    std::size_t bytes = r.question.size() + r.extra.size() + 256;
    if (r.answers) {
        bytes += 12 * r.answers->greedyTokens.size();
        for (const std::string& sample : r.answers->samples) bytes += sample.size();
    }
    return bytes;
}

class Importer {
  public:
    Importer(Project& project, const std::vector<std::filesystem::path>& files, const ImportOptions& options,
             const RecordSource& source, const EventSink& events, std::stop_token stop)
        : project_(project), files_(files), options_(options), source_(source), events_(events), stop_(stop) {}

    ImportReport run();

  private:
    void readAll(const std::function<void(Row&&)>& take);
    bool somethingMissing();  // compares with what is stored; throws on a conflict
    void begin();
    void store();
    void send();
    void finish();
    void undo();

    Found compare(Connection& c, std::int64_t split, const Row& row);
    Found put(Connection& c, const Row& row);
    void checkQuestion(const StoredQuestion& stored, const Row& row) const;
    AnswerRow answerOf(const StoredQuestion& stored, const Row& row) const;
    [[noreturn]] void conflict(const Row& row, const std::string& what) const;
    void countDuplicates(const Record& record);
    void checkAnswers(const Row& row) const;
    void requireRows() const;
    void storeColumns();

    Project& project_;
    const std::vector<std::filesystem::path>& files_;
    const ImportOptions& options_;
    const RecordSource& source_;
    const EventSink& events_;
    std::stop_token stop_;

    ImportReport report_;
    struct Text {
        std::int64_t gold;
        bool conflicting;
    };
    std::unordered_map<std::int64_t, Text> texts_;  // by text hash
    std::int64_t split_ = 0, import_ = 0;
    std::vector<Row> batch_;
    std::size_t batchBytes_ = 0;
    // Of the writer thread; a failed batch ends the import, so they never outlive their rows.
    std::optional<std::int64_t> answerSet_, labelSet_;
    int k_ = 0;
    bool hasColumns_ = false;     // some row of a model has a field that may be a confidence
    std::int64_t unchanged_ = 0;  // written on the writer thread, read when sent_ is done
    std::future<void> sent_;
};

ImportReport Importer::run() {
    if (options_.dataset.empty() || options_.split.empty())
        throw InputError("bad_usage", "an import needs a dataset and a split name");
    if (events_) events_({.kind = EventKind::Started, .text = "importing", .stage = "import"});
    if (!somethingMissing()) {
        report_.unchanged = report_.imported;
    } else {
        begin();
        store();
        report_.unchanged = unchanged_;
    }
    storeColumns();
    for (const auto& [hash, text] : texts_) report_.conflictingDuplicates += text.conflicting;
    report_.duplicates = report_.imported - static_cast<std::int64_t>(texts_.size());
    if (events_)
        events_({.kind = EventKind::Finished, .text = "imported", .stage = "import", .done = report_.imported});
    return report_;
}

void Importer::readAll(const std::function<void(Row&&)>& take) {
    report_ = {};
    texts_.clear();
    std::int64_t row = 0;
    for (const auto& file : files_) {
        const ReadReport read = source_(file, [&](Record&& record) {
            if (stop_.stop_requested()) throw Stopped("the import was stopped");
            if (record.labels && !record.answers) record.answers.emplace();
            countDuplicates(record);
            hasColumns_ |= record.answers && record.extra.find("_confidence\"") != std::string::npos;
            Row next{std::move(record), row++, file.string()};
            checkAnswers(next);
            take(std::move(next));
        });
        report_.rows += read.rows;
        report_.imported += read.kept;
        report_.rejectedCount += read.rejectedCount;
        for (const Rejected& rejected : read.rejected)
            if (report_.rejected.size() < 100) report_.rejected.push_back(rejected);
    }
    requireRows();
}

void Importer::requireRows() const {
    if (report_.imported > 0 || files_.empty()) return;
    std::string files;
    for (const auto& file : files_) files += (files.empty() ? "" : ", ") + file.filename().string();
    if (report_.rejected.empty()) throw InputError("nothing_imported", "nothing imported: " + files + " holds no row");
    const Rejected& first = report_.rejected.front();
    throw InputError("nothing_imported",
                     "nothing imported: all " + std::to_string(report_.rejectedCount) + " rows of " + files +
                         " were rejected; the first one: " + first.reason +
                         ". Names of other fields are given with --map OURS=THEIRS",
                     first.file, first.line);
}

// They follow from what is stored, so that a failure here takes nothing back and importing again makes them.
void Importer::storeColumns() {
    if (!hasColumns_) return;
    try {
        report_.methods = storeConfidenceColumns(project_, options_.dataset, options_.split, options_.model);
    } catch (const InputError& error) {
        if (events_)
            events_({.kind = EventKind::Message,
                     .text = std::string("confidence columns were not made runs: ") + error.what(),
                     .stage = "import"});
    }
}

void Importer::countDuplicates(const Record& record) {
    const std::int64_t gold = setHash(record.gold);
    const auto [text, added] = texts_.try_emplace(textHash(record.question), Text{gold, false});
    if (!added && text->second.gold != gold) text->second.conflicting = true;
}

void Importer::checkAnswers(const Row& row) const {
    if (row.record.answers && options_.model.empty())
        throw InputError("missing_model", row.file + " holds answers: name the model that gave them", row.file,
                         row.record.line);
}

bool Importer::somethingMissing() {
    const auto reader = project_.reader();
    const auto split = findSplit(*reader, options_.dataset, options_.split);
    if (!split || (options_.domain != Domain::None && split->domain != options_.domain)) return true;
    if (split->role != options_.role) return true;  // makeSplit() says why not
    const Snapshot snapshot(*reader);
    bool missing = false;
    readAll([&](Row&& row) { missing |= compare(*reader, split->id, row) == Found::Missing; });
    return missing;
}

void Importer::begin() {
    project_.write([&](Connection& c) {
        split_ = makeSplit(c, options_.dataset, options_.split, options_.role, options_.domain);
        nlohmann::json files = nlohmann::json::array(), settings = nlohmann::json::object();
        for (const auto& file : files_) files.push_back(file.string());
        for (const auto& [ours, theirs] : options_.read.map) settings["map"][ours] = theirs;
        const auto replace = nlohmann::json::error_handler_t::replace;
        c.run("INSERT INTO import(at_ms, split, model, files, options) VALUES(?, ?, ?, ?, ?)", nowMs(), split_,
              options_.model, files.dump(-1, ' ', false, replace), settings.dump(-1, ' ', false, replace));
        import_ = c.lastId();
    });
}

void Importer::store() {
    try {
        readAll([&](Row&& row) {
            batchBytes_ += sizeOf(row.record);
            batch_.push_back(std::move(row));
            if (batch_.size() >= kBatchRows || batchBytes_ >= kBatchBytes) send();
        });
        send();
        finish();
    } catch (const Stopped&) {
        send();
        finish();
        throw;
    } catch (...) {
        if (sent_.valid()) sent_.wait();
        undo();
        throw;
    }
}

// The next batch is read while this one is written; never more than one is on its way.
void Importer::send() {
    if (sent_.valid()) sent_.get();
    auto rows = std::make_shared<std::vector<Row>>(std::move(batch_));
    batch_.clear();
    batchBytes_ = 0;
    sent_ = project_.submit([this, rows](Connection& c) {
        std::int64_t equal = 0;
        for (const Row& row : *rows) equal += put(c, row) == Found::Equal;
        unchanged_ += equal;
    });
}

void Importer::finish() {
    if (sent_.valid()) sent_.get();
    const nlohmann::json report = {{"rows", report_.rows}, {"imported", report_.imported}, {"unchanged", unchanged_}};
    project_.write([&](Connection& c) {
        recountQuestions(c, split_);
        c.run("INSERT INTO import_end(import, at_ms, report) VALUES(?, ?, ?)", import_, nowMs(), report.dump());
    });
}

// What this import added goes again. Another process may have built on a question meanwhile: that one stays.
void Importer::undo() {
    project_.write([&](Connection& c) {
        c.run("DELETE FROM judgement WHERE import = ?", import_);
        c.run(
            "DELETE FROM answer WHERE import = ? AND NOT EXISTS (SELECT 1 FROM judgement j WHERE "
            "j.question = answer.question AND j.answer_set = answer.answer_set)",
            import_);
        c.run(
            "DELETE FROM question WHERE import = ? AND id NOT IN (SELECT question FROM answer UNION SELECT question "
            "FROM confidence UNION SELECT question FROM human_label UNION SELECT question FROM draw_item)",
            import_);
        recountAnswers(c, split_);
        recountQuestions(c, split_);
        c.run("DELETE FROM import WHERE id = ? AND NOT EXISTS (SELECT 1 FROM question WHERE import = ?)", import_,
              import_);
        c.run("DELETE FROM split WHERE id = ?1 AND rows = 0 AND NOT EXISTS (SELECT 1 FROM import WHERE split = ?1)",
              split_);
        c.run("DELETE FROM dataset WHERE NOT EXISTS (SELECT 1 FROM split WHERE split.dataset = dataset.id)");
    });
}

void Importer::conflict(const Row& row, const std::string& what) const {
    throw InputError("conflict",
                     options_.dataset + "/" + options_.split + " row " + std::to_string(row.row) + " has " + what +
                         " in this project than in " + row.file + " line " + std::to_string(row.record.line) +
                         ". Nothing was imported; use another dataset, split or model name for other content.",
                     row.file, row.record.line);
}

void Importer::checkQuestion(const StoredQuestion& stored, const Row& row) const {
    if (stored.text != row.record.question) conflict(row, "another question");
    const bool answersOnly = row.record.answers && row.record.gold.empty();
    if (!answersOnly && stored.gold != goldToJson(row.record.gold)) conflict(row, "other gold answers");
    if (!row.record.answers && !row.record.extra.empty() && stored.extra != row.record.extra)
        conflict(row, "other additional fields");
}

AnswerRow Importer::answerOf(const StoredQuestion& stored, const Row& row) const {
    const bool same = stored.extra == row.record.extra;
    return {*row.record.answers, same ? std::nullopt : std::optional(row.record.extra)};
}

Found Importer::compare(Connection& c, std::int64_t split, const Row& row) {
    const auto stored = questionAt(c, split, row.row);
    if (!stored) return Found::Missing;
    checkQuestion(*stored, row);
    if (!row.record.answers) return Found::Equal;
    const auto set = importedAnswerSet(c, options_.model);
    if (!set) return Found::Missing;
    const Match answer = matchAnswer(c, *set, stored->id, answerOf(*stored, row));
    if (answer == Match::Different) conflict(row, "other answers of " + options_.model);
    Match labels = Match::Equal;
    if (row.record.labels) {
        const auto labelSet = c.integer("SELECT id FROM label_set WHERE name = ?", kImportLabels);
        labels = labelSet ? matchJudgement(c, *labelSet, *set, stored->id, *row.record.labels) : Match::Missing;
        if (labels == Match::Different) conflict(row, "other verdicts on the answers of " + options_.model);
    }
    return answer == Match::Equal && labels == Match::Equal ? Found::Equal : Found::Missing;
}

Found Importer::put(Connection& c, const Row& row) {
    const auto added = addQuestion(c, split_, row.row, row.record, import_);
    StoredQuestion question;
    if (added) {
        question = {*added, {}, {}, row.record.extra};
    } else {
        question = questionAt(c, split_, row.row).value();
        checkQuestion(question, row);
    }
    if (!row.record.answers) return added ? Found::Missing : Found::Equal;
    const auto k = static_cast<int>(row.record.answers->samples.size());
    if (!answerSet_ || k > k_) answerSet_ = makeImportedAnswerSet(c, options_.model, k_ = k);
    const std::int64_t set = *answerSet_;
    const Match answer = putAnswer(c, set, question.id, split_, answerOf(question, row), import_);
    if (answer == Match::Different) conflict(row, "other answers of " + options_.model);
    Match labels = Match::Equal;
    if (row.record.labels) {
        if (!labelSet_) labelSet_ = makeLabelSet(c, kImportLabels);
        labels = putJudgement(c, *labelSet_, set, question.id, split_, *row.record.labels, import_);
        if (labels == Match::Different) conflict(row, "other verdicts on the answers of " + options_.model);
    }
    return !added && answer == Match::Equal && labels == Match::Equal ? Found::Equal : Found::Missing;
}

}  // namespace

ImportReport importRecords(Project& project, const std::vector<std::filesystem::path>& files,
                           const ImportOptions& options, const RecordSource& source, const EventSink& events,
                           std::stop_token stop) {
    return Importer(project, files, options, source, events, stop).run();
}

ImportReport importFiles(Project& project, const std::vector<std::filesystem::path>& files,
                         const ImportOptions& options, const EventSink& events, std::stop_token stop) {
    const RecordSource source = [&](const std::filesystem::path& file, const std::function<void(Record &&)>& take) {
        return readRecords(file, options.read, take, events, stop);
    };
    return importRecords(project, files, options, source, events, stop);
}

}  // namespace candor::db
