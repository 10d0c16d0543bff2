"""Prints the AUROC of our runs (`candor-cli info --json` on standard input) beside reference_results.json."""
import collections
import json
import sys

info = json.load(sys.stdin)
reference = json.load(open(sys.argv[1], encoding="utf-8"))["lora"]
SETS = ["pararel/eval", "popqa/eval", "nq/eval", "wq/eval", "in-domain", "out-of-domain"]
NAMES = {"pararel/eval": "eval_pararel", "popqa/eval": "eval_popqa", "nq/eval": "ood_nq", "wq/eval": "ood_wq"}

ours = collections.defaultdict(dict)
for run in info["runs"]:
    for metric in run["metrics"]:
        if metric["name"] == "auroc" and metric["average"] in ("", "weighted") and metric["value"] is not None:
            ours[run["method"], run["labels"], run["seed"]][metric["set"]] = metric["value"]

theirs = collections.defaultdict(dict)
for seed in reference:
    for run in seed["runs"]:
        values = {ours_name: run["eval"][name]["auroc"] for ours_name, name in NAMES.items()}
        values["in-domain"] = run["eval"]["eval"]["auroc_weighted"]
        values["out-of-domain"] = run["eval"]["ood"]["auroc_weighted"]
        theirs[run["method"], run["budget"], int(seed["seed"])] = values


def line(label, values):
    print(label.ljust(42) + "".join(f"{values[s]:14.3f}" if s in values else " " * 13 + "-" for s in SETS))


print("".ljust(42) + "".join(s.rjust(14) for s in SETS))
for key in sorted(ours, key=lambda k: (k[1], k[0], k[2])):
    method, labels, seed = key
    line(f"{method} {labels} labels, seed {seed}", ours[key])
    if key in theirs:
        line("    transformers + PEFT", theirs[key])
