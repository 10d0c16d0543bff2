# Sourced by app/start.sh and tests/run.sh: installs the distribution's packages that are missing (Debian 12, 13,
# Ubuntu 24.04), and says which. libtorch-dev only where neither Torch_DIR nor the active Python offers a PyTorch.

candor_python_torch() {
    [ -n "${Torch_DIR:-}" ] && return 0
    python3 - <<'PY' 2>/dev/null
import os, sys, torch
home = os.path.dirname(torch.__file__)
sys.exit(0 if torch.compiled_with_cxx11_abi() and os.path.exists(home + "/share/cmake/Torch/TorchConfig.cmake") else 1)
PY
}

candor_install() {
    local wanted=(g++ cmake ninja-build pkg-config ccache qt6-base-dev qt6-svg-dev libqcustomplot-dev libsqlite3-dev
                  nlohmann-json3-dev libcli11-dev libpcre2-dev libzstd-dev libutf8proc-dev libsimdjson-dev libopenblas0-openmp
                  libxkbcommon-dev "$@")
    candor_python_torch || wanted+=(libtorch-dev)
    local missing=() package
    for package in "${wanted[@]}"; do
        [ "$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || missing+=("$package")
    done
    [ ${#missing[@]} -eq 0 ] && return 0
    echo "installing: ${missing[*]}"
    local as_root=()
    if [ "$(id -u)" != 0 ]; then
        command -v sudo >/dev/null || { echo "run as root (no sudo here): apt-get install ${missing[*]}" >&2; return 1; }
        as_root=(sudo)
    fi
    "${as_root[@]}" apt-get update -q >/dev/null || true
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "${missing[@]}" \
        > "${TMPDIR:-/tmp}/candor-apt.log" 2>&1 \
        || { tail -n 20 "${TMPDIR:-/tmp}/candor-apt.log" >&2; return 1; }
}
