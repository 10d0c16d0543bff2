// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/reader.h"

#include "core/data/format.h"
#include "core/data/intake.h"
#include "core/data/json_row.h"
#include "core/data/lines.h"
#include "core/data/table.h"
#include "core/text/unicode.h"

namespace candor {
namespace {

bool isBlank(std::string_view text) { return text.find_first_not_of(" \t\r\n\v\f") == std::string_view::npos; }

void readJsonLines(LineReader& lines, JsonRows& rows, Intake& intake) {
    Line line;
    Record record;
    std::string reason;
    while (lines.next(line)) {
        if (line.tooLong)
            intake.reject(line.number, tooLongReason(line));
        else if (isBlank(line.text))
            continue;
        else if (rows.parse(line.text, record, reason))
            intake.keep(std::move(record), line.number);
        else
            intake.reject(line.number, std::move(reason));
    }
}

void readPlainText(LineReader& lines, Intake& intake) {
    Line line;
    while (lines.next(line)) {
        if (!line.tooLong && isBlank(line.text)) continue;
        Record record;
        record.question = line.text;
        if (line.tooLong)
            intake.reject(line.number, tooLongReason(line));
        else if (!isValidUtf8(line.text))
            intake.reject(line.number, "invalid UTF-8");
        else
            intake.keep(std::move(record), line.number);
    }
}

}  // namespace

ReadReport readRecords(const std::filesystem::path& file, const ReadOptions& options,
                       const std::function<void(Record&&)>& take, const EventSink& events, std::stop_token stop) {
    LineReader lines(file);
    const Format format = detectFormat(file, lines.peek(std::size_t(64) << 10), options);
    Intake intake(file, lines, take, events, std::move(stop));
    std::vector<std::string> unseen;
    if (format == Format::JsonLines) {
        JsonRows rows(options);
        readJsonLines(lines, rows, intake);
        unseen = rows.unseen();
    } else if (format == Format::PlainText) {
        readPlainText(lines, intake);
    } else {
        unseen = readTable(lines, format == Format::Tsv ? '\t' : ',', file, options, intake);
    }
    ReadReport report = intake.finish();
    if (report.rows > 0)
        for (const std::string& name : unseen)
            intake.say(file.string() + ": no row has \"" + name + "\", which the map names");
    return report;
}

}  // namespace candor
