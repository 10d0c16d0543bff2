#!/usr/bin/env bash
# Installs what is missing, builds, and opens the window on the example (or on the project given).
# Without a display: runs the example headless and says where its figures are.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
source "$root/app/packages.sh"

candor_install
build=$root/build/release
[ -f "$build/build.ninja" ] || cmake -S "$root" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release >/dev/null
ninja -C "$build" --quiet candor candor-cli 2>/dev/null || ninja -C "$build" candor candor-cli

export GOMP_SPINCOUNT=${GOMP_SPINCOUNT:-1000}  # a spinning pool and a window on the same cores slow each other down
if [ -n "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ]; then
    [ $# -gt 0 ] || set -- --example
    exec "$build/app/candor" "$@"
fi
echo "no display: running the example headless"
exec "$build/app/candor-cli" demo "$@"
