// SPDX-License-Identifier: GPL-3.0-or-later
#include <fstream>
#include <memory>
#include <sstream>

#include "app/cli/cli.h"
#include "app/cli/table.h"
#include "core/calibrate/calibrator.h"
#include "core/error.h"

namespace candor::app {
namespace {

struct Arguments {
    std::string file, method, weights, apply, out;
};

void write(const std::string& file, const std::vector<double>& before, const std::vector<double>& after) {
    std::ostringstream rows;
    rows.precision(17);
    rows << "confidence,calibrated\n";
    for (std::size_t i = 0; i < before.size(); ++i) rows << before[i] << "," << after[i] << "\n";
    std::ofstream out(file, std::ios::binary);
    out << rows.str();
    if (!out.flush()) throw Error("cannot write " + file + ": is the folder there, the disk full?");
}

void calibrate(const Cli& cli, const Arguments& arguments) {
    const CalibratorKind kind = calibratorKind(arguments.method);
    std::vector<std::string> columns = {"confidence", "correct"};
    if (!arguments.weights.empty()) columns.push_back(arguments.weights);
    const Table table = readTable(arguments.file, columns, "");
    Scored rows{table.numbers[0], table.numbers[1], {}};
    if (!arguments.weights.empty()) rows.weights = table.numbers[2];
    try {
        const Calibrator calibrator = fitCalibrator(kind, rows);
        if (!arguments.out.empty()) {
            const std::vector<double> before =
                arguments.apply.empty() ? table.numbers[0] : readTable(arguments.apply, {"confidence"}, "").numbers[0];
            write(arguments.out, before, calibrator.apply(before));
        } else if (!arguments.apply.empty()) {
            throw InputError("bad_usage", "--apply writes to a file: name it with --out");
        }
        const auto document = nlohmann::ordered_json::parse(parametersJson(calibrator));
        std::string text;
        for (const auto& [name, value] : document.items()) text += name + " " + value.dump() + "\n";
        cli.print(document, text);
    } catch (const InputError& error) {
        throw InputError(error.code(), error.what(), arguments.file, error.line());
    }
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
