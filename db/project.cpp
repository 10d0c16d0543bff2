// SPDX-License-Identifier: GPL-3.0-or-later
#include "db/project.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <mutex>

#include "db/attempt_lock.h"
#include "db/connection.h"
#include "db/filesystem.h"
#include "db/schema.h"
#include "db/writer.h"

namespace candor::db {
namespace fs = std::filesystem;

struct Project::Impl {
    fs::path file;
    std::string id, notice;
    OpenResult opened = OpenResult::Current;
    std::unique_ptr<AttemptLocks> locks;
    std::unique_ptr<Writer> writer;
    std::mutex watchMutex;
    std::unique_ptr<Connection> watch;  // data_version counts the commits of all other connections
    std::int64_t lastVersion = 0;
};

namespace {

fs::path folderOf(const fs::path& file) { return file.string() + ".d"; }

// Turns the write-ahead log on or off; returns a sentence where it had to stay off.
std::string chooseJournal(Connection& c) {
    const char* forced = std::getenv("CANDOR_JOURNAL");
    const std::string wish = forced ? forced : "";
    const std::string network = networkFileSystem(c.file());
    std::string why;
    if (wish == "delete") why = "CANDOR_JOURNAL asks for it";
    if (wish.empty() && !network.empty()) why = "it lies on a network or foreign file system (" + network + ")";
    const char* mode = why.empty() ? "PRAGMA journal_mode=WAL" : "PRAGMA journal_mode=DELETE";
    std::string got;
    // Switching does not always call the busy handler, so that several processes on a fresh file must try again.
    for (int attempt = 0; got.empty(); ++attempt) {
        try {
            got = c.text(mode).value_or("unknown");
        } catch (const SqlError& e) {
            if (e.code() == SQLITE_BUSY && attempt < 200) {
                sqlite3_sleep(25);
            } else if (why.empty() && (e.code() == SQLITE_IOERR || e.code() == SQLITE_PROTOCOL)) {
                why = e.what();
                mode = "PRAGMA journal_mode=DELETE";
            } else {
                throw;
            }
        }
    }
    c.script("PRAGMA synchronous=FULL");
    if (got == "wal") {
        c.script("PRAGMA wal_autocheckpoint=2000");
        return why.empty() ? why : c.file().string() + " keeps its write-ahead log: another process uses it";
    }
    if (why.empty()) why = "the file system does not carry one";
    return c.file().string() + " is used without a write-ahead log, since " + why +
           ": windows may wait for writers. A local disk is faster and safer.";
}

[[noreturn]] void refuse(const SqlError& e, const fs::path& file) {
    if (e.code() == SQLITE_CORRUPT) throw Error(file.string() + " is damaged: " + e.what());
    throw e;
}

}  // namespace

std::unique_ptr<Project> Project::openOrCreate(const fs::path& given) {
    const fs::path file = fs::absolute(given).lexically_normal();
    if (std::error_code error;
        fs::exists(file, error) || error) {  // before anything is written to what may be another program's
        const Inspection found = inspect(file, migrations());
        if (!found.empty && !found.why.empty()) throw Error(found.why);
        requireWritable(file);
    }
    auto impl = std::make_unique<Impl>();
    impl->file = file;
    try {
        auto connection = std::make_unique<Connection>(file, Connection::Mode::Create);
        // Of a fresh file only. Rows of 21 answers have 3 to 8 kB: small pages would stay half empty.
        connection->script("PRAGMA page_size=32768");
        impl->notice = chooseJournal(*connection);
        const Prepared prepared = prepareSchema(*connection, migrations(), true);
        impl->opened = prepared.result;
        if (!prepared.copy.empty())
            impl->notice = file.string() +
                           " was brought to the schema of this version; the file as it was is kept as " +
                           prepared.copy.string() + (impl->notice.empty() ? "" : ". ") + impl->notice;
        impl->id = connection->text("SELECT value FROM meta WHERE key = 'id'").value_or("");
        impl->locks = std::make_unique<AttemptLocks>(folderOf(file) / "locks");
        impl->writer = std::make_unique<Writer>(std::move(connection));
        impl->watch = std::make_unique<Connection>(file, Connection::Mode::ReadOnly);
    } catch (const SqlError& e) {
        refuse(e, file);
    }
    std::unique_ptr<Project> project(new Project(std::move(impl)));
    project->markInterrupted();
    return project;
}

std::unique_ptr<Project> Project::create(const fs::path& file) {
    const int fd = ::open(file.c_str(), O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0666);
    if (fd < 0 && errno == EEXIST) throw Error(file.string() + " exists already: open it, or choose another name");
    if (fd < 0) throw Error(file.string() + " cannot be made: " + systemMessage(errno));
    ::close(fd);
    return openOrCreate(file);
}

std::unique_ptr<Project> Project::open(const fs::path& file) {
    const Inspection found = inspect(file, migrations());
    if (!found.why.empty()) throw Error(found.why);
    return openOrCreate(file);
}

OpenResult Project::probe(const fs::path& file) { return inspect(file, migrations()).result; }

Project::Project(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Project::~Project() = default;

const fs::path& Project::file() const { return impl_->file; }
fs::path Project::folder() const {
    fs::create_directories(folderOf(impl_->file));
    return folderOf(impl_->file);
}
std::string Project::id() const { return impl_->id; }
OpenResult Project::opened() const { return impl_->opened; }
const std::string& Project::notice() const { return impl_->notice; }
AttemptLocks& Project::attemptLocks() { return *impl_->locks; }

void Project::write(const std::function<void(Connection&)>& work) {
    impl_->writer->submit(work).get();
    impl_->writer->throwKept();
}
void Project::enqueue(std::function<void(Connection&)> work) { impl_->writer->enqueue(std::move(work)); }
void Project::flush() { impl_->writer->flush(); }
std::future<void> Project::submit(std::function<void(Connection&)> work) {
    return impl_->writer->submit(std::move(work));
}

std::unique_ptr<Connection> Project::reader() const {
    return std::make_unique<Connection>(impl_->file, Connection::Mode::ReadOnly);
}

std::int64_t Project::dataVersion() const {
    const std::lock_guard lock(impl_->watchMutex);
    try {
        impl_->lastVersion = impl_->watch->integer("PRAGMA data_version").value_or(impl_->lastVersion);
    } catch (const SqlError& e) {
        if (e.code() != SQLITE_BUSY) throw;  // without a write-ahead log, while somebody writes
    }
    return impl_->lastVersion;
}

int Project::markInterrupted() {
    // Looked at without a write first: most of the time there is nothing to do.
    if (!reader()->integer(
            "SELECT 1 FROM attempt a WHERE NOT EXISTS (SELECT 1 FROM attempt_end e WHERE e.attempt = a.id) "
            "LIMIT 1"))
        return 0;
    int ended = 0;
    write([&](Connection& c) { ended = endAbandonedAttempts(c, *impl_->locks); });
    return ended;
}

}  // namespace candor::db
