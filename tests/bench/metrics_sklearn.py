#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Times metrics_bench and scikit-learn one after the other on the same million rows and compares their numbers.

usage: metrics_sklearn.py path/to/metrics_bench      (needs numpy and scikit-learn)
"""
import math
import subprocess
import sys
import tempfile
import time

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.isotonic import IsotonicRegression
from sklearn.metrics import average_precision_score, brier_score_loss, log_loss, roc_auc_score


def timed(name, work):
    start = time.process_time()
    value = work()
    print(f"  {name:28s} {time.process_time() - start:8.3f} s   {value:.15g}")


def ece(conf, correct, bins=10):
    place = np.clip(np.ceil(conf * bins).astype(int) - 1, 0, bins - 1)
    gap = np.bincount(place, conf - correct, bins)
    return np.abs(gap).sum() / len(conf)


def slope(conf, correct):
    logit = (np.log(conf) - np.log1p(-conf))[:, None]
    return LogisticRegression(C=math.inf, tol=1e-8).fit(logit, correct).coef_[0, 0]


def main():
    bench = sys.argv[1]
    with tempfile.NamedTemporaryFile(suffix=".csv") as file:
        subprocess.run([bench, "--write", file.name], check=True)
        conf, correct = np.loadtxt(file.name, delimiter=",", skiprows=1, unpack=True)
    clipped = np.clip(conf, 2.0**-52, 1 - 2.0**-52)
    print("metrics_bench --each")
    subprocess.run([bench, "--each"], check=True)
    print("scikit-learn")
    timed("auroc", lambda: roc_auc_score(correct, conf))
    timed("auprc_correct", lambda: average_precision_score(correct, conf))
    timed("brier", lambda: brier_score_loss(correct, conf))
    timed("nll", lambda: log_loss(correct, clipped))
    timed("ece_ew10 (numpy)", lambda: ece(conf, correct))
    timed("calibration_slope", lambda: slope(clipped, correct))
    timed("isotonic (brier after)", lambda: brier_score_loss(correct, IsotonicRegression().fit_transform(conf, correct)))


if __name__ == "__main__":
    main()
