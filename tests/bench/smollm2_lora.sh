#!/usr/bin/env bash
# SmolLM2 with LoRA on ../shared/data/honestybench_smollm2: stage 1, then EliCal and Cal-Only with 100 and 500 labels, two
# seeds, beside the results of transformers + PEFT on the same data. Usage: smollm2_lora.sh [BUILD] [PROJECT]
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
shared=${CANDOR_SHARED:-$root/../shared}
cli=${1:-$root/build/release}/app/candor-cli
project=${2:-$root/build/smollm2-lora.candor}
model=$root/build/models/smollm2-135m-instruct
data=$shared/data/honestybench_smollm2

add() { "$cli" import "$project" "$data/$1.jsonl" --dataset "$2" --split "$3" --role "$3" --domain "$4" \
            --model smollm2-135m-instruct >/dev/null; }
add train_pararel pararel train in
add train_popqa popqa train in
add eval_pararel pararel eval in
add eval_popqa popqa eval in
add ood_nq nq eval out
add ood_wq wq eval out
time "$cli" run "$project" "$root/resources/experiments/smollm2-lora.json" --model "$model"
"$cli" info "$project" --json | python3 "$root/tests/bench/smollm2_lora.py" "$shared/fixtures/reference_results.json"
