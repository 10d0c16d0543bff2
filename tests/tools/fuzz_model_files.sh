#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Fuzzes the readers of model, tokenizer and adapter files for SECONDS each (default 60), built with the address and
# undefined-behaviour sanitizers in build/fuzz. A file that breaks a reader is left as fuzz-failure.bin there.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
cmake -S "$root" -B "$root/build/fuzz" -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo -DCANDOR_SANITIZE=address,undefined
ninja -C "$root/build/fuzz" test_core
cd "$root/build/fuzz"
program=$(find . -type f -name test_core | head -n 1)
# UBSan prints and goes on by default: make it an end, as everything else is.
UBSAN_OPTIONS=halt_on_error=1 CANDOR_FUZZ_SECONDS=${1:-60} QT_QPA_PLATFORM=offscreen "$program" llm_fuzz_test -maxwarnings 0
