// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/metrics/calibration_line.h"

#include "core/metrics/logistic_fit.h"

namespace candor {

Value calibrationSlope(const TieBlocks& rows) {
    if (rows.oneClass()) return Value::undefined(oneClassReason(rows));
    if (rows.blocks.size() < 2) return Value::undefined("all confidences are equal");
    if (!overlaps(rows)) return Value::undefined("a threshold separates correct from wrong: the slope has no bound");
    std::vector<LogisticRow> data;
    for (const TieBlock& block : rows.blocks)
        data.push_back({{logitOfClipped(block.confidence), 1, 0}, block.correct, block.wrong(), 0});
    const LogisticFit fit = fitLogistic(data, 2);
    if (!fit.converged) return Value::undefined("the fit did not converge");
    return fit.coefficient[0];
}

Value calibrationIntercept(const TieBlocks& rows) {
    if (rows.oneClass()) return Value::undefined(oneClassReason(rows));
    std::vector<LogisticRow> data;
    for (const TieBlock& block : rows.blocks)
        data.push_back({{1, 0, 0}, block.correct, block.wrong(), logitOfClipped(block.confidence)});
    const LogisticFit fit = fitLogistic(data, 1);
    if (!fit.converged) return Value::undefined("the fit did not converge");
    return fit.coefficient[0];
}

}  // namespace candor
