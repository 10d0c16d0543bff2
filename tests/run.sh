#!/usr/bin/env bash
# Installs what is missing, builds, runs every test offscreen. Arguments go to ctest (for instance: -R metrics).
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
source "$root/app/packages.sh"

candor_install poppler-utils
build=${CANDOR_BUILD:-$root/build/tests}
cmake -S "$root" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCANDOR_WERROR="${CANDOR_WERROR:-OFF}" >/dev/null
ninja -C "$build"

# The real model of ../shared, unpacked once; tests that need it skip with a message where it is absent.
shared=${CANDOR_SHARED:-$root/../shared}
model=$root/build/models/smollm2-135m-instruct
if [ -f "$shared/models/unpack.py" ] && [ ! -f "$model/model.safetensors" ]; then
    python=python3
    $python -c 'import numpy' 2>/dev/null || { candor_install python3-numpy; python=/usr/bin/python3; }
    $python "$shared/models/unpack.py" "$model" || echo "the model could not be unpacked: its tests are skipped" >&2
fi

export QT_QPA_PLATFORM=offscreen OMP_WAIT_POLICY=passive
ctest --test-dir "$build" --output-on-failure "$@"
