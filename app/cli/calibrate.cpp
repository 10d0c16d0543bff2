// SPDX-License-Identifier: GPL-3.0-or-later
#include <charconv>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>

#include "app/cli/cli.h"
#include "app/cli/table.h"
#include "core/calibrate/calibrator.h"
#include "core/error.h"
#include "core/metrics/row_error.h"

namespace candor::app {
namespace {

struct Arguments {
    std::string file, method, weights, apply, out;
};

void write(const std::string& file, const std::vector<double>& before, const std::vector<double>& after) {
    // The shortest digits that read back as the same double.
    std::string rows = "confidence,calibrated\n";
    const auto add = [&rows](double value, char end) {
        char digits[32];
        rows.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
        rows += end;
    };
    for (std::size_t i = 0; i < before.size(); ++i) {
        add(before[i], ',');
        add(after[i], '\n');
    }
    std::ofstream out(file, std::ios::binary);
    out << rows;
    if (!out.flush()) throw Error("cannot write " + file + ": is the folder there, the disk full?");
}

// The file's line instead of the row's number.
template <class Work>
auto inLinesOf(const Table& table, Work work) {
    try {
        return work();
    } catch (const RowError& error) {
        throw table.located(error);
    } catch (const InputError& error) {
        throw InputError(error.code(), error.what(), table.file, error.line());
    }
}

bool same(const std::string& a, const std::string& b) {
    std::error_code absent;
    return std::filesystem::equivalent(a, b, absent);
}

void checkFiles(const Arguments& arguments) {
    if (!arguments.apply.empty() && arguments.out.empty())
        throw InputError("bad_usage", "--apply writes to a file: name it with --out");
    if (arguments.file == "-" && arguments.apply == "-")
        throw InputError("bad_usage", "standard input can be read once: name a file for FILE or --apply");
    if (arguments.out == "-")
        throw InputError("bad_usage", "--out wants a file: standard output has the calibrator's parameters");
    if (!arguments.out.empty() && (same(arguments.out, arguments.file) || same(arguments.out, arguments.apply)))
        throw InputError("bad_usage", "--out would overwrite its own input: name another file", arguments.out);
}

// An isotonic fit has up to a point a row. An ordered_json looks its keys up one by one, which takes hours for a
// million of them, so Cli::print cannot have it; the keys are sorted already.
void print(const Cli& cli, const Calibrator& calibrator) {
    constexpr std::size_t most = 100;
    const auto document = nlohmann::json::parse(parametersJson(calibrator));
    if (cli.json) {
        std::cout << document.dump(2) << std::endl;
        return;
    }
    std::string text;
    for (const auto& [name, value] : document.items()) {
        text += name + " ";
        if (value.is_object() && value.size() > most)
            text += std::to_string(value.size()) + " points (--json lists them)\n";
        else
            text += (value.is_string() ? value.get<std::string>() : value.dump()) + "\n";
    }
    std::cout << text << std::flush;
}

void calibrate(const Cli& cli, const Arguments& arguments) {
    const CalibratorKind kind = calibratorKind(arguments.method);
    checkFiles(arguments);
    std::vector<std::string> columns = {"confidence", "correct"};
    if (!arguments.weights.empty()) columns.push_back(arguments.weights);
    const Table table = readTable(arguments.file, columns);
    Scored rows{table.numbers[0], table.numbers[1], {}};
    if (!arguments.weights.empty()) rows.weights = table.numbers[2];
    const Calibrator calibrator = inLinesOf(table, [&] { return fitCalibrator(kind, rows); });
    if (!arguments.out.empty()) {
        const Table other = arguments.apply.empty() ? table : readTable(arguments.apply, {"confidence"});
        if (other.lines.empty()) throw InputError("empty", "there are no rows: nothing to calibrate", other.file);
        write(arguments.out, other.numbers[0], inLinesOf(other, [&] { return calibrator.apply(other.numbers[0]); }));
    }
    print(cli, calibrator);
}

}  // namespace

void addCalibrate(Cli& cli) {
    const auto arguments = std::make_shared<Arguments>();
    CLI::App* sub = cli.command("calibrate", "fits a post-hoc calibrator and prints its parameters",
                                [&cli, arguments] { calibrate(cli, *arguments); });
    sub->add_option("file", arguments->file, "CSV or JSONL with `confidence` and `correct`, or -")->required();
    sub->add_option("--method", arguments->method, "temperature, platt, logistic, isotonic or beta")->required();
    sub->add_option("--weights", arguments->weights, "a column of weights");
    sub->add_option("--apply", arguments->apply, "confidences to calibrate; default: those of the fit");
    sub->add_option("--out", arguments->out, "CSV for the calibrated confidences");
}

}  // namespace candor::app
