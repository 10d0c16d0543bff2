// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/format.h"

#include <algorithm>

#include "core/error.h"
#include "core/text/unicode.h"

namespace candor {
namespace {

struct Magic {
    std::string_view bytes;
    const char* what;
};

using namespace std::string_view_literals;

constexpr Magic kMagic[] = {
    {"\x1f\x8b"sv, "gzip data: unpack it first"},
    {"\x28\xb5\x2f\xfd"sv, "zstd data: unpack it first"},
    {"\xfd\x37zXZ"sv, "xz data: unpack it first"},
    {"PK\x03\x04"sv, "a zip archive: unpack it first"},
    {"PAR1"sv, "Parquet: save it as JSONL first (pandas: to_json(orient=\"records\", lines=True))"},
    {"\xff\xfe"sv, "UTF-16 text: save it as UTF-8 first"},
    {"\xfe\xff"sv, "UTF-16 text: save it as UTF-8 first"},
};

[[noreturn]] void refuse(const std::filesystem::path& file, const std::string& what) {
    throw InputError("bad_format", file.string() + " is " + what, file.string());
}

std::string extension(const std::filesystem::path& file) { return lower(file.extension().string()); }

}  // namespace

Format detectFormat(const std::filesystem::path& file, std::string_view head, const ReadOptions& options) {
    for (const Magic& magic : kMagic)
        if (head.starts_with(magic.bytes)) refuse(file, magic.what);
    if (head.find('\0') != std::string_view::npos) refuse(file, "a binary file, expected JSONL, CSV or TSV");

    const std::string end = extension(file);
    const std::size_t first = head.find_first_not_of(" \t\r\n");
    const char start = first == std::string_view::npos ? '\0' : head[first];
    if (end == ".csv") return Format::Csv;
    if (end == ".tsv") return Format::Tsv;
    if (start == '[' && (end == ".json" || end == ".jsonl" || end == ".ndjson"))
        refuse(file, "one JSON array, expected one object a line (jq -c '.[]' turns it into that)");
    if (start == '{' || start == '\0' || end == ".jsonl" || end == ".json" || end == ".ndjson")
        return Format::JsonLines;

    const std::string_view line = head.substr(first, head.find('\n', first) - first);
    const auto named = std::find_if(options.map.begin(), options.map.end(),
                                    [](const auto& entry) { return entry.first == "question"; });
    const std::string question = named == options.map.end() ? "question" : named->second;
    if (line.find(question) != std::string_view::npos) {
        if (line.find('\t') != std::string_view::npos) return Format::Tsv;
        if (line.find(',') != std::string_view::npos) return Format::Csv;
    }
    if (end == ".txt") return Format::PlainText;
    refuse(file, "none of the known formats: JSONL (an object a line), CSV or TSV with a header, MMLU, .txt");
}

bool looksLikeMmlu(const std::vector<std::string>& fields) {
    if (fields.size() < 4 || fields.size() > 12) return false;
    const std::string& letter = fields.back();
    return letter.size() == 1 && letter[0] >= 'A' && static_cast<std::size_t>(letter[0] - 'A') < fields.size() - 2;
}

std::string mmluSubject(const std::filesystem::path& file) {
    std::string name = file.stem().string();
    for (const char* end : {"_test", "_dev", "_val", "_train"})
        if (name.ends_with(end)) return name.substr(0, name.size() - std::string_view(end).size());
    return name;
}

}  // namespace candor
