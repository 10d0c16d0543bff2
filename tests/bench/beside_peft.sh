#!/usr/bin/env bash
# Questions/s of training and scoring beside transformers + PEFT (../shared/bench/hf_peft.py), one after the other on
# this machine: same dtype, two threads, batch 16, medians. Usage: beside_peft.sh [BUILD] [PYTHON]
# PYTHON has torch, transformers and peft from pip; engine_bench is built by `cmake --build BUILD -t engine_bench`.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
shared=${CANDOR_SHARED:-$root/../shared}
build=${1:-$root/build/release}
python=${2:-python3}
model=$root/build/models/smollm2-135m-instruct
questions=$shared/data/qa/nq_test.jsonl
batches=${BATCHES:-7}

median() { sed -nE 's/.*median ([0-9.]+) questions.*/\1/p' | head -1; }
for dtype in bf16 fp32; do
    for task in train score; do
        theirs=$("$python" "$shared/bench/hf_peft.py" "$model" "$questions" $task \
            "$([ $dtype = bf16 ] && echo autocast || echo fp32)" 2 16 "$batches" 2>/dev/null | median)
        ours=$("$build/tests/bench/engine_bench" "$model" "$questions" $task $dtype 2 16 "$batches" | median)
        awk -v t=$task -v d=$dtype -v a="$ours" -v b="$theirs" \
            'BEGIN { printf "%s %s: candor %.1f questions/s, transformers + PEFT %.1f, ratio %.1f\n", t, d, a, b, a / b }'
    done
done
